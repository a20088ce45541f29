"""Whether the impulses of hard contacts were found: from the residuals that each step leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from inloop.simulate.judging.verdict import Stretch

TOLERATED = 1e-6  # residual of a step, in parts of the velocities that meet


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
