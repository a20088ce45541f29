"""Whether shapes moved so fast that they may have passed through each other (tunneling).

Contacts are searched at both ends and in the middle of a step, up to a margin.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from inloop.plant import BarePlant, Contact

if TYPE_CHECKING:
    from inloop.simulate.results.result import Result

MOST_LOOKED_AT = 64  # contacts: each takes some 20 ms to derive its poses
DEEP = 0.1  # of the thinner shape: deeper penetration when first seen is too fast


def passing_notes(plant: BarePlant, result: Result, step: float) -> tuple[str, ...]:
    """Notes on bodies that are too fast for the step.

    Args:
        plant: the compiled mechanism.
        result: result of the run.
        step: step of the run [s].
    """
    notes = []
    for contact in plant.mechanism.found_contacts[:MOST_LOOKED_AT]:
        found = contact.found
        assert found is not None
        thin = min(found.a.thickness, found.b.thickness)
        if not math.isfinite(found.a.thickness) or len(result.q) < 2:
            continue  # ground has its own notes, and a plane has no other side
        if (place := _jump_past(plant, result, contact, step)) is not None:
            way, k = place
            notes.append(
                f"contact '{contact.name}': its shapes move by {way:.3g} m in a step at t = "
                f"{result.t[k]:.6g} s, and the thinner one is {2.0 * thin:.3g} m thick: they may "
                "pass through each other unseen. Use a smaller step, or method='event_driven'"
            )
            continue
        gap = result.signals[f"{contact.name}.gap"]
        depth = float(min(0.0, *gap[:2]) - np.min(gap))
        if depth > DEEP * thin and getattr(contact.law, "stiffness", None) is None:
            notes.append(
                f"contact '{contact.name}': its shapes overlap by {depth:.3g} m at t = "
                f"{result.t[int(np.argmin(gap))]:.6g} s: they come too fast to be seen before. "
                "Use a smaller step, or method='event_driven'"
            )
    return tuple(notes)


def _jump_past(
    plant: BarePlant, result: Result, contact: Contact, step: float
) -> tuple[float, int] | None:
    """How far close shapes move in a step, if past each other, and the index of the sample.

    If few samples are stored, the mean motion between them counts.
    """
    found = contact.found
    assert found is not None
    # from first contact to where the centers have passed each other
    thick = found.a.thickness + found.b.thickness
    # rotations move a point by less than their rate times the size of the mechanism
    fastest = float(np.max(np.abs(result.qd))) * max(1.0, plant.equations.size.length)
    if not fastest * step > thick:
        return None
    p, _ = plant.sensors.pose(contact.b.path, result.q, contact.a.path, True)
    ways = np.diff(p, axis=0)
    lengths = np.linalg.norm(ways, axis=1)
    parts = -np.einsum("ni,ni->n", p[:-1], ways) / np.maximum(lengths**2, 1e-300)
    nearest = np.linalg.norm(p[:-1] + np.clip(parts, 0.0, 1.0)[:, None] * ways, axis=1)
    in_step = lengths * step / np.maximum(np.diff(result.t), step)
    past = np.flatnonzero((in_step > thick) & (nearest < found.a.size + found.b.size))
    return (float(in_step[past[0]]), int(past[0])) if len(past) else None
