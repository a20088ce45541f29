"""Observers as controllers: in a simulation, in lock-step, at a mailbox, over a recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import inloop as il

PERIOD = 2e-3


def observer_of(plant: il.Plant) -> il.observers.Observer:
    return il.observer(
        plant, measured={"rail.q": 1e-4}, disturbances={"rail.tau": 0.2},
        doubt={"rail.q": 0.05, "rail.qd": 0.3}, period=PERIOD,
    )  # fmt: skip


def pd(t: float, estimate: il.observers.Estimate) -> dict[str, float]:
    return {"rail.tau": -60.0 * (estimate["rail.q"] - 0.02) - 15.0 * estimate["rail.qd"]}


def test_a_controller_that_reads_estimates_does_the_same_in_lock_step(oscillator: il.Plant) -> None:
    controller = observer_of(oscillator).leading(pd)
    common = {"q": {"rail": 0.05}, "controller": controller}
    simulated = oscillator.simulate(t_end=0.4, step=PERIOD, **common)
    report = il.run(
        oscillator, name="observed-in-lock-step", mode="lock-step", rate=1.0 / PERIOD, seconds=0.4,
        **common,
    )  # fmt: skip
    assert report.outputs["rail.q"] == simulated["rail.q"][-1]
    # it settles where spring and controller balance
    assert simulated["rail.q"][-1] == pytest.approx(60.0 * 0.02 / 97.0, abs=2e-3)


def test_an_observer_at_a_mailbox(oscillator: il.Plant) -> None:
    observer, values = observer_of(oscillator), []
    rate, clock = 1.0 / PERIOD, il.ScriptedClock()
    with (
        il.start(oscillator, name="observed", rate=rate, clock=clock, q={"rail": 0.05}) as loop,
        il.attach("observed") as box,
    ):
        for k in range(40):
            box.write({"rail.tau": 1.0 + k})
            loop.clock.advance(PERIOD)
            values.append(observer.step(box.peek()))
        expected = box.peek()["rail.qd"]
    assert observer.lost == 0
    assert values[-1]["rail.qd"] == pytest.approx(expected, abs=1e-3)
    assert values[-1].t == pytest.approx(40 * PERIOD)


def test_estimates_over_a_run(oscillator: il.Plant) -> None:
    def push(t: float, outputs: object) -> dict[str, float]:
        return {"rail.tau": 3.0 * np.sin(9.0 * t)}

    run = oscillator.simulate(
        t_end=0.6, step=PERIOD, controller=push, q={"rail": 0.05}, qd={"rail": 0.4}
    )
    draw = np.random.default_rng(1)
    rows = {"t": run.t, "rail.q": run["rail.q"] + 1e-4 * draw.normal(size=len(run.t)),
            "rail.tau": run["rail.tau"]}  # fmt: skip
    found = observer_of(oscillator).follow(rows, inputs="after")
    error = (found["rail.qd"] - run["rail.qd"]) / found.deviations["rail.qd"]
    assert np.abs(error[20:]).max() < 4.5
    assert 0.5 < np.std(error[20:]) < 1.5 or np.abs(error[20:]).max() < 3.0
    assert il.observers.nis(found.nis, 1).mean == pytest.approx(1.0, rel=0.3)
    # a row too late, the inputs no longer fit
    wrong = observer_of(oscillator).follow({**rows, "rail.tau": -rows["rail.tau"]}, inputs="after")
    assert (
        np.abs(wrong["rail.qd"] - run["rail.qd"])[20:].max()
        > 4 * np.abs(found["rail.qd"] - run["rail.qd"])[20:].max()
    )
    itself = observer_of(oscillator).follow(run)
    assert np.abs(itself["rail.qd"] - run["rail.qd"])[100:].max() < 2e-3


def test_the_figure_of_a_run(oscillator: il.Plant, tmp_path: Path) -> None:
    run = oscillator.simulate(t_end=0.1, step=PERIOD, q={"rail": 0.05})
    found = observer_of(oscillator).follow(run)
    figure = found.plot("rail.q", "rail.qd", file=tmp_path / "run.png")
    assert len(figure.axes) == 2
