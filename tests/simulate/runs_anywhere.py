"""Runs that need no compiler: the same script with one and without one, told as JSON.

python runs_anywhere.py      # what each run gives
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import inloop as il
from inloop import gallery

# one full swing from 90°: T = 4 K(sin 45°) √(l/g), K by the arithmetic-geometric mean
SWING = 2.0 * math.pi / math.sqrt(9.81)
for _a, _b in [(1.0, math.cos(math.pi / 4.0))]:
    while _a - _b > 1e-15:
        _a, _b = (_a + _b) / 2.0, math.sqrt(_a * _b)
    SWING /= _a


def last(result: il.Result) -> dict[str, Any]:
    return {"q": list(result.q[-1]), "qd": list(result.qd[-1]), "samples": len(result.t)}


def pendulum() -> dict[str, Any]:
    """Fixed steps, a tolerance, a linearization, an equilibrium, many runs."""
    plant = gallery.get("pendulum").build().compile()
    found = {"rk4": last(plant.simulate(t_end=SWING, step=SWING / 500, method="rk4"))}
    # these are only compared with compiled ones: a few steps show it
    found |= {m: last(plant.simulate(t_end=0.2, step=5e-3, method=m))
              for m in ("euler", "implicit", "rodas")}  # fmt: skip
    linear = plant.linearize(q={"angle": 0.0})
    many = plant.simulate_many(t_end=0.05, step=1e-3, q={"angle": np.array([0.1, 0.9])})
    modes = plant.eigenmodes(q={"angle": 0.0})
    return {
        **found,
        "A": np.asarray(linear.A).tolist(),
        "equilibrium": list(plant.equilibrium(q={"angle": 0.2}).q),
        "many": many.q[:, -1, 0].tolist(),
        "frequency": float(np.ravel(modes.frequencies)[0]),
    }


def double_pendulum() -> dict[str, Any]:
    """Steps that are chosen by their error."""
    plant = gallery.get("double_pendulum").build().compile()
    found = {m: plant.simulate(t_end=1.0, step=0.1, method=m, tolerance=1e-9)
             for m in ("dopri", "rodas")}  # fmt: skip
    return {
        m: {**last(r), "energy": r.energy[[0, -1]].sum(axis=1).tolist()} for m, r in found.items()
    }


def four_bar() -> dict[str, Any]:
    """A loop, with forces in its cut and reactions of a joint."""
    plant = gallery.get("four_bar").build().compile()
    run = plant.simulate(t_end=0.1, step=1e-3, reactions="all")
    names = sorted(name for name in run.signals if name.startswith(("lam.", "bar_1.force")))
    return {
        **last(run),
        "forces": {name: float(run[name][-1]) for name in names},
        "violation": float(np.abs(run.violation).max()),
        "energy": run.energy[[0, -1]].sum(axis=1).tolist(),
    }


def bouncing_ball() -> dict[str, Any]:
    """Events that accumulate, and the rest behind them."""
    plant = gallery.get("bouncing_ball").build().compile()
    run = plant.simulate(t_end=9.0, step=1e-2)
    return {**last(run), "impacts": [event.t for event in run.events[:20]]}


def stick_slip() -> dict[str, Any]:
    """A law with a state, stiff."""
    run = gallery.get("stick_slip").build().compile().simulate(t_end=0.1, step=1e-3)
    return {**last(run), "z": float(run.end.z[0]), "method": run.method}


def crank() -> dict[str, Any]:
    """A driven loop that follows a function of time, and samples."""
    m = il.Model("crank", gravity=(0.0, 0.0, 0.0))
    arm = m.body("arm", on=m.ground, joint=il.revolute("z"), mass=0.3, inertia=(0.1, 0.1, 0.1))
    rod = m.body("rod", on=arm.point("pin", (0.2, 0, 0)), joint=il.revolute("z"), mass=0.4,
                 com=(0.25, 0, 0), inertia=(0.1, 0.1, 0.1))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.7), mass=0.5)
    m.close(rod.point("end", (0.5, 0.0, 0.0)), slider.origin, name="eye")
    m.drive(arm)
    plant = m.compile()
    led = plant.simulate(t_end=1.0, step=1e-2, arm=lambda t: 2.0 * t)
    times = np.linspace(0.0, 1.2, 21)
    sampled = plant.simulate(t_end=1.0, step=1e-2, arm=(times, 2.0 * times))
    return {"led": last(led), "sampled": last(sampled), "effort": float(led["arm.effort"][-1])}


def controlled() -> dict[str, Any]:
    """A controller with a period; the same by a stepper, which goes back in between."""
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    plant = m.compile()

    def pd(t: float, outputs: Any) -> dict[str, float]:
        return {"rail.tau": 90.0 * (0.25 - outputs["rail.q"]) - 14.0 * outputs["rail.qd"]}

    run = plant.simulate(t_end=0.2, step=1e-3, controller=pd, period=5e-3)
    stepper = plant.stepper(step=1e-3)
    for k in range(200):
        if k == 77:
            kept = stepper.snapshot()
            stepper.tau["rail"], held = 1e3, stepper.tau["rail"]
            stepper.step()
            stepper.restore(kept)
            stepper.tau["rail"] = held
        if k % 5 == 0:
            stepper.tau["rail"] = pd(0.0, stepper)["rail.tau"]
        stepper.step()
    m.controller(pd, period=5e-3)  # the same as part of the plant
    inside = m.compile().simulate(t_end=0.2, step=1e-3)
    return {**last(run), "stepped": stepper["rail.q"], "inside": float(inside["rail.q"][-1])}


RUNS: dict[str, Callable[[], dict[str, Any]]] = {
    run.__name__: run
    for run in (pendulum, double_pendulum, four_bar, bouncing_ball, stick_slip, crank, controlled)
}

if __name__ == "__main__":
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        results = {name: run() for name, run in RUNS.items()}
    print(json.dumps({"runs": results, "notes": [str(note.message) for note in told]}))
