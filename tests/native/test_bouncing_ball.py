"""A ball that bounces until it rests: impacts, accumulation and energy in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hand_written import Mode, Transition, run_machine

from inloop.native import (
    AdaptiveSteps,
    FixedSteps,
    MachineRun,
    MachineSnapshot,
    Method,
    Schedule,
    Status,
    address_of,
)

GRAVITY, RESTITUTION, HEIGHT, MASS = 9.81, 0.9, 1.0, 1.0
REST = 8.578949178728887  # √(2h/g) (1+e)/(1-e) [s]
CONTEXT = np.array([GRAVITY, RESTITUTION, MASS])
START = MachineSnapshot(0, np.array([HEIGHT, 0.0]))
SMOOTH = [Method.RK4, Method.DOPRI, Method.RODAS]


def exact_impacts(count: int) -> np.ndarray:
    first = np.sqrt(2 * HEIGHT / GRAVITY)
    return first * (1 + 2 * np.cumsum(RESTITUTION ** np.arange(count)) - 2)


def ball(
    problems, settles: bool = True, tolerance: float = 1e-15, data: np.ndarray = CONTEXT
) -> tuple[Mode, Mode]:
    context, address = address_of(data), problems.library.address
    impact = Transition(
        0,
        -1,
        0,
        address("bounce"),
        context,
        1 if settles else None,
        address("stop"),
        context,
    )
    falls = problems.mode(
        problems.system("fall", 1, context=data), "first_state", (tolerance,), impact
    )
    return falls, Mode(problems.system("rest", 1))


SCHEDULES = [
    *(FixedSteps(method, h, round(9 / h)) for method in SMOOTH for h in (1e-3, 1e-2)),
    *(AdaptiveSteps(method, 9.0) for method in (Method.DOPRI, Method.RODAS)),
    *(AdaptiveSteps(method, 9.0, max_step=0.02) for method in (Method.DOPRI, Method.RODAS)),
]


def test_impact_times_of_the_literature() -> None:
    known = [0.4515236410, 1.2642661948, 1.9957344932, 2.6540559617, 3.2465452834]
    assert exact_impacts(5) == pytest.approx(known, abs=1e-10)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_impacts_and_rest(problems, schedule: Schedule) -> None:
    result = run_machine(ball(problems), START, schedule)
    assert result.status == Status.OK and result.fault is None
    impacts = np.array([event.t for event in result.events])
    assert impacts[:20] == pytest.approx(exact_impacts(20), abs=1e-9)
    # it settles once, at the end of the events, and stays
    assert [event.settled for event in result.events] == [False] * (len(impacts) - 1) + [True]
    assert impacts[-1] == pytest.approx(REST, abs=1e-6)
    assert (result.mode[-1], result.t[-1]) == (1, pytest.approx(9.0))
    assert (result.x[result.mode == 1] == 0.0).all() and (np.diff(result.mode) >= 0).all()
    check_energy(result)


def check_energy(result: MachineRun) -> None:
    """What each jump reports: e, and energies before and after, m v²/2 with v in closed form."""
    v = np.sqrt(2 * GRAVITY * HEIGHT) * RESTITUTION ** np.arange(20)
    records = [event.record for event in result.events[:20]]
    before = np.array([record.energy_before for record in records])
    assert before == pytest.approx(0.5 * MASS * v**2, rel=1e-9)
    after = np.array([record.energy_after for record in records])
    assert after == pytest.approx(0.5 * MASS * (RESTITUTION * v) ** 2, rel=1e-9)
    assert {record.restitution for record in records} == {RESTITUTION}
    # nothing is lost between impacts: all losses together are the potential energy at the start
    total = sum(e.record.energy_before - e.record.energy_after for e in result.events)
    assert total == pytest.approx(MASS * GRAVITY * HEIGHT, rel=1e-10)


def test_without_a_mode_to_rest_in_it_chatters(problems) -> None:
    result = run_machine(ball(problems, settles=False), START, FixedSteps(Method.RK4, 1e-2, 900))
    assert result.status == Status.CHATTERING
    assert (result.fault.mode, result.fault.transition) == (0, 0)
    assert result.fault.t == pytest.approx(REST, abs=1e-6)
    # what was computed is kept, up to the step that failed
    assert result.t[-1] == pytest.approx(8.57) and result.events[-1].t < 8.57


@pytest.mark.parametrize("most_events", [16, 50])
def test_few_events_settle_early(problems, most_events: int) -> None:
    """Used up within one step, with intervals that shrink: rest is declared within that step."""
    h = 1e-2
    result = run_machine(
        ball(problems), START, FixedSteps(Method.RK4, h, 900), most_events=most_events
    )
    assert result.status == Status.OK and result.events[-1].settled and result.mode[-1] == 1
    steps = np.floor(np.array([event.t for event in result.events]) / h)
    assert max(np.bincount(steps.astype(int))) == most_events
    settled, v = result.events[-1].t, abs(result.events[-1].x_before[1])
    left = 2 * v * RESTITUTION / GRAVITY / (1 - RESTITUTION)
    assert settled < REST and settled + left == pytest.approx(REST, abs=1e-6)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_flights_below_the_tolerance_are_rest(problems, tolerance: float) -> None:
    """A flight of height 𝛿 takes √(8 𝛿/g); those below the tolerance are not told apart."""
    result = run_machine(
        ball(problems, tolerance=tolerance), START, FixedSteps(Method.DOPRI, 1e-3, 9000)
    )
    impacts = np.array([event.t for event in result.events])
    assert impacts[:20] == pytest.approx(exact_impacts(20), abs=1e-9)
    left = np.sqrt(8 * tolerance / GRAVITY) / (1 - RESTITUTION)
    assert REST - left < impacts[-1] < REST and result.events[-1].settled


@pytest.mark.parametrize(
    "schedule", [FixedSteps(Method.RK4, 1e-2, 90), AdaptiveSteps(Method.DOPRI, 1.0)]
)
def test_a_plastic_impact_settles(problems, schedule: Schedule) -> None:
    """Restitution 0: it stays where it falls, after a few firings at the tolerance."""
    data = np.array([GRAVITY, 0.0, MASS])
    result = run_machine(ball(problems, tolerance=1e-12, data=data), START, schedule)
    assert result.status == Status.OK and result.mode[-1] == 1 and len(result.events) <= 6
    assert result.events[-1].t == pytest.approx(np.sqrt(2 * HEIGHT / GRAVITY), abs=3e-6)
    assert abs(result.events[-1].x_before[0]) <= 2e-12


def test_a_tolerance_below_rounding_is_not_taken_for_rest(problems) -> None:
    modes = ball(problems, tolerance=1e-20)
    result = run_machine(modes, START, FixedSteps(Method.RK4, 1e-2, 900))
    assert result.status == Status.CHATTERING and result.fault.transition == 0


@pytest.mark.parametrize("seed", range(60))
def test_any_ball_with_any_step(problems, seed: int) -> None:
    """Steps much longer and much shorter than flights; everything else at random."""
    rng = np.random.default_rng(seed)
    e, height, gravity = rng.uniform(0.02, 0.97), 10 ** rng.uniform(-2, 1.5), rng.uniform(0.3, 30)
    tolerance = height * 10 ** rng.uniform(-14, -8)
    first = np.sqrt(2 * height / gravity)
    rest, method = first * (1 + e) / (1 - e), SMOOTH[rng.integers(3)]
    steps = int(10 ** rng.uniform(0.5, 3))
    schedule: Schedule = FixedSteps(method, 1.1 * rest / steps, steps)
    if method.estimates_error and seed % 2:
        schedule = AdaptiveSteps(method, 1.1 * rest, 1e-8, 1e-8)
    # what is over within 1e-6 of a step, or 1e-9 of a run without steps, counts as over
    moment = schedule.step if isinstance(schedule, FixedSteps) else 1e-3 * schedule.t_end
    data = np.array([gravity, e, 1.0])
    modes = ball(problems, tolerance=tolerance, data=data)
    result = run_machine(modes, MachineSnapshot(0, np.array([height, 0.0])), schedule)
    assert result.status == Status.OK and result.events[-1].settled
    # flights that are well above the tolerance
    high = height * e ** (2 * np.arange(1, len(result.events))) > 100 * tolerance
    exact = (first * (2 * np.cumsum(e ** np.arange(len(high))) - 1))[high]
    assert [event.t for event in result.events][: len(exact)] == pytest.approx(exact, rel=1e-9)
    left = np.sqrt(8 * tolerance / gravity) / (1 - e)
    assert result.events[-1].t == pytest.approx(rest, abs=1.5 * left + 2e-6 * moment / (1 - e))


@pytest.mark.parametrize("seed", range(60))
def test_two_balls_do_not_disturb_each_other(problems, seed: int) -> None:
    """Two contacts in one mode, in every third case with impacts at the same times."""
    rng = np.random.default_rng(seed)
    e, heights = rng.uniform(0.5, 0.95, 2), 10 ** rng.uniform(-1, 0.5, 2)
    if seed % 3 == 0:
        heights[1], e[1] = heights[0], e[0]
    data = [np.array([k, e[k]]) for k in range(2)]
    order = rng.permutation(2).tolist()
    jump = problems.library.address("bounce_one")
    impacts = [Transition(k, -1, 0, jump, address_of(data[k])) for k in order]
    system = problems.system("fall_two", 2, context=CONTEXT)
    modes = (problems.mode(system, "heights", (1e-13, 1e-13), *impacts),)
    first = np.sqrt(2 * heights / GRAVITY)
    t_end, method = 0.9 * (first * (1 + e) / (1 - e)).min(), SMOOTH[rng.integers(3)]
    steps = int(10 ** rng.uniform(0, 2.5))
    start = MachineSnapshot(0, np.array([*heights, 0.0, 0.0]))
    result = run_machine(modes, start, FixedSteps(method, t_end / steps, steps))
    assert result.status == Status.OK
    for k in range(2):
        exact = first[k] * (2 * np.cumsum(e[k] ** np.arange(400)) - 1)
        found = [event.t for event in result.events if order[event.transition] == k]
        assert found == pytest.approx(exact[exact < t_end], abs=1e-9)
