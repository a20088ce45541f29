"""Sensors against the clock: the same as in a simulation, told by the mailbox and by recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from realtime_arm import do_steps

import inloop as il
from inloop.devices import Delay, Instruments, Noise
from inloop.gallery.four_bar import four_bar
from inloop.realtime import Recording, record
from inloop.realtime.elements import contacts_of, sensors_of, signals_by_sensor


def double_pendulum() -> il.Model:
    m = il.Model("double_pendulum")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y", initial=(1.0, 0.5)), mass=1.0,
                   com=(0, 0, -0.5))  # fmt: skip
    lower = m.body("lower", on=upper.point("end", (0, 0, -1)), joint=il.revolute("y"), mass=0.5,
                   com=(0, 0, -0.4))  # fmt: skip
    m.sensor("imu", il.sensors.imu(lower))
    m.sensor("elbow", il.sensors.joint_torque(lower))
    m.sensor("reach", il.sensors.distance(lower.com_point, m.ground))
    return m


def couplers() -> il.Model:
    m = four_bar()
    m.sensor("imu", il.sensors.imu("coupler_1.end"))
    m.sensor("torque", il.sensors.joint_torque("bar_1"))
    return m


@pytest.mark.parametrize("make", [double_pendulum, couplers])
def test_the_loop_tells_what_a_simulation_tells(make: object, name: str) -> None:
    plant = make().compile()  # type: ignore[operator]
    stepper = plant.stepper(step=1e-3, method="rk4")
    result = plant.simulate(t_end=0.2, step=1e-3, method="rk4")
    options = {"rate": 1000.0, "method": "rk4", "paused": True, "clock": il.ScriptedClock()}
    signals = [signal.name for signal in plant.mechanism.sensor_signals]
    with il.start(plant, name=name, **options) as loop:
        for count in (0, 1, 199):
            outputs = do_steps(loop.mailbox, count) if count else loop.mailbox.read()
            for _ in range(count):
                stepper.step()
            k = round(outputs.t * 1000)
            for signal in signals:
                assert outputs[signal] == pytest.approx(stepper[signal], rel=1e-10, abs=1e-10)
                assert outputs[signal] == pytest.approx(result[signal][k], rel=1e-9, abs=1e-9)


def test_mailbox_and_recordings_tell_of_sensors_and_contacts(name: str, tmp_path: Path) -> None:
    m = double_pendulum()
    m.contact("lower", il.point(), m.ground, il.plane(), law=il.power_law(1e3), name="floor")
    plant = m.compile()
    file = tmp_path / "run.mcap"
    options = {"rate": 1000.0, "paused": True, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        record(loop.mailbox, file, stop=lambda: True)
        layout = loop.mailbox.layout
        units = {signal.name: signal.unit for signal in layout.signals}
    imu = sensors_of(layout)["imu"]
    assert imu["kind"] == "imu" and imu["at"] == ["lower"]
    assert imu["signals"]["imu.accel.x"] == "m/s²" and units["imu.accel.x"] == "m/s^2"
    assert contacts_of(layout)["floor"]["between"] == ["lower", "ground"]
    assert contacts_of(layout)["floor"]["outputs"]["gap"] == "floor.gap"
    recording = Recording(file)
    assert sensors_of(recording.layout) == sensors_of(layout)
    assert contacts_of(recording.layout) == contacts_of(layout)
    assert signals_by_sensor(layout) == plant.mechanism.signals_by_sensor


def test_devices_between_a_running_plant_and_a_controller(name: str) -> None:
    plant = double_pendulum().compile()
    options = {"rate": 1000.0, "paused": True, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        box = loop.mailbox
        fitted = {"imu": lambda k: [Noise(0.0, bias=0.5), Delay(1)]}
        instruments = Instruments(signals_by_sensor(box.layout), fitted)
        before = box.read()
        instruments.read(before)
        now = do_steps(box, 1)
        told = instruments.read(now)
    assert told["imu.gyro.y"] == before["imu.gyro.y"] + 0.5 != now["imu.gyro.y"] + 0.5
    assert told["elbow"] == now["elbow"]
