"""Style of the flexible link's figures: colors, and the panels of the source's figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.gallery.flexlink.controllers.signals import Reference
from inloop.gallery.flexlink.experiments.rig import Trace

BLUE, ORANGE, GRAY, GREEN, RED = "#1f5fa8", "#c2410c", "#7a7a7a", "#2f855a", "#b91c1c"
LABELS = ("angle [deg]", "torque [N m]", "strain [V]")


def draw_trace(axes: Sequence[Any], trace: Trace, **style: Any) -> None:
    """Plot angle, torque and strain of a run, each on its own axis."""
    for axis, values in zip(
        axes, (np.degrees(trace.angle), trace.torque, trace.strain), strict=True
    ):
        axis.plot(trace.t, values, **style)


def draw_reference(axis: Any, reference: Reference, t: Any) -> None:
    """Plot the reference with its band of 5 %."""
    wanted = np.degrees([reference(x) for x in t])
    axis.step(t, wanted, where="post", color="black", linewidth=0.8, linestyle=":")
    band = 0.05 * abs(math.degrees(reference.second - reference.first))
    axis.fill_between(
        t, wanted - band, wanted + band, color=GRAY, alpha=0.18, linewidth=0, step="post"
    )


def dress(axis: Any, label: str = "") -> None:
    """Add a grid and a label, remove margins."""
    axis.grid(True, alpha=0.3)
    axis.margins(x=0.0)
    if label:
        axis.set_ylabel(label)
