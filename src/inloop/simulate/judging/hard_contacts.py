"""Checks of hard contacts: penetration, residuals of impulses, and signals that lack them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.plant import BarePlant
from inloop.plant.parameters import value_now
from inloop.plant.readings import sensors_of_motion
from inloop.simulate.judging.passing import passing_notes

if TYPE_CHECKING:
    from inloop.simulate.judging.verdict import Stretch
    from inloop.simulate.results.result import Result

TOLERATED = 1e-6  # residual of a step, relative to the approach velocities
DEEP = 1e-4  # of the characteristic length: deeper initial penetration is noted
MOST_LOOKED_AT = 64  # shapes on ground: each takes some 20 ms to derive its pose
FOUND_DEEP = 1e-2  # the same for contacts found by the broad phase, known after the first step
SUNK = 2.0  # times maximum force over stiffness: a deeper contact has sunk too far
VISIBLE = 1e-2  # of the characteristic length: a contact that yields more is not hard
DRIFTED = 1e-3  # of the characteristic length: a rigid contact that sank deeper is noted


def inexact_contacts(stretches: Sequence[Stretch]) -> tuple[str, ...]:
    """Report the step with the largest residual of its impulses, if any."""
    worst, when, steps = 0.0, 0.0, 0
    for part in stretches:
        contacts = part.plant.mechanism.hard_contacts
        names = [name for contact in contacts for name in contact.residuals]
        if not names or not len(part.found.t):
            continue
        residual = np.max([part.found.signals[name] for name in names], axis=0)
        steps += int(np.sum(residual > TOLERATED))
        k = int(np.argmax(residual))
        if residual[k] > worst:
            worst, when = float(residual[k]), float(part.found.t[k])
    if worst <= TOLERATED:
        return ()
    return (
        f"CONTACT_INEXACT: impulses of hard contacts were only solved to {worst:.1g} of "
        f"their velocities, in {steps} samples, worst at t = {when:.6g} s. Use a "
        "smaller step, or fewer contacts that support the same bodies.",
    )


def contact_notes(
    plant: BarePlant, result: Result, step: float | None, known: Collection[str] = ()
) -> tuple[str, ...]:
    """Notes on hard contacts that a run began or ended with penetration, or did not see.

    Args:
        plant: the compiled mechanism.
        result: result of the run.
        step: of `moreau`, which searches contacts at its ends and in its middle [s]; None for a
            method that follows them between.
        known: names of contacts that existed before the run, whose penetration is not initial.
    """
    notes = (*_overlap_notes(plant, result, known), *_yield_notes(plant, result))
    passed = () if step is None else passing_notes(plant, result, step)
    return (*notes, *_sunk_notes(plant, result), *passed, *_smooth_notes(plant, result))


def contact_notes_of_modes(
    plants: Mapping[str, BarePlant],
    positions: Sequence[str],
    result: Result,
    step: float | None,
    known: Collection[str],
) -> tuple[str, ...]:
    """The same for the samples of each mode; positions: names of the columns of q."""
    notes: list[str] = []
    known = set(known)
    modes = result.modes
    if modes is None:
        modes = np.full(len(result.t), next(iter(plants)))
    for name in dict.fromkeys(modes.tolist()):
        plant, rows = plants[name], modes == name
        contacts = plant.mechanism.hard_contacts
        if contacts:
            q, qd = (
                values[rows][:, [positions.index(own) for own in names]]
                for values, names in ((result.q, plant.positions), (result.qd, plant.coordinates))
            )
            signals = {signal: values[rows] for signal, values in result.signals.items()}
            part = replace(result, t=result.t[rows], q=q, qd=qd, signals=signals)
            notes += contact_notes(plant, part, step, known)
            known |= {contact.name for contact in contacts}
    return tuple(dict.fromkeys(notes))


def _overlap_notes(plant: BarePlant, result: Result, known: Collection[str]) -> list[str]:
    """Notes on initial penetrations, which contacts preserve."""
    mechanism = plant.mechanism
    length = plant.equations.size.length
    notes = []
    for contacts, sample, deep in (
        (mechanism.declared_contacts, 0, DEEP),
        (mechanism.found_contacts, 1, FOUND_DEEP),
    ):
        for contact in contacts:
            gap = result.signals.get(contact.gap, np.zeros(0))
            new = contact.name not in known
            if new and len(gap) > sample and gap[sample] < -deep * length:
                notes.append(
                    f"contact '{contact.name}' starts with a penetration of {-gap[sample]:.3g} and "
                    "keeps it: hard contacts do not push bodies apart. Start without penetration"
                )
    return notes


def _yield_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
    """Notes on contacts that yield more than their springs, or sink without one."""
    notes, stops = [], plant.mechanism.hard_stops
    declared = [pair for pair in plant.mechanism.declared_contacts if pair not in stops]
    for contact in plant.mechanism.hard_contacts:
        stiffness = getattr(getattr(contact, "law", None), "stiffness", None)
        gap = result.signals.get(f"{contact.name}.gap", np.zeros(0))
        if len(gap) < 2:
            continue
        # relative to the initial penetration
        depth = float(min(0.0, *gap[:2]) - np.min(gap))
        length = plant.equations.size.length
        if contact in declared and stiffness is None and depth > DRIFTED * length:
            notes.append(
                f"contact '{contact.name}' is rigid and sank by {depth:.3g} m. Use a smaller step"
            )
        if stiffness is None:
            continue
        most = float(np.max(result.signals[f"{contact.name}.force"]))
        spring = most / value_now(stiffness, plant.mechanism, plant.parameters)
        if depth > min(SUNK * spring + DEEP * length, VISIBLE * length):
            notes.append(
                f"contact '{contact.name}' sank by {depth:.3g} m, and its force over its stiffness "
                f"is {spring:.3g} m: it is too soft for a hard contact. Use a larger stiffness=, "
                "or a law such as hunt_crossley(...) for what gives way visibly"
            )
    return tuple(notes)


def _smooth_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
    """A note on quantities that lack the forces of contacts, if one of these pushes."""
    names = [contact.name for contact in plant.mechanism.hard_contacts]
    forces = [(name, f"{name}.{force}") for name in names for force in ("force", "effort")]
    pushing = [name for name, force in forces if np.any(result.signals.get(force, 0.0))]
    if not pushing:
        return ()
    joints = [name for name in plant.coordinates if f"{name}.force.x" in result.signals]
    lacking = [f"sensor '{name}'" for name in sensors_of_motion(plant)]
    lacking += [f"reaction of joint '{name}'" for name in joints]
    if not plant.formulation.unconstrained:
        lacking.append("accelerations, multipliers and cut forces")
    if not lacking:
        return ()
    return (
        f"{', '.join(lacking)}: with smooth forces only, without those of hard contacts such as "
        f"'{pushing[0]}'. Use velocities and their differences, or a compliant "
        "contact such as hunt_crossley(...)",
    )


def _sunk_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
    """Notes on shapes that start or end below the ground, which is one-sided."""
    notes = []
    for shape in plant.mechanism.on_ground[:MOST_LOOKED_AT]:

        def cover(k: int, of: Any = shape) -> float:
            return float(of.cover(*plant.sensors.pose(of.path, result.q[k], of.ground_path, True)))

        gap = result.signals.get(f"{shape.contact}.gap")
        touches = gap is not None and (len(gap) < 2 or gap[1] < 0.0)
        who, last = f"contact '{shape.contact}': the center of '{shape.path}'", len(result.q) - 1
        if (depth := cover(0)) > 0.0:
            if not touches:
                notes.append(
                    f"{who} starts {depth:.3g} below the ground and may fall: ground has only one "
                    "side. Start it above"
                )
        elif cover(last) > 0.0:
            # the first sample below the ground
            k = bisect_left(range(last), True, key=lambda i: cover(i) > 0.0)
            notes.append(
                f"{who} went through the ground by t = {result.t[k]:.6g} s: it moves farther in "
                "one step than its own thickness. Use a smaller step"
            )
    return tuple(notes)
