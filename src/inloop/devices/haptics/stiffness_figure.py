"""Plot the stiffness that a device can display.

python -m inloop.devices.haptics.stiffness_figure FILE.png
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inloop.devices.haptics.rig import Rig
from inloop.devices.haptics.stiffness_range import measured_stiffness
from inloop.devices.sensors.encoder import Encoder
from inloop.simulate import blank_figure

MASS = 0.2  # [kg]
DAMPINGS = {0.35: "#1f5fa8", 2.0: "#c2410c", 10.0: "#2f7d32"}  # [N·s/m], color
RATES = (100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)  # [Hz]
RESOLUTION = 1e-5  # [m]


def draw(figure: Any) -> None:
    """Plot computed limits as lines, measured ones as markers."""
    axes = figure.subplots()
    fine = np.geomspace(RATES[0], RATES[-1], 60)
    for damping, color in DAMPINGS.items():
        rig = Rig(mass=MASS, damping=damping, sensor=lambda: Encoder(RESOLUTION), substeps=1)
        loops = [replace(rig, period=1.0 / rate).sampled_loop() for rate in fine]
        axes.loglog(fine, [loop.stiffness_limit() for loop in loops], color=color,
                    label=f"device with {damping:g} N·s/m")  # fmt: skip
        axes.loglog(fine, [loop.passive_stiffness() for loop in loops], color=color,
                    linestyle=":", linewidth=2.0)  # fmt: skip
        rigs = [replace(rig, period=1.0 / rate) for rate in RATES]
        for controlled, mark in ((False, "o"), (True, "^")):
            found = [measured_stiffness(replace(item, controlled=controlled)) for item in rigs]
            axes.loglog(RATES, found, mark, color=color, markersize=6, markerfacecolor="none")
    marks: dict[str, dict[str, Any]] = {
        "computed: eigenvalues": {"linestyle": "-"},
        "computed: passive, 2 b/T": {"linestyle": ":", "linewidth": 2.0},
        "measured": {"linestyle": "", "marker": "o", "markerfacecolor": "none"},
        "measured, with passivity controller": {
            "linestyle": "", "marker": "^", "markerfacecolor": "none",
        },
    }  # fmt: skip
    for label, style in marks.items():
        axes.plot([], [], color="#555555", label=label, **style)
    axes.set_xlabel("rate of the servo [Hz]")
    axes.set_ylabel("largest stiffness [N/m]")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=8)


def main() -> None:
    """Plot to the file given on the command line."""
    path = Path(sys.argv[1])
    figure = blank_figure((7.0, 4.4), path)
    draw(figure)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
