"""Bodies that are held by hands: the physics, who may, and that whatever a hand asks for is borne.

The oracles are closed forms, springs that are part of the model, and efforts from Jacobians.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from realtime_arm import arm, own_name

import inloop as il
from inloop.native import Status
from inloop.native.mirror import enumeration
from inloop.realtime import Flag, Grip, Mailbox
from inloop.realtime.recordings.recorder import Recorder
from inloop.realtime.recordings.recording import Recording
from inloop.realtime.recordings.replay import replay

RATE = 1000.0
STEP = 1.0 / RATE
LIMITS = {name: int(number) for name, number in enumeration("inloop_limit").items()}
TARGET = (0.31, -0.22, 0.17)
POINT = (0.05, -0.11, 0.23)
K, SHORT = 60.0, 0.25  # [N/m], [s]


def steps(box: Mailbox, count: int) -> il.Outputs:
    """Let a plant in lock-step do some steps."""
    found = box.read()
    for _ in range(count):
        box.write()
        reached = box.wait(60.0)
        assert reached is not None
        found = reached
    return found


def held(plant: il.Plant, grip: Grip, seconds: float, rate: float = RATE) -> il.Outputs:
    """Where a plant is after it was held for a while."""
    with own_name("held") as name, il.start(plant, name=name, rate=rate, mode="lock-step") as loop:
        loop.mailbox.hand.hold(grip)
        return steps(loop.mailbox, round(seconds * rate))


@pytest.fixture(scope="module")
def slide() -> il.Plant:
    m = il.Model("slide", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.7)
    return m.compile()


@pytest.fixture(scope="module")
def pendulum() -> il.Plant:
    m = il.Model("held_pendulum", gravity=(0.0, 0.0, -9.81))
    m.body("rod", on=m.ground, joint=il.revolute("y", initial=0.2), mass=1.3, com=(0.0, 0.0, -0.7),
           inertia=(0.02, 0.03, 0.01))  # fmt: skip
    return m.compile()


def test_a_joint_whose_effort_is_an_input_of_the_model() -> None:
    """Its effort counts once, from the start on, and what a hand adds is taken back."""
    m = il.Model("slide", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.7)
    m.joint_input("block")
    plant = m.compile()
    begin = {"rate": RATE, "mode": "lock-step", "inputs": {"block.tau": 3.4}}
    with own_name("driven") as name, il.start(plant, name=name, **begin) as loop:
        assert steps(loop.mailbox, 100)["block.q"] == pytest.approx(0.01, rel=1e-12)
    x = held(plant, Grip("block", force=(3.4, 0.0, 0.0)), 0.1)["block.q"]
    assert x == pytest.approx(0.01, rel=1e-12)


def test_a_mass_on_the_spring_of_a_hand(slide: il.Plant) -> None:
    k, m = 340.0, 1.7
    # the midpoint rule: tan(w_h h / 2) = w h / 2, to rounding
    w_h = 2.0 / STEP * math.atan(math.sqrt(k / m) * STEP / 2.0)
    assert w_h == pytest.approx(math.sqrt(k / m), rel=2e-5)
    for count in (1, 100, 777):
        x = held(slide, Grip("block", (0.1, 5.0, -3.0), k), count * STEP)["block.q"]
        assert x == pytest.approx(0.1 * (1.0 - math.cos(w_h * count * STEP)), abs=1e-12)


def test_a_pendulum_is_held_where_moments_balance(pendulum: il.Plant) -> None:
    k, r, target = 80.0, np.array([0.1, 0.0, -0.9]), np.array([0.5, 0.3, -0.4])
    grip = Grip("rod", tuple(target), k, 14.0, tuple(r))
    theta = held(pendulum, grip, 8.0)["rod.q"]
    c, s = math.cos(theta), math.sin(theta)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    p, com = R @ r, R @ [0.0, 0.0, -0.7]
    moment = np.cross(p, k * (target - p)) + np.cross(com, [0.0, 0.0, -9.81 * 1.3])
    assert abs(theta - 0.2) > 0.2
    assert abs(moment[1]) < 1e-9 * k


def with_ball(spring: bool = False) -> il.Model:
    """A stick in a socket on a turning base."""
    m = il.Model("ball_arm", gravity=(0.4, 0.0, -9.81))
    base = m.body("base", on=m.ground, joint=il.revolute("z", initial=(0.3, 0.5)), mass=2.0,
                  com=(0.1, 0.0, 0.0), inertia=(0.03, 0.02, 0.05))  # fmt: skip
    stick = m.body("held", on=base.point("socket", (0.3, 0.1, 0.05)), joint=il.ball(), mass=1.1,
                   com=(0.05, 0.02, -0.2), inertia=(0.04, 0.05, 0.01))  # fmt: skip
    if spring:
        add_spring(m, stick)
    return m


def with_loop(spring: bool = False) -> il.Model:
    """A four-bar in the x-y plane with links of different lengths."""
    m = il.Model("held_four_bar", gravity=(0.0, -9.81, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=1.2), mass=0.9,
                   com=(0.1, 0.0, 0.0), inertia=(0.006, 0.007, 0.01))  # fmt: skip
    coupler = m.body("held", on=crank.point("B", (0.3, 0.0, 0.0)),
                     joint=il.revolute("z", guess=-0.75), mass=1.4, com=(0.35, 0.02, 0.0),
                     inertia=(0.04, 0.03, 0.06))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("D", (0.6, 0.1, 0.0)),
                    joint=il.revolute("z", guess=1.28), mass=1.1, com=(0.2, 0.0, 0.0),
                    inertia=(0.012, 0.013, 0.02))  # fmt: skip
    m.close(coupler.point("C", (0.7, 0.0, 0.0)), rocker.point("E", (0.5, 0.0, 0.0)))
    if spring:
        add_spring(m, coupler)
    return m


def add_spring(m: il.Model, body: Any) -> None:
    m.spring(body.point("here", POINT), m.ground.point("there", TARGET), K, free_length=0.0)


@pytest.mark.parametrize("make", [with_ball, with_loop])
def test_a_hand_is_a_spring_of_the_model(make: Callable[[bool], il.Model]) -> None:
    # in a tree with a ball joint, and in a loop; the error falls with the square of the step
    plant = make(False).compile()
    wanted, free = (
        each.simulate(t_end=SHORT, step=1e-4).q[-1] for each in (make(True).compile(), plant)
    )
    errors = []
    for rate in (1000.0, 2000.0):
        found = held(plant, Grip("held", TARGET, K, 0.0, POINT), SHORT, rate)
        errors.append(np.abs(found.q - wanted[: plant.n]).max())
    assert np.abs(free - wanted).max() > 1e3 * errors[0]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_what_is_pushed_is_what_jacobians_say() -> None:
    # efforts J' F of the joints, written step by step, do the same
    m = arm()
    plant, force = m.compile(), np.array([1.7, 0.4, -2.1])
    grip = Grip("lower", point=(0.4, 0.02, -0.1), force=tuple(force))
    ends = []
    for by_hand in (True, False):
        with (
            own_name("push") as name,
            il.start(plant, name=name, rate=RATE, mode="lock-step") as loop,
        ):
            box = loop.mailbox
            if by_hand:
                box.hand.hold(grip)
            for _ in range(50):
                now = box.read()
                middle = now.q + 0.5 * STEP * now.qd  # of the step
                J = point_jacobian(middle, tuple(grip.point))
                tau = np.zeros(plant.n) if by_hand else J.T @ force
                box.write(tau=tau)
                assert box.wait(60.0) is not None
            ends.append(box.read().q)
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert np.abs(ends[0] - plant.simulate(t_end=0.05, step=STEP).q[-1]).max() > 1e-3


def point_jacobian(q: np.ndarray, point: tuple[float, ...]) -> np.ndarray:
    """Velocities of a point of the arm's lower link by the rates of its two joints about y."""
    y = np.array([0.0, 1.0, 0.0])

    def turned(angle: float, r: tuple[float, ...]) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        return np.array([c * r[0] + s * r[2], r[1], c * r[2] - s * r[0]])

    beyond = turned(q[0] + q[1], point)
    whole = turned(q[0], (0.43, 0.0, 0.02)) + beyond
    return np.array([np.cross(y, whole), np.cross(y, beyond)]).T


def test_a_hand_beside_a_controller_of_the_plant(plant: il.Plant, tmp_path: Path) -> None:
    # compiled into the plant and sampled every other step, or written from outside: the same motion
    def pd(t: Any, outputs: Any) -> dict[str, Any]:
        return {"shoulder.tau": 60.0 * (0.4 - outputs["shoulder.q"]) - 6.0 * outputs["shoulder.qd"]}

    m = arm()
    m.controller(pd, period=2.0 * STEP)
    controlled, path = m.compile(), tmp_path / "controlled.mcap"
    grip, ends = Grip("lower", TARGET, 80.0, 3.0, POINT), []
    for each in (controlled, plant):
        with (
            own_name("both") as name,
            il.start(each, name=name, rate=RATE, mode="lock-step") as loop,
        ):
            box = loop.mailbox
            with il.attach(name) as reader, Recorder(reader, path, overwrite=True) as recorder:
                box.hand.hold(grip)
                for k in range(200):
                    now = box.read()
                    if each is plant and k % 2 == 0:
                        box.write(pd(now.t, now))
                    else:
                        box.write()
                    assert box.wait(60.0) is not None
                while recorder.take():
                    pass
                recorder.finish()
            ends.append((box.read()["shoulder.tau"], *box.read().q))
        if each is controlled:
            assert replay(Recording(path), each).identical
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


# whatever is asked for is borne


@pytest.mark.parametrize("far", [0.3, 1e3, 1e300])
def test_no_stiffness_ends_a_run(plant: il.Plant, name: str, far: float) -> None:
    with il.start(plant, name=name, rate=RATE, mode="lock-step") as loop:
        box = loop.mailbox
        box.hand.hold(Grip("lower", (far, 0.0, -far), 1e30, 0.0, (0.4, 0.0, 0.1)))
        box.hand.hold(Grip("upper", (-far, far, 0.2), 1e300, 1e300), 3)
        for _ in range(400):
            found = steps(box, 1)
            assert found.status == Status.OK
        pulls = box.hand.newest()
        assert pulls is not None and pulls[1] is None
        hardest = pulls[0]
        assert hardest is not None
        assert hardest.limited in (LIMITS["INLOOP_SOFTER"], LIMITS["INLOOP_WEAKER"])
        assert np.abs(found.qd).max() < 200.0


def test_a_step_that_fails_with_a_hand_is_done_without(name: str) -> None:
    # a block that must not be faster than 0.501 m/s, by the bounds of its plant
    m = il.Model("slow", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.7)
    plant = m.compile()
    plant.bounds["block"] = (10.0, 0.501)
    with il.start(plant, name=name, rate=RATE, mode="lock-step") as loop:
        box = loop.mailbox
        box.hand.hold(Grip("block", force=(3.4, 0.0, 0.0)))  # 2 m/s^2
        limited = []
        for _ in range(300):
            assert steps(box, 1).status == Status.OK
            limited.append(box.hand.newest()[0].limited)  # type: ignore[index, union-attr]
        assert limited == 250 * [0] + 50 * [LIMITS["INLOOP_REFUSED"]]
        assert box.read().qd == pytest.approx([0.5])
        # and what it asks for in the other way is done again
        box.hand.hold(Grip("block", force=(-3.4, 0.0, 0.0)))
        assert steps(box, 10).qd == pytest.approx([0.48])


NONSENSE = {
    "no such body": ("body", 99.0),
    "half a body": ("body", 1.5),
    "less than none": ("body", -1.0),
    "not a number": ("stiffness", math.nan),
    "infinite": ("target", math.inf),
    "pushes away": ("stiffness", -1.0),
    "drives": ("damping", -1e-3),
}


def test_nonsense_is_refused_and_counted(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, rate=RATE, mode="lock-step") as loop:
        box = loop.mailbox
        box.hand.hold(Grip("lower", TARGET, 30.0))
        steps(box, 1)
        good = box.hand._rows.copy()
        for count, (field, value) in enumerate(NONSENSE.values(), 1):
            bad = good.copy()
            bad[0][field] = value
            box.hand._publish(bad)
            assert steps(box, 1).flags & Flag.PULLED  # the one before stays
            assert box.statistics()["bad_hands"] == count
            pull = box.hand.newest()
            assert pull is not None and pull[0] is not None
            assert pull[0].grip == Grip("lower", TARGET, 30.0)
        for bad_grip in (Grip("elbow_3"), Grip("lower", stiffness=-1.0), Grip("lower", (0.0, 1.0))):
            with pytest.raises(il.InputError, match=r"cannot be held|no body 'elbow_3'"):
                box.hand.hold(bad_grip)
        with pytest.raises(il.InputError, match="no grip 4"):
            box.hand.hold(Grip("lower"), 4)


# who holds, and for how long


def test_a_hand_that_falls_silent_lets_go(plant: il.Plant, name: str) -> None:
    stale = {"stale_after": 0.02, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, rate=RATE, **stale) as loop, il.attach(name) as box:
        box.hand.hold(Grip("lower", TARGET, 30.0))
        loop.clock.advance(0.0155)
        assert box.read().flags & Flag.PULLED
        box.hand.write()
        loop.clock.advance(0.015)
        assert box.read().flags & Flag.PULLED and not box.statistics()["stale_hands"]
        loop.clock.advance(0.015)
        assert not box.read().flags & Flag.PULLED and box.statistics()["stale_hands"]
        box.hand.write()
        loop.clock.advance(0.005)
        assert box.read().flags & Flag.PULLED
        box.reset()
        loop.clock.advance(0.005)
        assert not box.read().flags & Flag.PULLED  # a new start begins without


def test_one_process_holds_while_another_drives(plant: il.Plant, name: str) -> None:
    with (
        il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock()) as loop,
        il.attach(name) as driver,
        il.attach(name) as hand,
    ):
        driver.write(push=0.7)
        hand.hand.hold(Grip("lower", TARGET, 30.0))
        with pytest.raises(il.MailboxError, match="are held by process"):
            driver.hand.hold(Grip("upper"))
        loop.clock.advance(0.01)
        found = hand.read()
        assert found["push"] == 0.7 and found.flags & Flag.PULLED
        hand.hand.let_go()
        driver.hand.hold(Grip("upper", TARGET, 5.0))
        driver.make_safe()
        loop.clock.advance(0.01)
        assert not driver.read().flags & Flag.PULLED


def test_a_plant_that_nobody_holds_goes_as_before(plant: il.Plant, name: str) -> None:
    # the bits of a simulation, also after a hand has come and gone
    with il.start(plant, name=name, rate=1024.0, mode="lock-step") as loop:
        box = loop.mailbox
        box.hand.hold(Grip("lower", TARGET, 30.0))
        steps(box, 20)
        box.hand.let_go()
        box.reset()
        found = steps(box, 100)
    wanted = plant.simulate(t_end=100 / 1024.0, step=1.0 / 1024.0)
    assert found.q.tobytes() == wanted.q[-1].tobytes()


def test_warm_steps_change_no_bit_of_a_pull(plant: il.Plant) -> None:
    ends = []
    for warm in (False, True):
        with (
            own_name("warm") as name,
            il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock(), warm=warm) as loop,
        ):
            for k in range(10):
                target = (0.3, 0.0, 0.05 * k)
                loop.mailbox.hand.hold(Grip("lower", target, 70.0, 1.0, POINT))
                loop.clock.advance(0.01)
            assert (loop.mailbox.statistics()["warmups"] > 50) == warm
            ends.append(loop.mailbox.read().x.tobytes())
    assert ends[0] == ends[1]


def test_a_recording_of_a_dragged_body_is_replayed_to_the_bit(
    plant: il.Plant, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "dragged.mcap"
    with il.start(plant, name=name, rate=RATE, mode="lock-step") as loop:
        box = loop.mailbox
        with il.attach(name) as reader, Recorder(reader, path) as recorder:
            for k in range(60):
                if 10 <= k < 40:
                    box.hand.hold(Grip("lower", (0.3, 0.0, 0.01 * k), 50.0, 2.0, POINT))
                if k == 20:
                    box.hand.hold(Grip("upper", force=(0.0, 0.0, 9.0)), 2)
                if k == 40:
                    box.hand.let_go()
                steps(box, 1)
            while recorder.take():
                pass
            recorder.finish()
    recording = Recording(path)
    samples = list(recording)
    assert sum(sample.hand is not None for sample in samples) == 30
    pulled = samples[35].hand
    assert pulled is not None and pulled[2] is not None and pulled[2].force == (0.0, 0.0, 9.0)
    found = replay(recording, plant)
    assert found.identical and found.steps == 60
    # a replay without the hand is another motion
    for sample in samples:
        object.__setattr__(sample, "hand", None)
    recording.__class__ = type("Dropped", (Recording,), {"__iter__": lambda _: iter(samples)})
    assert replay(recording, plant).different > 40
