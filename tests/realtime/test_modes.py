"""Plants with modes in the loop: the same machine, step for step, as offline."""

from __future__ import annotations

import time

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.realtime import Outputs


def plant_of(mechanism: str) -> il.Plant:
    return gallery.get(mechanism).build().compile()


@pytest.mark.parametrize(("mechanism", "seconds"), [("bouncing_ball", 4.0), ("simple_action", 1.0)])
def test_steps_as_the_stepper_does(name: str, mechanism: str, seconds: float) -> None:
    plant = plant_of(mechanism)
    report = il.run(plant, name=name, rate=1000.0, mode="free", seconds=seconds)
    stepper, events = plant.stepper(step=1e-3), 0
    for _ in range(round(1000 * seconds)):
        stepper.step()
        events += len(stepper.events)
    end, outputs = stepper.look(), report.outputs
    assert outputs is not None
    assert (report.status, report.failed) == ("OK", 0)
    np.testing.assert_allclose(outputs.q, end.q[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(outputs.qd, end.qd[0], rtol=0, atol=1e-12)
    for signal, values in end.signals.items():
        if signal in outputs.names:
            assert outputs[signal] == pytest.approx(values[0], rel=1e-9, abs=1e-9)
    assert list(plant.by_mode)[int(outputs["mode"])] == stepper.mode
    assert outputs["events"] == report.statistics["events"] == events > 2


def test_the_impacts_are_those_of_the_closed_form(name: str) -> None:
    """At sqrt(2 h / g), then flights of 2 e^k sqrt(2 h / g); in the end the ball lies still."""
    plant = plant_of("bouncing_ball")
    g, e = plant.parameters["g"], plant.parameters["e"]
    first = np.sqrt(2.0 / g)
    with il.start(plant, name=name, rate=1000.0, mode="free", seconds=9.0, telemetry=10) as loop:
        assert loop.wait(30)
        records = []
        while (record := loop.mailbox.next()) is not None:
            records.append(record)
        assert dict(loop.mailbox.layout.about)["modes"] == "flight rest"
    times = first + np.concatenate([[0.0], np.cumsum(2 * first * e ** np.arange(1, 6))])
    for count, t in enumerate(times, start=1):
        seen = next(r.t for r in records if r["events"] >= count)
        assert -1e-9 <= seen - t <= 1e-3 + 1e-9
    resting = [r for r in records if r["mode"] == 1.0]
    assert abs(resting[0].t - first * (1 + e) / (1 - e)) < 2e-3
    assert resting[-1].q[0] == pytest.approx(0.0, abs=1e-12)
    # what a mode does not have is not a number
    assert np.isnan(records[0]["lam.floor.hold"])
    assert abs(resting[-1]["lam.floor.hold"]) == pytest.approx(g * plant.parameters["mass"])


def test_snapshots_and_parameters_reach_all_modes(name: str) -> None:
    plant = plant_of("bouncing_ball")
    with il.start(plant, name=name, rate=1000.0, paused=True) as loop:
        box = loop.mailbox

        def advance(count: int) -> Outputs:
            target = box.read().step + count
            box.step(count)
            while (record := box.read()).step < target:
                time.sleep(0.001)
            return record

        start, middle = box.read(), advance(1500)
        end = advance(1500)
        box.restore(middle.snapshot)
        np.testing.assert_array_equal(advance(1500).values, end.values)
        # a ball that does not bounce lies after its first impact
        box.restore(start.snapshot)
        box.parameters["e"] = 0.0
        assert advance(1000)["mode"] == 1.0
