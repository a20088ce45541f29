"""A simulated device at the simplified piano actions, and at a plant that runs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import inloop as il
from inloop.devices import (
    COARSE,
    SMOOTH,
    Coupling,
    Encoder,
    FilteredDifferences,
    Finger,
    Rig,
    Station,
)
from inloop.gallery import get

FRONT = 0.1016  # L1 of the source [m]


class SteppedBox:
    """A stepper that looks like a mailbox; a step that cannot be done leaves everything."""

    def __init__(self, stepper: Any) -> None:
        self.stepper, self.stuck = stepper, 0

    def write(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self.stepper.inputs[name] = value

    def read(self) -> SteppedBox:
        return self

    def __getitem__(self, name: str) -> float:
        try:
            return self.stepper[name]
        except il.SimulationError:
            return math.nan

    def step(self) -> None:
        try:
            self.stepper.step()
        except il.SimulationError:
            self.stuck += 1


def play(springs: bool, rig: Rig, step: float) -> tuple[Station, list[float]]:
    """One lift by 25 mm; the station and the forces of its motor."""
    driven = "hand" if springs else "key"
    action = get("simple_action").make(springs=springs).compile()
    rest = next(iter(action.by_mode.values())).equilibrium()
    box, carried = SteppedBox(action.stepper(step=step, q=rest.q)), rest[f"{driven}.effort"] / FRONT
    rig = replace(rig, finger=Finger(400.0, 4.0, carried), reserve=0.2)
    station, forces, t, t_model = Station(box, driven, rig, arm=FRONT), [], 0.0, 0.0
    while t < 1.2 and abs(station.handle.position) < 0.08:
        forces.append(station.step(0.025 * min(max((t - 0.2) / 0.3, 0.0), 1.0)))
        t += rig.period
        while t_model < t - 1e-9:
            box.step()
            t_model += step
    return station, forces


def test_a_runs_away_behind_the_coarse_encoder_and_b_does_not() -> None:
    """The result of Gillespie and Cutkosky, felt through the chain."""
    rigid, forces = play(False, COARSE, 2e-3)
    # from the first lift on the motor gives all it has, to and fro, and puts energy in
    at_limit = [abs(force) == 40.0 for force in forces]
    assert sum(at_limit) > 0.7 * len(forces[at_limit.index(True) :])
    assert rigid.panel()["passive"] is False

    soft, forces = play(True, COARSE, 2e-3)
    assert max(map(abs, forces)) < 20.0
    assert soft.panel()["passive"] is True and soft.panel()["saturated"] is False
    # the finger holds the handle where it wants it, within the weight's few millimeters
    assert soft.handle.position == pytest.approx(0.025, abs=0.015)


def test_both_work_behind_a_better_sensor() -> None:
    """With a period lost on the way; the loop stands a displayed mass of 3.3 kg, A has 2.3 kg."""
    rig = replace(SMOOTH, delay=SMOOTH.period)
    assert rig.sampled_loop().mass_limit(1e-3) > 3.0
    for springs in (False, True):
        station, forces = play(springs, rig, rig.period)
        assert max(map(abs, forces)) < 20.0
        assert station.panel()["passive"] is True
        assert station.box.stuck == 0  # type: ignore[attr-defined]


def test_a_finger_meets_a_spring_in_a_plant_that_runs() -> None:
    """Two springs in series: the handle rests where their forces are equal."""
    m = il.Model("spring", gravity=(0.0, 0.0, 0.0))
    key = m.body("key", on=m.ground, joint=il.prismatic("x"), mass=0.13)
    m.joint_force(key, lambda q, qd: -60.0 * q)
    m.drive(key)
    name, panels = f"test-station-{os.getpid()}", []
    rig = Rig(
        period=2e-3,
        finger=Finger(400.0, 6.0),
        sensor=lambda: Encoder(1e-5),
        estimator=lambda T: FilteredDifferences(T, 70.0),
    )
    clock = il.ScriptedClock()
    with il.start(m.compile(), name=name, rate=500.0, clock=clock) as loop, il.attach(name) as box:
        station = Station(box, "key", rig)

        class Driven:
            """Whoever sleeps lets the time of the plant pass."""

            @property
            def now(self) -> float:
                return loop.clock.now

            def sleep_until(self, time: float) -> None:
                loop.clock.advance_to(time)

        def rests() -> bool:
            last = [panel["handle"] for panel in panels[-4:]]
            return len(panels) > 10 and max(last) - min(last) < 1e-5

        options = {"every": 0.05, "stop": rests, "seconds": 20.0, "clock": Driven()}
        station.run(lambda: 0.01, publish=panels.append, **options)
        assert loop.report().overruns == 0
    assert rests()
    assert station.skipped == 0
    assert station.handle.position == pytest.approx(0.01 * 400.0 / 460.0, rel=0.02)
    assert panels[-1]["force"] == pytest.approx(-60.0 * station.handle.position, rel=0.05)
    # what the spring holds was taken from the hand
    assert panels[-1]["energy"] > 0.5 * 60.0 * 0.0085**2


def test_a_coupling_holds_a_free_mechanism() -> None:
    """Three springs in series, 400, 250 and 60 N/m, and a lever of 0.2 m in between."""
    m = il.Model("lever", gravity=(0.0, 0.0, 0.0))
    key = m.body("key", on=m.ground, joint=il.revolute("y"), mass=0.1, inertia=(4e-3,) * 3)
    m.joint_force(key, lambda q, qd: -0.04 * (60.0 * q + 3.0 * qd))
    m.joint_input(key)
    box = SteppedBox(m.compile().stepper(step=1e-3))
    rig = Rig(finger=Finger(400.0, 5.0), sensor=lambda: Encoder(1e-7))
    station = Station(box, "key", rig, arm=0.2, coupling=Coupling(250.0, 0.3))
    for _ in range(4000):
        station.step(0.02)
        box.step()
    force = 0.02 / (1 / 400 + 1 / 250 + 1 / 60)
    assert station.chain.command == pytest.approx(-force, rel=1e-4)
    assert station.handle.position == pytest.approx(0.02 - force / 400, rel=1e-4)
    assert box["key.q"] == pytest.approx(force / 60 / 0.2, rel=1e-4)


def test_the_panel_tells_the_range_of_stiffness() -> None:
    station = Station(None, "key", replace(COARSE, substeps=4))  # type: ignore[arg-type]
    assert station.panel()["stiffness"] is None
    station.measure()
    found = station.panel()["stiffness"]
    # what the authors of the source could display: springs of up to 100 N/m
    assert found["passive"] == pytest.approx(100.0)
    assert found["stable"] == pytest.approx(100.0, rel=0.01)
    assert found["measured"] == pytest.approx(100.0, rel=0.05)
    assert found["controlled"] > found["measured"]
