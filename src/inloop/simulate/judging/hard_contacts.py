"""Whether hard contacts begin apart, and their impulses were found: each step leaves a residual."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

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
    """What to say about shapes that begin so deep below the ground that it does not touch them."""
    notes = []
    for contact, member, shape, ground, frame in _on_ground(plant):
        gap = result.signals.get(f"{contact}.gap")
        if gap is not None and (len(gap) < 2 or gap[1] < 0.0):
            continue  # it touches
        p, R = plant.sensors.pose(member.path, result.q[0], frame.path, ready=True)
        middle = p if shape.corners is None else p + R @ np.asarray(shape.corners).mean(axis=0)
        if (cover := ground.cover(middle)) > 0.0:
            notes.append(
                f"contact '{contact}': the middle of '{member.path}' begins {cover:.3g} below the "
                "ground, and may fall: ground has one side. Start it above"
            )
    return tuple(notes)


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
