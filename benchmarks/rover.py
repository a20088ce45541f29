"""The rover on hills of 20,000 triangles: a step of 1 ms, against MuJoCo's on a height field.

python -m benchmarks rover
"""

from __future__ import annotations

import numpy as np

from benchmarks.report import Bar, Findings, note, progress, show
from benchmarks.warm import hot_steps
from inloop import gallery

SPEED = 0.5  # [m/s]
STEPS, ROUNDS = 6000, 5
MEDIAN_BAR, P99_BAR, PART_BAR, CREEP_BAR = 40.0, 150.0, 0.5, 1e-12
HEADERS = ["rover", "µs a step", "p99", "most", "driven [m]", "creep [m/s]"]
LEGEND = """\
CPU time of the thread, {steps} steps of 1 ms from above the ground, driven straight on, each the
least of {rounds} runs in turn. inloop: exact friction with a residual of 1e-8, from inputs to
outputs. MuJoCo: elliptic cones, implicitfast, soft contacts: another and easier problem. creep:
with locked wheels on 20 degrees, in the third second."""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    from benchmarks.rover_creep import creep, mujoco_creep
    from benchmarks.rover_mujoco import MujocoRover

    progress("rover: compiling")
    plant = gallery.get("rover").build().compile()
    least = {name: np.full(STEPS, np.inf) for name in ("inloop", "MuJoCo")}
    for k in range(rounds):
        progress(f"rover: round {k + 1}")
        ours, failed = hot_steps(plant, "moreau", STEPS, {"speed": SPEED}, cpu=True)
        if failed > STEPS // 100:
            raise RuntimeError(f"{failed} of {STEPS} steps of the rover did not end with OK")
        other = MujocoRover(SPEED)
        start = other.place
        theirs = other.steps(STEPS)
        for name, taken in zip(least, (ours, theirs), strict=True):
            least[name] = np.minimum(least[name], taken)
    after = plant.simulate(t_end=1e-3 * STEPS, step=1e-3, sample=0.1, inputs={"speed": SPEED})
    ways = {
        "inloop": float(after["trunk_tx.q"][-1] - after["trunk_tx.q"][0]),
        "MuJoCo": float((other.place - start)[0]),
    }
    crept = {"inloop": creep(), "MuJoCo": mujoco_creep()}
    findings, lines, figures = Findings(), [], {}
    for name, taken in least.items():
        middle, high, most = (float(x) for x in (*np.percentile(taken, (50, 99)), taken.max()))
        figures[name] = middle
        cells = [name, *(f"{x:.1f}" for x in (middle, high, most)), f"{ways[name]:.2f}"]
        lines.append([*cells, f"{crept[name]:.1e}"])
        row = {"rover": name, "median": middle, "p99": high, "most": most, "creep": crept[name]}
        findings.rows.append(row)
        if name == "inloop":
            findings.bars += [
                Bar("rover: step", middle, MEDIAN_BAR, "µs", at_least=False),
                Bar("rover: step at p99", high, P99_BAR, "µs", at_least=False),
            ]
    part = figures["inloop"] / figures["MuJoCo"]
    findings.bars.append(Bar("rover: step in parts of MuJoCo's", part, PART_BAR, at_least=False))
    # relative to the bar, since a table shows too few digits of it
    least_creep = crept["inloop"] / CREEP_BAR
    findings.bars.append(Bar("rover: creep on 20°, in 1e-12 m/s", least_creep, 1.0, at_least=False))
    show(HEADERS, lines)
    note(LEGEND.format(steps=STEPS, rounds=rounds))
    return findings
