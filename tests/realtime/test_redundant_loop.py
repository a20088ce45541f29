"""Bodies with six coordinates each, against the clock: recorded, replayed, held, tuned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from realtime_arm import own_name

import inloop as il
from inloop.realtime import Grip, Recording, replay
from inloop.realtime.recordings.recorder import Recorder

RATE = 1000.0
R, LENGTH = 0.2, 0.5  # of crank and rod [m]


def slider_crank() -> il.Model:
    """With a live length of its rod, and an input at its slider."""
    m = il.Model("slider_crank", gravity=(0.0, 0.0, -9.81))
    length = m.parameter("length", LENGTH, unit="m")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=0.9), mass=0.8,
                   com=(0.1, 0.0, 0.0), inertia=(0.01, 0.02, 0.03))  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (R, 0.0, 0.0)), joint=il.revolute("y", guess=-1.2),
                 mass=0.5, com=(0.2, 0.0, 0.0), inertia=(0.02, 0.03, 0.04))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=1.2)
    m.close(rod.point("end", (length, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)))
    m.joint_input("slider")
    return m


@pytest.fixture(scope="module")
def bodies() -> il.Plant:
    return slider_crank().compile(formulation="redundant", damping=0.4, solves=3)


def test_a_run_with_inputs_hands_and_live_lengths_is_replayed_to_the_bit(
    bodies: il.Plant, tmp_path: Path
) -> None:
    path = tmp_path / "crank.mcap"
    with (
        own_name("crank") as name,
        il.start(bodies, name=name, rate=RATE, clock=il.ScriptedClock()) as loop,
    ):
        box = loop.mailbox
        recorder = Recorder(box, path)
        for k in range(6):
            box.write([0.0, 0.0, 0.5 * k])
            box.parameters["length"] = LENGTH + 1e-3 * k
            if k == 3:
                box.hand.hold(Grip("slider", (0.9, 0.0, 0.1), 60.0, 1.0))
            loop.clock.advance(0.02 + 1e-9)
            while recorder.take():
                pass
        recorder.finish()
        recorder.close()
        assert loop.close().status == "OK"
    recording = Recording(path)
    assert recording.facts["formulation"] == "redundant"
    assert (recording.facts["damping"], recording.facts["solves"]) == ("0.4", "3")
    samples = list(recording)
    names = list(recording.layout.output_names)
    a, x = (samples[-1].values[names.index(n)] for n in ("crank.q", "slider.q"))
    length = LENGTH + 5e-3
    assert x == pytest.approx(R * np.cos(a) + np.sqrt(length**2 - (R * np.sin(a)) ** 2), abs=1e-9)
    assert np.ptp([s.values[names.index("slider.q")] for s in samples]) > 1e-3
    found = replay(recording, bodies)
    assert found.identical and found.steps == 120, found.first
    with pytest.raises(il.InputError, match="formulation of the plant was redundant"):
        replay(recording, slider_crank().compile())
    recording.facts["solves"] = "2"
    with pytest.raises(il.InputError, match="solves of the plant was 2, here it is 3"):
        replay(recording, bodies)


def end_with_held_forces(plant: il.Plant, step: float) -> np.ndarray:
    """Of forces at the slider that are noise and change every 4 ms."""
    stepper, held = plant.stepper(step=step), round(4e-3 / step)
    for force in np.random.default_rng(3).normal(scale=20.0, size=50):
        for _ in range(held):
            stepper.step(**{"slider.tau": force})
    return np.array([stepper[name] for name in ("crank.q", "slider.q", "crank.qd", "slider.qd")])


def test_held_forces_move_a_linkage_as_in_the_reduced_formulation(bodies: il.Plant) -> None:
    expected = end_with_held_forces(slider_crank().compile(), 5e-4)
    errors = [np.abs(end_with_held_forces(bodies, h) - expected).max() for h in (4e-3, 2e-3, 1e-3)]
    assert errors[2] < 1e-4
    assert errors[0] / errors[2] > 12.0
