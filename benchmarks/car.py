"""The gallery's car with PAC2002 tyres: an RK4 step of 1 ms, compared with MuJoCo's.

python -m benchmarks car
"""

from __future__ import annotations

import numpy as np

from benchmarks.judged import STEPS as OUR_STEPS
from benchmarks.judged import Contestant
from benchmarks.report import Bar, Findings, note, progress, show
from benchmarks.worst_period import best_of, row_of
from inloop import gallery

STEPS, ROUNDS = 2000, 5  # of MuJoCo
SPEED = 15.0
MOST, LEAST = 12.0, 10.0  # µs of a step, ratio to MuJoCo
PERIODS, RUNS, WORST = 3000, 10, 5.0  # of 1 ms; of the loop; worst period over the median
RACK, TURN = 0.02, 1.3  # amplitude of the rack [m], its period [s]
HEADERS = ["car", "µs a step", "best", "MuJoCo / this"]
LEGEND = """\
CPU time of the process, {ours} and {steps} steps of 1 ms in turn, in C alone, median and best of
{rounds} rounds, rolling from 15 m/s. inloop: PAC2002 tyres with deflections as states, loops closed
to rounding. MuJoCo: RK4 on the same tree with soft loops, wheels as ellipsoids with Coulomb's
friction instead of a formula of tyres; its loops were open by {gap:.2g} mm. Worst period: of the
real-time loop in a slalom that grows for 3 s, the same periods {runs} times, of each the best time:
what the plant itself needs, without what the machine takes away."""


def contestants() -> dict[str, Contestant]:
    """The car with anti-roll bars as bodies, as in MuJoCo, and by their energy."""
    car, found = gallery.get("car"), {}
    for name, as_laws in (("bars as bodies", False), ("bars as laws", True)):
        model = car.build(pac2002=True, hands=True, speed=SPEED, bars_as_laws=as_laws)
        found[name] = Contestant(name, model.compile(), "rk4", 1e-3)
    return found


def slalom() -> dict[str, np.ndarray]:
    """A rack oscillation with growing amplitude, by name [m, m/s, m/s²]."""
    t = np.arange(PERIODS) / 1000.0
    w, grows = 2.0 * np.pi / TURN, RACK / t[-1]
    sine, cosine = np.sin(w * t), np.cos(w * t)
    return {
        "rack.q": grows * t * sine,
        "rack.qd": grows * (sine + w * t * cosine),
        "rack.qdd": grows * w * (2.0 * cosine - w * t * sine),
    }


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    from benchmarks.car_mujoco import MujocoCar

    progress("car: compiling")
    cars, other = contestants(), MujocoCar(SPEED)
    ours = {name: car.native() for name, car in cars.items()}
    times: dict[str, list[float]] = {name: [] for name in (*ours, "MuJoCo")}
    for _ in range(rounds):
        for name, seconds in ours.items():
            times[name].append(1e6 * seconds() / OUR_STEPS)
        times["MuJoCo"].append(1e6 * other.seconds(STEPS) / STEPS)
    if not 0.5 * SPEED < other.speed < 1.5 * SPEED or other.gap > 0.01:
        raise RuntimeError(f"MuJoCo's car went astray: {other.speed:.3g} m/s, {other.gap:.2g} m")
    findings, lines = Findings(), []
    middle = {name: float(np.median(taken)) for name, taken in times.items()}
    for name, taken in times.items():
        ratio, best = middle["MuJoCo"] / middle[name], min(taken)
        lines.append([name, f"{middle[name]:.1f}", f"{best:.1f}", f"{ratio:.1f}"])
        findings.rows.append({"car": name, "median": middle[name], "best": best, "ratio": ratio})
        if name != "MuJoCo":
            findings.bars.append(Bar(f"car, {name}: MuJoCo's step by ours", ratio, LEAST))
            what = f"car, {name}: µs of an RK4 step by {MOST:g}"
            findings.bars.append(Bar(what, middle[name] / MOST, 1.0, at_least=False))
    show(HEADERS, lines, left=1)
    for name, car in cars.items():
        row = row_of(f"car, {name}: best of {RUNS}", best_of(car.plant, slalom(), "rk4", RUNS)[0])
        findings.rows.append(row)
        what = f"car, {name}: worst period over the median"
        findings.bars.append(Bar(what, row["ratio"], WORST, at_least=False))
    facts = {"ours": OUR_STEPS, "steps": STEPS, "rounds": rounds, "runs": RUNS}
    note(LEGEND.format(**facts, gap=1e3 * other.gap))
    return findings


if __name__ == "__main__":
    found = run()
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
