"""A force-feedback wheel: reports in, one force out, and zero on anything unusual."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from mock_wheel import AXES, NAME, MockWheel

import inloop as il
from inloop.cli.commands.links.wheel import stability
from inloop.errors import LinkError, MailboxError
from inloop.links.wheel import Feel, Pedal, WheelLink, WheelProfile, find_wheels
from inloop.links.wheel.calibration import calibrate
from inloop.links.wheel.event_device import (
    ABS,
    AUTOCENTER,
    CONSTANT,
    EVENT,
    FF,
    GAIN,
    READ,
    WRITE,
    Effect,
    request,
)
from inloop.links.wheel.feel import Hand
from inloop.links.wheel.link import PlantPort
from inloop.links.wheel.profile import BUTTONS, profile_path, usual_profile

PERIOD = 0.004  # [s]
PEDALS = {"throttle": Pedal(2, 255, 0), "brake": Pedal(5, 255, 0), "clutch": Pedal(1, 255, 0)}
PROFILE = WheelProfile(NAME, turn=900.0, torque=2.1, rate=250.0, pedals=PEDALS)
PLAIN = Feel(gain=0.2, limit=1.5, damping=0.0, ramp=0.0)


class Plant:
    """Shows a torque, and keeps what it is led by."""

    def __init__(self) -> None:
        self.shown: float | None = 3.0
        self.inputs: list[dict[str, float]] = []
        self.rested = False
        self.resets = 0

    def torque(self) -> float | None:
        return self.shown

    def lead(self, values: dict[str, float]) -> None:
        self.inputs.append(dict(values))

    def reset(self) -> None:
        self.resets += 1

    def rest(self) -> None:
        self.rested = True


class Bench:
    """A wheel, a plant and a clock that a test moves."""

    def __init__(self, feel: Feel = PLAIN) -> None:
        self.wheel, self.plant, self.now = MockWheel(), Plant(), 10.0
        self.said: list[str] = []
        self.link = WheelLink(self.plant, PROFILE, feel, self.wheel.open, self.said.append)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.link.step(self.now)
            self.now += PERIOD


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.link.close()
    made.wheel.close()


def test_250_reports_a_second_reach_the_plant(bench: Bench) -> None:
    bench.step()
    for k in range(250):
        bench.wheel.report(0, 32767 + 40 * k)
        bench.step()
    assert bench.link.statistics.reports == 250
    # counts grow to the right, left is positive: 450° are 32767.5 counts
    angles = [values["steering"] for values in bench.plant.inputs[1:]]
    wanted = [-math.radians(450.0) * (40 * k - 0.5) / 32767.5 for k in range(250)]
    assert angles == pytest.approx(wanted, abs=1e-12)


def test_pedals_are_parts_of_their_way(bench: Bench) -> None:
    bench.step()
    assert bench.plant.inputs[-1] == pytest.approx(
        {"steering": math.radians(450.0) * 0.5 / 32767.5, "throttle": 0, "brake": 0, "clutch": 0}
    )
    for code, value in ((2, 51), (5, 0), (1, 255)):
        bench.wheel.report(code, value)
    bench.step()
    found = bench.plant.inputs[-1]
    assert (found["throttle"], found["brake"], found["clutch"]) == pytest.approx((0.8, 1.0, 0.0))


def test_the_force_follows_at_the_rate_of_the_device(bench: Bench) -> None:
    bench.step(2)
    assert bench.wheel.level == pytest.approx(0.2 * 3.0 / 2.1, abs=1e-4)
    sent = len(bench.wheel.levels)
    bench.step(50)
    assert len(bench.wheel.levels) == sent  # only what changes is sent
    for k in range(40):
        bench.plant.shown = 0.1 * k
        bench.step()
    assert len(bench.wheel.levels) == sent + 40
    bench.plant.shown = -40.0
    bench.step()
    assert bench.wheel.level == pytest.approx(-1.5 / 2.1, abs=1e-4)
    assert bench.link.statistics.clipped == 1
    bench.wheel.hear()
    # full gain, no spring of its own, and played again before it ends by itself
    assert bench.wheel.played[:2] == [(0x60, 0xFFFF), (0x61, 0)]
    plays = [value for code, value in bench.wheel.played if code == 3]
    assert plays == [1] * len(plays) and len(plays) >= 0.37 / 0.2


@pytest.mark.parametrize("unusual", [None, math.nan, math.inf])
def test_nothing_is_felt_of_a_plant_that_stands_or_fails(
    bench: Bench, unusual: float | None
) -> None:
    bench.step(2)
    assert bench.wheel.level > 0.2
    bench.plant.shown = unusual
    bench.step()
    assert bench.wheel.level == 0.0


def test_unplugged_the_force_is_zero_within_a_period_and_the_car_drives_on(bench: Bench) -> None:
    bench.step(3)
    bench.wheel.report(0, 30000)
    bench.wheel.report(2, 0)
    bench.step()
    driven = bench.plant.inputs[-1]
    assert driven["throttle"] == 1.0 and bench.link.force > 0.5
    bench.wheel.unplug()
    bench.step()
    assert bench.link.force == 0.0
    bench.step(100)
    kept = bench.plant.inputs[-1]
    assert kept == {"steering": driven["steering"], "throttle": 0, "brake": 0, "clutch": 0}
    assert len(bench.plant.inputs) >= 104  # each period goes on
    # plugged again: the force begins at zero, the wheel is followed without a jump
    bench.wheel.axes[0] = (50000, 0, 65535)
    bench.wheel.plugged = True
    before = len(bench.wheel.levels)
    bench.step(100)
    assert bench.wheel.levels[before] == 0
    angles = [values["steering"] for values in bench.plant.inputs[-100:]]
    steps = [abs(b - a) for a, b in pairwise(angles)]
    assert max(steps) <= 20.0 * PERIOD + 1e-12
    assert angles[-1] == pytest.approx(-math.radians(450.0) * (50000 - 32767.5) / 32767.5)
    assert bench.wheel.level == pytest.approx(0.2 * 3.0 / 2.1, abs=1e-4)
    assert bench.link.statistics.lost == 1
    assert [text.split(":")[0] for text in bench.said] == [
        "the wheel is gone", "the wheel is there again",
    ]  # fmt: skip


def test_at_the_end_there_is_no_force_and_others_may_drive(bench: Bench) -> None:
    bench.step(3)
    bench.link.close()
    bench.wheel.hear()
    assert bench.wheel.level == 0.0 and bench.wheel.played[-1] == (3, 0)
    assert bench.plant.rested


NUMBERS = r"""
#include <linux/input.h>
#include <stddef.h>
#include <stdio.h>
int main(void) {
    printf("%zu %zu %zu %zu ", sizeof(struct input_event), sizeof(struct ff_effect),
           offsetof(struct ff_effect, replay.length), offsetof(struct ff_effect, u.constant.level));
    printf("%lu %lu %lu %lu ", (unsigned long)EVIOCSFF, (unsigned long)EVIOCGNAME(256),
           (unsigned long)EVIOCGBIT(EV_FF, 96), (unsigned long)EVIOCGABS(ABS_X));
    printf("%d %d %d %d %d", EV_ABS, EV_FF, FF_CONSTANT, FF_GAIN, FF_AUTOCENTER);
    return 0;
}
"""


def test_numbers_are_those_of_the_kernel(
    tmp_path: Path, require_file: Callable[[str, str], None]
) -> None:
    require_file("/usr/include/linux/input.h", "linux-libc-dev")
    require_file("/usr/bin/cc", "gcc")
    (tmp_path / "numbers.c").write_text(NUMBERS)
    program = tmp_path / "numbers"
    subprocess.run(["/usr/bin/cc", "-o", program, tmp_path / "numbers.c"], check=True)
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert [int(word) for word in told.split()] == [
        EVENT.size, ctypes.sizeof(Effect), Effect.length.offset, Effect.force.offset,
        request(WRITE, 0x80, ctypes.sizeof(Effect)), request(READ, 0x06, 256),
        request(READ, 0x20 + FF, 96), request(READ, 0x40, 24),
        ABS, FF, CONSTANT, GAIN, AUTOCENTER,
    ]  # fmt: skip


def test_what_is_felt() -> None:
    feel = Feel(gain=0.5, limit=4.0, damping=0.2, stop=2.0, stop_stiffness=10.0, ramp=0.4)
    hand = Hand(feel, PERIOD)
    # it comes in within 0.4 s, from zero
    come = [hand.torque(2.0, 0.0).torque for _ in range(150)]
    assert come[0] == 0.0 and come[50] == pytest.approx(0.5, abs=1e-9) and come[-1] == 1.0
    # turned at 3 rad/s, damping acts against it: 0.5·2 - 0.2·3
    angle, torque = 0.0, 0.0
    for k in range(1, 100):
        angle = 3.0 * PERIOD * k
        torque = hand.torque(2.0, angle).torque
    assert torque == pytest.approx(0.4, abs=1e-6)
    # 0.1 rad beyond the stop, at rest: 1 - 10·0.1
    for _ in range(200):
        torque = hand.torque(2.0, 2.1).torque
    assert torque == pytest.approx(0.0, abs=1e-6)
    for _ in range(200):
        felt = hand.torque(2.0, -3.0)
    assert felt.torque == 4.0 and felt.clipped
    # after something unusual it comes in by the ramp again
    assert hand.torque(math.nan, -1.0).torque == 0.0
    assert hand.torque(2.0, -1.0).torque == 0.0 < hand.torque(2.0, -1.0).torque < 0.02


def test_stability_is_told_beside_the_gain() -> None:
    # b = K (T/2 + delay) for a light wheel: Gil, Sanchez, Hulin, Preusche, Hirzinger 2009
    told = stability(PROFILE, Feel(gain=1.0, damping=0.0))
    limit = float(told.split("up to ")[1].split(" ")[0])
    assert limit == pytest.approx(PROFILE.friction / (PERIOD / 2 + PROFILE.delay), rel=0.03)
    assert "softer once released" in told and "a gain of 0.035 is calm" in told
    assert told.endswith("calm") and stability(PROFILE, Feel()).endswith(": stable")


def test_a_short_dialogue_finds_axes_and_directions() -> None:
    wheel = MockWheel()
    device = wheel.open()
    assert device is not None
    asked: list[str] = []
    # what a person does before pressing Enter, by a word of the question
    acts = {
        "to the left": lambda: wheel.report(0, 20000),
        "Press the throttle": lambda: wheel.report(5, 10),
        "Press the brake": lambda: wheel.report(1, 0),
        "gear up": lambda: wheel.press(0x120),
        "for reset": lambda: wheel.press(0x129),
    }

    def ask(question: str) -> str:
        asked.append(question)
        for word, act in acts.items():
            if word in question:
                act()
        if "Let go of it" in question:
            wheel.report(5, 255)
            wheel.report(1, 255)
        answers = {"How far": "540", "How strong": "5,5"}
        return next((text for word, text in answers.items() if word in question), "")

    # the mock turns to the right when it is pushed: its force counts the other way
    found = calibrate(device, ask, lambda _s: wheel.report(0, 40000))
    assert (found.turn, found.torque, found.rate) == (540.0, 5.5, 250.0)
    assert (found.left, found.push) == (-1, -1)
    assert found.pedals == {"throttle": Pedal(5, 255, 10), "brake": Pedal(1, 255, 0)}
    assert found.buttons == {"gear_up": 0x120, "reset": 0x129}
    assert wheel.level == 0.0 and any("clutch" in question for question in asked)
    device.close()
    wheel.close()


def test_a_profile_is_kept_and_a_bad_one_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = profile_path("../../Wheel/One")
    assert path.parent == tmp_path / "inloop" / "wheels"
    PROFILE.save(path)
    assert WheelProfile.load(path) == PROFILE
    for bad in ("[]", "{}", path.read_text().replace("900.0", "9e9"), "no"):
        path.write_text(bad)
        with pytest.raises(LinkError, match="makes no sense"):
            WheelProfile.load(path)
    assert usual_profile("x", {0: (0, 0, 9)}).pedals == {}  # type: ignore[dict-item]
    assert find_wheels(tmp_path) == []


def test_it_drives_a_plant_that_runs(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()), il.attach(name) as box:
        with pytest.raises(LinkError, match=r"no input 'steering\.q'"):
            PlantPort(box, "steering.q", "elbow.qd", {})
        port = PlantPort(box, "push", "elbow.qd", {"throttle": "throttle"})
        assert port.others == {}
        box.clock.advance(0.01)
        assert port.torque() == pytest.approx(float(box.peek()["elbow.qd"]), abs=0)
        wheel = MockWheel(AXES)
        link = WheelLink(port, PROFILE, PLAIN, wheel.open)
        link.step(0.0)
        wheel.report(0, 0)
        for k in range(1, 120):
            link.step(PERIOD * k)
        assert link.angle == pytest.approx(math.radians(450.0))
        before = box.inputs_written
        link.step(1.0)
        assert box.inputs_written == before + 1
        link.close()
        wheel.close()
        assert box.writer is None
        # a plant that has ended is not driven on
        box.stop()
        with pytest.raises(MailboxError, match="has ended"):
            port.lead({"steering": 0.0})


# buttons, and a wheel that nobody holds


def test_buttons_lead_gears_brake_and_reset() -> None:
    bench = Bench()
    bench.link = WheelLink(bench.plant, replace(PROFILE, buttons=BUTTONS), PLAIN, bench.wheel.open)
    bench.step(3)
    assert bench.link.force > 0.5
    found = bench.plant.inputs[-1]
    assert (found["gear"], found["parking"], found["reverse"]) == (0.0, 0.0, 0.0)
    for name in ["gear_down"] * 3 + ["gear_up"] * 3 + ["parking", "reverse", "reverse"]:
        bench.wheel.press(BUTTONS[name])
    bench.step()
    found = bench.plant.inputs[-1]
    # no lower than reverse: -1, then 0, 1, 2
    assert (found["gear"], found["parking"], found["reverse"]) == (2.0, 1.0, 0.0)
    assert bench.plant.resets == 0
    bench.wheel.press(BUTTONS["reset"])
    bench.wheel.press(0x999)  # a button that means nothing
    before = len(bench.wheel.levels)
    bench.step()
    assert bench.plant.resets == 1 and bench.wheel.levels[before] == 0
    bench.link.close()
    bench.wheel.close()


class Rotor:
    """The rim of a wheel that its force moves after a delay, and a hand, if there is one."""

    def __init__(self, hand: tuple[float, float] | None) -> None:
        """A hand is a spring and a damper to an angle that goes to and fro."""
        self.hand, self.angle, self.rate, self.t = hand, 0.3, 0.0, 0.0
        self.coming: list[tuple[float, float]] = []
        self.torque = 0.0

    def go_on(self, torque: float) -> None:
        """One period of the wheel, in small steps."""
        self.coming.append((self.t + PROFILE.delay, torque))
        h = 1e-4
        for _ in range(round(PERIOD / h)):
            while self.coming and self.coming[0][0] <= self.t + 1e-9:
                self.torque = self.coming.pop(0)[1]
            total = self.torque - PROFILE.friction * self.rate
            if self.hand is not None:
                stiffness, damping = self.hand
                total -= stiffness * (self.angle - 0.6 * math.sin(math.pi * self.t))
                total -= damping * self.rate
            self.rate += h * total / PROFILE.inertia
            self.angle += h * self.rate
            self.t += h


def let_swing(
    calm: float, hand: tuple[float, float] | None
) -> tuple[list[tuple[float, float]], WheelLink]:
    """Angles and forces in 4 s before a car of 40 N·m/rad; a gain of 0.2 is too much for it."""
    bench, rotor = Bench(Feel(gain=0.2, limit=2.0, damping=0.05, ramp=0.0, calm=calm)), Rotor(hand)
    bench.step()
    found = []
    for _ in range(1000):
        counts = round(32767.5 - rotor.angle / math.radians(450.0) * 32767.5)
        bench.wheel.report(0, counts)
        bench.plant.shown = -40.0 * bench.link.angle
        bench.step()
        found.append((rotor.angle, bench.link.force))
        rotor.go_on(bench.link.force)
    bench.link.close()
    bench.wheel.close()
    return found, bench.link


def test_a_wheel_that_is_let_go_gets_softer_and_calms_down() -> None:
    shaking, _ = let_swing(1.0, None)
    assert max(abs(angle) for angle, _ in shaking[-100:]) > 0.3  # it would swing on and on
    calmed, link = let_swing(0.3, None)
    assert max(abs(angle) for angle, _ in calmed[-100:]) < 0.002
    assert link.statistics.hands_off > 900


@pytest.mark.parametrize("hand", [(10.0, 0.3), (40.0, 0.8)])
def test_a_hand_on_the_wheel_feels_all_of_the_torque(hand: tuple[float, float]) -> None:
    found, link = let_swing(0.3, hand)
    assert link.statistics.hands_off < 10
    # gain 0.2 of 40 N·m/rad, up to the limit; damping 0.05 of the rate, at most 0.6 pi rad/s
    for angle, force in found[250:]:
        assert force == pytest.approx(max(-2.0, min(-8.0 * angle, 2.0)), abs=0.15)
