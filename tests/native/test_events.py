"""The rules of il_machine.h, one by one: seeing, locating, arming, settling, failing."""

from __future__ import annotations

import numpy as np
import pytest
from hand_written import Mode, Transition, run_machine
from scipy.integrate import solve_ivp

from inloop.errors import InputError
from inloop.native import AdaptiveSteps, FixedSteps, MachineSnapshot, Method, Status, address_of

# alpha is a step of the system itself: tests/simulate/test_alpha.py
GENERAL = [m for m in Method if m not in (Method.ALPHA, Method.EVENT_DRIVEN)]
each_method = pytest.mark.parametrize("method", GENERAL)
UP, DOWN = np.array([1.0]), np.array([-1.0])
GRAVITY = np.array([9.81, 0.9, 1.0])
WALL = np.array([0.05])
ORDERS = {Method.EULER: 1, Method.IMPLICIT: 2, Method.RK4: 4, Method.DOPRI: 5, Method.RODAS: 4,
          Method.MOREAU: 2}  # fmt: skip


def still(problems) -> Mode:
    """One first-order state that does not move."""
    return Mode(problems.system("slide", m=1, context=np.zeros(1)))


def at(x: float, mode: int = 0, t: float = 0.0) -> MachineSnapshot:
    return MachineSnapshot(mode, np.array([x]), t)


# ── accuracy ──


def duffing_reference(x: np.ndarray, t_end: float) -> tuple[np.ndarray, list[float]]:
    """Hand-written equations in SciPy, with its own events."""

    def rates(t, x):
        force = -2.3 * x[0] - 0.8 * x[0] ** 3 - 0.3 * x[2] + 0.6 * np.cos(1.7 * t)
        return [x[1], force, x[0] * x[1] - 0.9 * x[2]]

    def gap(t, x):
        return x[0] - WALL[0]

    gap.terminal, gap.direction = True, -1
    t, impacts = 0.0, []
    while t < t_end:
        part = solve_ivp(rates, (t, t_end), x, method="DOP853", rtol=1e-13, atol=1e-14, events=gap)
        t, x = part.t[-1], part.y[:, -1]
        if part.status == 1:
            impacts.append(t)
            x = np.array([x[0], -0.8 * x[1], x[2] + 0.1])
    return x, impacts


def duffing(problems) -> tuple[Mode]:
    impact = Transition(0, -1, 0, problems.library.address("wall_bounce"))
    system = problems.system("duffing", 1, 1)
    return (problems.mode(system, "wall", (1e-13,), impact, context=WALL),)


@each_method
def test_events_keep_the_order(problems, method: Method) -> None:
    """Where in a step an event falls is random, so the order is that of a line through many."""
    x0, t_end = np.array([0.7, 0.2, 0.3]), 6.0
    exact, impacts = duffing_reference(x0, t_end)
    assert len(impacts) == 3
    steps = {Method.EULER: 600, Method.IMPLICIT: 300, Method.MOREAU: 300, Method.DOPRI: 30}
    coarse = steps.get(method, 60)
    counts = np.round(coarse * 1.3 ** np.arange(11)).astype(int)
    errors, lateness = [], []
    for steps in counts:
        schedule = FixedSteps(method, t_end / steps, int(steps))
        result = run_machine(duffing(problems), MachineSnapshot(0, x0), schedule)
        assert result.status == Status.OK and len(result.events) == 3
        errors.append(np.abs(result.x[-1] - exact).max())
        lateness.append(np.abs(np.array([e.t for e in result.events]) - impacts).max())
    for error in (errors, lateness):
        order = -np.polyfit(np.log(counts), np.log(error), 1)[0]
        assert order > ORDERS[method] - 0.25
    assert errors[-1] < {1: 1e-3, 2: 1e-5}.get(ORDERS[method], 2e-9)


@pytest.mark.parametrize("method", [Method.DOPRI, Method.RODAS])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10])
def test_adaptive_steps_keep_the_tolerance(problems, method: Method, tolerance: float) -> None:
    x0 = np.array([0.7, 0.2, 0.3])
    exact, impacts = duffing_reference(x0, 6.0)
    schedule = AdaptiveSteps(method, 6.0, tolerance, tolerance)
    result = run_machine(duffing(problems), MachineSnapshot(0, x0), schedule)
    assert result.x[-1] == pytest.approx(exact, abs=10 * tolerance)
    assert [e.t for e in result.events] == pytest.approx(impacts, abs=10 * tolerance)


# ── seeing ──


@each_method
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_events_in_one_step_come_in_order_of_time(problems, method: Method, order: tuple) -> None:
    """z rises through three levels within one step, whatever the order of declaration."""
    heights = np.array([0.21, 0.03, 0.12])  # all before the first point inside the step
    tr = tuple(Transition(k, 0, 0) for k in order)
    slide = problems.system("slide", m=1, context=UP)
    modes = (problems.mode(slide, "levels", (1e-12,) * 3, *tr, context=heights),)
    result = run_machine(modes, at(0.0), FixedSteps(method, 1.0, 2))
    assert [e.t for e in result.events] == pytest.approx(sorted(heights), abs=2e-12)
    assert [order[e.transition] for e in result.events] == [1, 2, 0]
    assert result.x[-1] == pytest.approx([2.0], abs=1e-12)


@pytest.mark.parametrize("first", [0, 1])
def test_events_at_the_same_time_come_in_order_of_declaration(problems, first: int) -> None:
    """Two balls hit the ground together; both bounce, once each."""
    each = [np.array([ball, 0.5]) for ball in (0.0, 1.0)]
    jump = problems.library.address("bounce_one")
    balls = (first, 1 - first)
    tr = tuple(Transition(k, -1, 0, jump, address_of(each[k])) for k in balls)
    system = problems.system("fall_two", 2, context=GRAVITY)
    modes = (problems.mode(system, "heights", (1e-13,) * 2, *tr),)
    start = MachineSnapshot(0, np.array([0.6, 0.6, 0.0, 0.0]))
    result = run_machine(modes, start, FixedSteps(Method.DOPRI, 0.5, 1))
    impact = np.sqrt(2 * 0.6 / GRAVITY[0])
    assert [e.transition for e in result.events] == [0, 1]
    assert [e.t for e in result.events] == pytest.approx([impact] * 2, abs=1e-11)
    left = 0.5 - impact
    height = 0.5 * GRAVITY[0] * impact * left - 0.5 * GRAVITY[0] * left**2
    assert result.x[-1, :2] == pytest.approx([height] * 2, abs=1e-11)


@each_method
@pytest.mark.parametrize("direction", [-1, 0])
def test_a_dip_inside_a_step_is_seen(problems, method: Method, direction: int) -> None:
    shape = np.array([0.55, 0.16])  # positive at both ends of the step from 0 to 1
    slide = problems.system("slide", m=1, context=UP)
    tr = Transition(0, direction, 1)
    modes = (problems.mode(slide, "dip", (1e-12,), tr, context=shape), still(problems))
    result = run_machine(modes, at(0.0), FixedSteps(method, 1.0, 1))
    assert result.events[0].t == pytest.approx(0.39, abs=2e-12)
    assert result.x[-1] == pytest.approx([0.39], abs=2e-12)


# ── arming ──


def thrown(problems, speed: float, tolerance: float = 1e-9, height: float = 0.0):
    impact = Transition(0, -1, 1)
    fall = problems.system("fall", 1, context=GRAVITY)
    modes = (
        problems.mode(fall, "first_state", (tolerance,), impact),
        Mode(problems.system("rest", 1)),
    )
    start = MachineSnapshot(0, np.array([height, speed]))
    return run_machine(modes, start, FixedSteps(Method.RK4, 0.01, 100)).events


@pytest.mark.parametrize("height", [0.0, 8e-10, -8e-10])
def test_an_indicator_that_starts_at_zero_waits(problems, height: float) -> None:
    (landing,) = thrown(problems, 3.0, height=height)
    assert landing.t == pytest.approx(2 * 3.0 / 9.81, abs=1e-9)
    assert landing.x_before[0] == pytest.approx(0.0, abs=1e-9)


def test_one_that_leaves_through_the_firing_side_fires_beyond_its_tolerance(problems) -> None:
    (landing,) = thrown(problems, -0.5, tolerance=1e-4)
    assert landing.x_before[0] == pytest.approx(-1e-4, abs=1e-11)
    assert landing.t == pytest.approx(1e-4 / 0.5, rel=1e-2)


def test_a_throw_shorter_than_the_points_is_seen(problems) -> None:
    """Up and down again within the first quarter of a step: it fires at zero, not beyond."""
    (landing,) = thrown(problems, 0.004, tolerance=1e-7)
    assert landing.t == pytest.approx(2 * 0.004 / 9.81, rel=1e-9)
    assert landing.x_before[0] == pytest.approx(0.0, abs=1e-12)


def test_one_that_has_fired_already_fires_at_once(problems) -> None:
    (landing,) = thrown(problems, 3.0, height=-1e-3)
    assert (landing.t, landing.x_before[0]) == (0.0, -1e-3)


def test_either_direction_never_fires_at_once(problems) -> None:
    slide = problems.system("slide", m=1, context=UP)
    levels = np.array([0.0, 0.0, 0.0])
    tr = Transition(0, 0, 1)
    modes = (problems.mode(slide, "levels", (1e-9,) * 3, tr, context=levels), still(problems))
    for x0, expected in ((0.0, []), (0.5, []), (-0.25, [0.25])):
        events = run_machine(modes, at(x0), FixedSteps(Method.RK4, 0.1, 10)).events
        assert [e.t for e in events] == pytest.approx(expected, abs=2e-12)


def test_modes_that_have_fired_already_pass_in_a_row(problems) -> None:
    """Three modes at one instant, then the fourth one moves."""
    slide = problems.system("slide", m=1, context=UP)
    levels = np.array([0.1, 0.2, 0.3])
    passing = [
        problems.mode(slide, "levels", (1e-9,) * 3, Transition(k, 1, k + 1), context=levels)
        for k in range(3)
    ]
    result = run_machine((*passing, Mode(slide)), at(0.25), FixedSteps(Method.RK4, 0.01, 10))
    assert [(e.mode, e.next_mode) for e in result.events] == [(0, 1), (1, 2), (2, 3)]
    assert [e.t for e in result.events] == pytest.approx([0.0, 0.0, 0.05], abs=1e-12)
    # the first sample is the state in which the run began
    assert list(result.mode) == [0, *[2] * 4, *[3] * 6]


# ── settling ──


def relay(problems, **more: int) -> tuple[Mode, ...]:
    """z' = -1 above zero and +1 below it: it cannot leave zero."""
    levels = np.zeros(3)
    down, up = (problems.system("slide", m=1, context=c) for c in (DOWN, UP))
    return (
        problems.mode(down, "levels", (1e-9,) * 3, Transition(0, -1, 1, **more), context=levels),
        problems.mode(up, "levels", (1e-9,) * 3, Transition(0, 1, 0, **more), context=levels),
        still(problems),
    )


@pytest.mark.parametrize("more", [{}, {"settles_in": 2}])
@pytest.mark.parametrize("most_events", [16, 1000])
def test_intervals_that_do_not_shrink_chatter(problems, more: dict, most_events: int) -> None:
    schedule = FixedSteps(Method.RK4, 0.1, 10)
    result = run_machine(relay(problems, **more), at(0.35), schedule, most_events=most_events)
    assert result.status == Status.CHATTERING
    assert result.fault.t == pytest.approx(0.35, abs=4e-9 * most_events)
    # the step that failed left everything as it was
    assert (result.t[-1], result.mode[-1], result.events) == (pytest.approx(0.3), 0, [])
    assert result.x[-1] == pytest.approx([0.05]) and result.steps == 3


def test_adaptive_runs_chatter_too(problems) -> None:
    result = run_machine(relay(problems), at(0.35), AdaptiveSteps(Method.DOPRI, 1.0))
    assert result.status == Status.CHATTERING and len(result.events) == 1000
    assert result.fault.t == pytest.approx(0.35, abs=1e-5)


def test_a_circle_of_modes_at_one_instant_chatters(problems) -> None:
    slide = problems.system("slide", m=1, context=UP)
    levels = np.zeros(3)
    tr = [Transition(0, 1, 1), Transition(0, 1, 0)]
    modes = tuple(problems.mode(slide, "levels", (1e-9,) * 3, k, context=levels) for k in tr)
    start = at(0.5)
    for schedule in (FixedSteps(Method.RK4, 0.1, 10), AdaptiveSteps(Method.DOPRI, 1.0)):
        result = run_machine(modes, start, schedule)
        assert result.status == Status.CHATTERING and (result.fault.t, result.events) == (0.0, [])
        assert result.x[-1] == [0.5] and result.end.mode == 0


def test_a_chance_pair_of_events_does_not_settle(problems) -> None:
    """Intervals of 1 s, then 0.05 s: with two firings there is no accumulation yet."""
    times = np.array([1.0, 2.0, 2.05])
    tr = Transition(0, 0, 0, settles_in=1)
    slide = problems.system("slide", m=1, context=UP)
    modes = (problems.mode(slide, "cubic", (1e-12,), tr, context=times), still(problems))
    result = run_machine(modes, at(0.0), FixedSteps(Method.RK4, 0.07, 50), settle_time=0.1)
    assert [e.t for e in result.events] == pytest.approx(times, abs=1e-10)
    assert not any(e.settled for e in result.events)


def test_a_transition_that_does_not_turn_its_indicator_around_chatters(problems) -> None:
    slide = problems.system("slide", m=1, context=UP)
    levels = np.array([0.25, 9.0, 9.0])
    modes = (problems.mode(slide, "levels", (1e-9,) * 3, Transition(0, 1, 0), context=levels),)
    result = run_machine(modes, at(0.0), FixedSteps(Method.RK4, 0.1, 10))
    assert result.status == Status.CHATTERING and result.t[-1] == pytest.approx(0.2)


# ── failing ──


@pytest.mark.parametrize("status", [Status.LOOP_OPEN, 77])
def test_a_jump_that_fails_ends_the_run(problems, status: int) -> None:
    code, levels = np.array([float(status)]), np.array([0.25, 0.37, 9.0])
    jump = problems.library.address("refuse")
    tr = (Transition(0, 0, 0), Transition(1, 0, 0, jump, address_of(code)))
    slide = problems.system("slide", m=1, context=UP)
    modes = (problems.mode(slide, "levels", (1e-12,) * 3, *tr, context=levels),)
    for schedule in (FixedSteps(Method.RK4, 0.2, 5), AdaptiveSteps(Method.DOPRI, 1.0)):
        result = run_machine(modes, at(0.0), schedule)
        assert result.status == status and result.fault.transition == 1
        assert result.fault.t == pytest.approx(0.37, abs=1e-11)
        # fixed: the first event of the failed step is undone as well
        kept = 0.2 if isinstance(schedule, FixedSteps) else 0.25
        assert (result.t[-1], result.x[-1, 0]) == pytest.approx((kept, kept), abs=1e-11)
        assert len(result.events) == (0 if isinstance(schedule, FixedSteps) else 1)


@each_method
def test_an_indicator_that_is_not_a_number(problems, method: Method) -> None:
    context = np.array([0.47, 0.0, np.inf, 5.0])
    slide = problems.system("slide", m=1, context=UP)
    modes = (problems.mode(slide, "fragile", (1e-9,), Transition(0, -1, 0), context=context),)
    result = run_machine(modes, at(0.0), FixedSteps(method, 0.1, 10))
    assert result.status == Status.INDICATOR_LOST and result.fault.transition == 0
    assert (result.t[-1], result.x[-1, 0]) == (pytest.approx(0.4), pytest.approx(0.4))
    assert result.fault.t == pytest.approx(0.475)  # the first point where it was seen
    if method.estimates_error:
        result = run_machine(modes, at(0.0), AdaptiveSteps(method, 1.0))
        assert result.status == Status.INDICATOR_LOST
        assert result.t[-1] == pytest.approx(0.47, abs=1e-6)  # as close as steps can come


def test_indicators_that_return_a_status(problems) -> None:
    context = np.array([np.inf, 55.0, 0.47, 5.0])
    slide = problems.system("slide", m=1, context=UP)
    modes = (problems.mode(slide, "fragile", (1e-9,), Transition(0, -1, 0), context=context),)
    result = run_machine(modes, at(0.0), FixedSteps(Method.RK4, 0.1, 10))
    assert (result.status, result.fault.transition) == (55, None)
    assert result.t[-1] == pytest.approx(0.4)


def test_senseless_machines_are_refused(problems) -> None:
    slide = problems.system("slide", m=1, context=UP)
    fall = Mode(problems.system("fall", 1, context=GRAVITY))
    levels = np.zeros(3)

    def mode(*tr: Transition, tolerances=(1e-9,) * 3) -> Mode:
        return problems.mode(slide, "levels", tolerances, *tr, context=levels)

    schedule = FixedSteps(Method.RK4, 0.1, 1)
    wrong = {
        "no indicator 3": mode(Transition(3, 1, 0)),
        "direction 2": mode(Transition(0, 2, 0)),
        "no mode 5": mode(Transition(0, 1, 5)),
        "no mode 7": mode(Transition(0, 1, 0, settles_in=7)),
        "1 states become 2 in mode 1": mode(Transition(0, 1, 1)),
        "tolerances": mode(Transition(0, 1, 0), tolerances=(1e-9, 0.0, 1e-9)),
        "no indicators": Mode(
            slide, count=1, tolerances=(1.0,), transitions=(Transition(0, 1, 0),)
        ),
    }
    for message, first in wrong.items():
        with pytest.raises(InputError, match=message):
            run_machine((first, fall), at(0.0), schedule)
    with pytest.raises(InputError, match="cannot begin in mode 1"):
        run_machine((mode(),), at(0.0, mode=1), schedule)
    with pytest.raises(InputError, match="most_events"):
        run_machine((mode(),), at(0.0), schedule, most_events=0)
