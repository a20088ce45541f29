"""Whether hard contacts begin apart, and their impulses were found: each step leaves a residual."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from inloop.model.elements import Frame
from inloop.plant import BarePlant

if TYPE_CHECKING:
    from inloop.geometry.collision import CollisionShape, GroundTables
    from inloop.simulate.judging.verdict import Stretch
    from inloop.simulate.results.result import Result

TOLERATED = 1e-6  # residual of a step, in parts of the velocities that meet
DEEP = 1e-4  # of the characteristic length: what begins deeper in each other is noted
FOUND_DEEP = 1e-2  # the same where touches are found, which is after the first step


def inexact_contacts(stretches: Sequence[Stretch]) -> tuple[str, ...]:
    """Tell of the step whose impulses are farthest from a solution, if there is one."""
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
        f"CONTACT_INEXACT: impulses of hard contacts were found to {worst:.1g} of their velocities "
        f"only, in {steps} samples, worst at t = {when:.6g} s. Use a smaller step, or fewer "
        "contacts that support the same bodies.",
    )


def overlap_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
    """What to say about shapes that begin in each other: contacts keep them so."""
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
                    f"contact '{contact.name}' begins {-gap[sample]:.3g} deep in what it touches, "
                    "and stays so: hard contacts push nothing out. Start it apart"
                )
    return (*notes, *_sunk_notes(plant, result))


def _sunk_notes(plant: BarePlant, result: Result) -> tuple[str, ...]:
    """What to say about shapes that begin below the ground, or end there: it has one side."""
    notes = []
    for contact, member, shape, ground, frame in _on_ground(plant):

        def cover(k: int, of: Any = (member, shape, ground, frame)) -> float:
            return _cover(plant, result.q[k], *of)

        gap = result.signals.get(f"{contact}.gap")
        touches = gap is not None and (len(gap) < 2 or gap[1] < 0.0)
        who, last = f"contact '{contact}': the middle of '{member.path}'", len(result.q) - 1
        if (depth := cover(0)) > 0.0:
            if not touches:
                notes.append(
                    f"{who} begins {depth:.3g} below the ground, and may fall: ground has one "
                    "side. Start it above"
                )
        elif cover(last) > 0.0:
            # the first sample below it
            k = bisect_left(range(last), True, key=lambda i: cover(i) > 0.0)
            notes.append(
                f"{who} went through the ground by t = {result.t[k]:.6g} s: it moves farther in a "
                "step than it is thick. Use a smaller step"
            )
    return tuple(notes)


def _cover(
    plant: BarePlant,
    q: npt.NDArray[np.float64],
    member: Frame,
    shape: CollisionShape,
    ground: GroundTables,
    frame: Frame,
) -> float:
    """How much ground is above the middle of a shape [m]."""
    p, R = plant.sensors.pose(member.path, q, frame.path, ready=True)
    middle = p if shape.corners is None else p + R @ shape.corners.mean(axis=0)
    return ground.cover(middle) if np.isfinite(middle).all() else 0.0


def _on_ground(
    plant: BarePlant,
) -> Iterator[tuple[str, Frame, CollisionShape, GroundTables, Frame]]:
    """Contacts of shapes with ground of triangles: name, frame and shape, ground and its frame."""
    for contact in plant.mechanism.found_contacts:
        found = contact.found
        if found is not None and found.a.ground is not None:
            first, second = contact.a, contact.b
            frame, member = (second, first) if found.exchanged else (first, second)
            yield contact.name, member, found.b, found.a.ground, frame
    if (pile := plant.mechanism.pile) is not None:
        members = list(zip(pile.frames, pile.tables, strict=True))
        for frame, table in members:
            for member, shape in members:
                if table.ground is not None and math.isfinite(shape.thickness):
                    yield pile.name, member, shape, table.ground, frame
