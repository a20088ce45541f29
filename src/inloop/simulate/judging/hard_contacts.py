"""Checks of hard contacts: initial penetration, and the residual of each step's impulses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.plant import BarePlant

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


def overlap_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
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
            if len(gap) > sample and gap[sample] < -deep * length:
                notes.append(
                    f"contact '{contact.name}' starts with a penetration of {-gap[sample]:.3g} and "
                    "keeps it: hard contacts do not push bodies apart. Start without penetration"
                )
    return (*notes, *_yield_notes(plant, result), *_sunk_notes(plant, result))


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
        if not isinstance(stiffness, float | int):
            continue
        spring = float(np.max(result.signals[f"{contact.name}.force"])) / stiffness
        if depth > min(SUNK * spring + DEEP * length, VISIBLE * length):
            notes.append(
                f"contact '{contact.name}' sank by {depth:.3g} m, and its force over its stiffness "
                f"is {spring:.3g} m: it is too soft for a hard contact. Use a larger stiffness=, "
                "or a law such as hunt_crossley(...) for what gives way visibly"
            )
    return tuple(notes)


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
