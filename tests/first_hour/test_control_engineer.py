"""An hour of a control engineer: a plant of my own, my controller, the same simulated and run."""

from __future__ import annotations

import csv
import json

import numpy as np
from desk import Desk

MASS, PERIOD, GOAL, P, D = 1.3, 5e-3, 0.25, 90.0, 14.0

FILES = {
    "cart.py": f"""
import inloop as il

model = il.Model("cart")
model.body("cart", on=model.ground, joint=il.prismatic("x", name="rail"), mass={MASS})


def pd(t, outputs):
    return {{"rail.tau": {P} * ({GOAL} - outputs["rail.q"]) - {D} * outputs["rail.qd"]}}
""",
    "compare.py": f"""
import json
import inloop as il
from cart import model, pd

plant = model.compile()
result = plant.simulate(t_end=0.5, step=1e-3, controller=pd, period={PERIOD})
report = il.run(plant, name="first-hour-cart", rate=1000, seconds=0.5, mode="lock-step",
                controller=pd, period={PERIOD})
linear = plant.linearize()
print(json.dumps({{"simulated": result["rail.q"][-1], "run": report.outputs["rail.q"],
                  "A": linear.A.tolist(), "status": result.status}}))
""",
}
COMMANDS = (
    f"inloop run cart.py --controller pd --period {PERIOD} --seconds 1 "
    "--save run.csv --plot run.png",
    "python compare.py",
)


def exact(count: int) -> np.ndarray:
    """Positions at the samples: a double integrator under a force that is held, step by step."""
    x, found = np.zeros(2), []
    T = PERIOD
    for _ in range(count):
        found.append(x[0])
        force = P * (GOAL - x[0]) - D * x[1]
        x = np.array([x[0] + T * x[1] + T**2 / 2.0 * force / MASS, x[1] + T * force / MASS])
    return np.array(found)


def test_the_hour(desk: Desk) -> None:
    *_, compared = map(desk.types, COMMANDS)
    with (desk.folder / "run.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    samples = np.array([float(row["rail.q"]) for row in rows])[::5]
    np.testing.assert_allclose(samples, exact(len(samples)), atol=1e-12)
    assert abs(samples[-1] - GOAL) < 2e-3
    assert (desk.folder / "run.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(compared)
    assert told["status"] == "OK"
    assert told["run"] == told["simulated"]  # to the last bit
    np.testing.assert_allclose(told["A"], [[0.0, 1.0], [0.0, 0.0]], atol=1e-12)
