"""Runs of machines: continuation, samples, sizes, the log, real time, steps that fail."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from hand_written import Mode, Transition, run, run_machine, table_of

from inloop.native import (
    POINTER,
    REAL,
    AdaptiveSteps,
    FixedSteps,
    MachineRun,
    MachineSnapshot,
    Method,
    Status,
    address_of,
)
from inloop.native.mirror import row_type
from inloop.native.running.machine_memory import MachineMemory

# alpha is a step of the system itself: tests/simulate/test_alpha.py
GENERAL = [m for m in Method if m not in (Method.ALPHA, Method.EVENT_DRIVEN)]
each_method = pytest.mark.parametrize("method", GENERAL)
G = 9.81
BALL = np.array([G, 0.7, 2.3])
WALL = np.array([0.05])
START = MachineSnapshot(0, np.array([0.7, 0.2, 0.3]))


def oscillator(problems) -> tuple[Mode]:
    """Duffing's, against a wall."""
    impact = Transition(0, -1, 0, problems.library.address("wall_bounce"))
    system = problems.system("duffing", 1, 1)
    return (problems.mode(system, "wall", (1e-13,), impact, context=WALL),)


def ball(problems, restitution: np.ndarray = BALL) -> tuple[Mode, Mode]:
    context, address = address_of(restitution), problems.library.address
    jumps = (address("bounce"), context, 1, address("stop"), context)
    fall = problems.system("fall", 1, context=restitution)
    falls = problems.mode(fall, "first_state", (1e-14,), Transition(0, -1, 0, *jumps))
    return falls, Mode(problems.system("rest", 1))


def key(result: MachineRun) -> list[tuple]:
    """All events, to the last bit."""
    return [
        (e.t, e.mode, e.transition, e.next_mode, e.x_before.tobytes(), e.x_after.tobytes())
        for e in result.events
    ]


# ── continuation ──


@each_method
@pytest.mark.parametrize("more", [{}, {"sample": 0.031}])
def test_fixed_runs_continue_bit_for_bit(problems, method: Method, more: dict) -> None:
    """Interrupted after every single step: before, in and after those with impacts."""
    modes, h, steps = oscillator(problems), 0.05, 110
    whole = run_machine(modes, START, FixedSteps(method, h, steps, **more))
    assert len(whole.events) == 3
    end, events, samples = START, [], {}
    for _ in range(steps):
        part = run_machine(modes, end, FixedSteps(method, h, 1, **more))
        end = part.end
        events += key(part)
        samples |= dict(zip(part.t, part.x.tolist(), strict=True))
    assert events == key(whole)
    assert end.x.tobytes() == whole.end.x.tobytes() and (end.t, end.step) == (whole.t[-1], steps)
    assert (end.armed == whole.end.armed).all() and (end.history == whole.end.history).all()
    assert [samples[t] for t in whole.t] == whole.x.tolist()


@pytest.mark.parametrize("method", [Method.DOPRI, Method.RODAS])
@pytest.mark.parametrize("most", [1, 2, 7])
def test_adaptive_runs_continue_bit_for_bit(problems, method: Method, most: int) -> None:
    modes = ball(problems)
    start = MachineSnapshot(0, np.array([1.0, 0.3]))
    schedule = AdaptiveSteps(method, 4.0, 1e-8, 1e-8, max_step=0.11)
    whole = run_machine(modes, start, schedule)
    assert whole.status == Status.OK and whole.events[-1].settled and len(whole.events) > 40
    short = replace(schedule, max_steps=most)
    end, events, steps, status = start, [], 0, Status.TOO_MANY_STEPS
    while status == Status.TOO_MANY_STEPS:
        part = run_machine(modes, end, short)
        status, end = part.status, part.end
        events += key(part)
        steps += part.steps
    assert status == Status.OK and steps == whole.steps
    assert events == key(whole) and end.x.tobytes() == whole.end.x.tobytes()


def test_many_events_take_several_blocks(problems) -> None:
    """1,100 firings and more: the log is emptied on the way, and nothing is lost or doubled."""
    restitution = np.array([G, 0.99, 1.0])
    start = MachineSnapshot(0, np.array([0.02, 0.0]))
    result = run_machine(ball(problems, restitution), start, FixedSteps(Method.RK4, 1e-3, 14_000))
    times = np.array([e.t for e in result.events])
    assert len(times) > 1100 and result.events[-1].settled
    first = np.sqrt(2 * 0.02 / G)
    exact = first * (2 * np.cumsum(0.99 ** np.arange(700)) - 1)
    assert times[:700] == pytest.approx(exact, abs=1e-9)
    assert len(result.t) == 14_001 and (np.diff(result.t) > 0).all()


# ── samples ──


@pytest.mark.parametrize(
    "schedule",
    [
        FixedSteps(Method.DOPRI, 0.05, 30, sample=0.0171),
        FixedSteps(Method.RK4, 0.4, 4, sample=0.0171),
        AdaptiveSteps(Method.DOPRI, 1.5, sample=0.0171),
        AdaptiveSteps(Method.RODAS, 1.5, sample=0.0171),
    ],
)
def test_uniform_samples_across_impacts(problems, schedule) -> None:
    """Every sample is on the parabola of its flight."""
    start = MachineSnapshot(0, np.array([1.0, 0.0]))
    result = run_machine(ball(problems), start, schedule)
    t = np.arange(len(result.t) - 1) * 0.0171
    assert result.t[:-1] == pytest.approx(t, abs=1e-12)
    impacts = np.array([0.0, *(e.t for e in result.events)])
    after = np.array([[1.0, 0.0], *(e.x_after for e in result.events)])
    flight = np.searchsorted(impacts, result.t, side="right") - 1
    assert flight.max() >= 2
    s = result.t - impacts[flight]
    assert result.x[:, 0] == pytest.approx(after[flight, 1] * s - G * s**2 / 2 + after[flight, 0])
    assert result.x[:, 1] == pytest.approx(after[flight, 1] - G * s)


@each_method
def test_modes_of_different_sizes(problems, method: Method) -> None:
    """(y, v) → (y, v, impact speed) → one state that slides; each row as long as its mode says."""
    address, up = problems.library.address, np.array([1.0])
    fall = problems.system("fall", 1, context=BALL)
    both = problems.system("fall_and_remember", 1, 1, context=BALL)
    modes = (
        problems.mode(fall, "first_state", (1e-12,), Transition(0, -1, 1, address("grow"))),
        problems.mode(both, "second_state", (1e-12,), Transition(0, -1, 2, address("shrink"))),
        Mode(problems.system("slide", m=1, context=up)),
    )
    schedule = FixedSteps(method, 1e-3, 1000)
    result = run_machine(modes, MachineSnapshot(0, np.array([1.0, 0.0])), schedule)
    assert [(e.mode, e.next_mode) for e in result.events] == [(0, 1), (1, 2)]
    assert [len(e.x_before) for e in result.events] == [2, 3]
    assert [len(e.x_after) for e in result.events] == [3, 1]
    for mode, size in ((0, 2), (1, 3), (2, 1)):
        rows = result.x[result.mode == mode]
        assert len(rows) > 50
        assert np.isfinite(rows[:, :size]).all() and np.isnan(rows[:, size:]).all()
    # it hits the ground, goes up with half the speed until that is zero, then remembers it
    # MOREAU tells a line between steps
    fallen, near = np.sqrt(2 / G), {Method.EULER: 0.01, Method.MOREAU: 1e-6}.get(method, 1e-9)
    assert [e.t for e in result.events] == pytest.approx([fallen, 1.5 * fallen], abs=near)
    expected = -G * fallen + (1.0 - 1.5 * fallen)
    assert result.end.x == pytest.approx([expected], abs=5 * near)
    if method.estimates_error:
        tolerances = np.full((3, 3), 1e-9)
        adaptive = AdaptiveSteps(method, 1.0, tolerances, tolerances)
        result = run_machine(modes, MachineSnapshot(0, np.array([1.0, 0.0])), adaptive)
        assert result.end.x == pytest.approx([expected], abs=1e-8)


@each_method
def test_a_machine_of_one_mode_is_a_plain_run(problems, method: Method) -> None:
    system, x0 = problems.coupled(), np.array([0.3, -0.7, 1.1, 0.45, 0.85])
    schedules = [FixedSteps(method, 0.01, 100)]
    if method.estimates_error:
        schedules.append(AdaptiveSteps(method, 1.0))
    for schedule in schedules:
        plain = run(system, x0, schedule)
        result = run_machine((Mode(system),), MachineSnapshot(0, x0), schedule)
        assert result.x.tobytes() == plain.x.tobytes() and result.t.tobytes() == plain.t.tobytes()
        assert (result.evaluations, result.events) == (plain.evaluations, [])


def test_a_transition_that_never_fires_changes_nothing(problems) -> None:
    """The dense output of DOPRI costs no evaluation: same bits, same count."""
    low = np.array([-100.0])
    system = problems.system("duffing", 1, 1)
    watched = problems.mode(system, "wall", (1e-12,), Transition(0, -1, 0), context=low)
    schedule = FixedSteps(Method.DOPRI, 0.02, 200)
    plain = run(system, START.x, schedule)
    result = run_machine((watched,), START, schedule)
    assert result.x.tobytes() == plain.x.tobytes() and result.evaluations == plain.evaluations


# ── real time ──


class Host:
    """Single steps, as a real-time loop makes them, with a log of fixed length."""

    def __init__(self, problems, modes, start, method: Method, most: int = 16, rows: int = 8):
        schedule = FixedSteps(method, 1.0, 1)
        self.memory = MachineMemory(table_of(modes), start, schedule, most, 1e-9)
        self.machine = self.memory.machine
        self.events = np.zeros(rows, row_type("il_event"))
        self.states = np.zeros((rows, 2, len(self.memory.x)))
        self.machine.complete = 0
        self.machine.events, self.machine.event_capacity = self.events.ctypes.data, rows
        self.machine.event_states = address_of(self.states)
        library = problems.library
        self.call = library.function("il_machine_step", POINTER, REAL, REAL, REAL)
        assert library.function("il_machine_init", POINTER)(self.address) == Status.OK

    @property
    def address(self) -> int:
        return ctypes.addressof(self.machine)

    def step(self, t: float, h: float, t_new: float | None = None) -> int:
        return self.call(self.address, t, h, t + h if t_new is None else t_new)


@each_method
def test_a_real_time_host_gets_the_same_bits(problems, method: Method) -> None:
    h, steps = 0.02, 280
    whole = run_machine(oscillator(problems), START, FixedSteps(method, h, steps))
    host = Host(problems, oscillator(problems), START, method)
    for k in range(steps):
        assert host.step(k * h, h, (k + 1) * h) == Status.OK
    assert host.memory.x.tobytes() == whole.end.x.tobytes()
    count = host.machine.event_count
    assert count == len(whole.events) == 3 and host.machine.events_lost == 0
    assert list(host.events["t"][:count]) == [e.t for e in whole.events]


def test_a_full_log_counts_what_it_loses(problems) -> None:
    """In real time the motion goes on; the count says what is missing."""
    start = MachineSnapshot(0, np.array([1.0, 0.0]))
    h, modes = 1e-3, ball(problems)
    whole = run_machine(modes, start, FixedSteps(Method.RK4, h, 3000), most_events=16)
    host = Host(problems, modes, start, Method.RK4, rows=5)
    for k in range(3000):
        assert host.step(k * h, h) == Status.OK
    assert host.machine.event_count == 5 and len(whole.events) > 20
    assert host.machine.events_lost == len(whole.events) - 5
    assert host.machine.mode == 1 and (host.memory.x == whole.end.x).all()


def test_an_input_that_jumps_fires_at_the_start_of_the_next_step(problems) -> None:
    wall = WALL.copy()
    system = problems.system("duffing", 1, 1)
    watched = problems.mode(system, "wall", (1e-13,), Transition(0, -1, 1), context=wall)
    host = Host(problems, (watched, Mode(system)), START, Method.RK4)
    assert host.step(0.0, 0.01) == Status.OK and host.machine.event_count == 0
    wall[0] = host.memory.x[0] + 0.1  # the wall is suddenly above the body
    before = host.memory.x.copy()
    assert host.step(0.01, 0.01) == Status.OK and host.machine.mode == 1
    assert host.events["t"][0] == 0.01 and (host.states[0, 0] == before).all()


# ── steps that fail ──


class WarmPair:
    """Two modes with warm starts; the second one ends in a jump that fails."""

    def __init__(self, problems) -> None:
        self.contexts = [np.array([w, 0.0, np.inf, 0.0, 0.0]) for w in (1.4, 1.1)]
        self.levels, self.code = [np.array([0.4]), np.array([0.41])], np.array([77.0])
        refuse = problems.library.address("refuse")
        ways = [Transition(0, 1, 1), Transition(0, 1, 1, refuse, address_of(self.code))]
        self.modes = tuple(
            problems.mode(problems.warm(context), "wall", (1e-12,), way, context=level)
            for context, way, level in zip(self.contexts, ways, self.levels, strict=True)
        )

    def run(self, schedule) -> MachineRun:
        return run_machine(self.modes, MachineSnapshot(0, np.array([0.3, 1.0])), schedule)


@each_method
def test_a_failed_step_leaves_the_contexts_as_they_were(problems, method: Method) -> None:
    """Both levels are passed in one step: mode, state and warm starts are those before it."""
    failed, clean = WarmPair(problems), WarmPair(problems)
    result = failed.run(FixedSteps(method, 0.05, 100))
    assert (result.status, result.fault.mode, result.events) == (77, 1, [])
    expected = clean.run(FixedSteps(method, 0.05, result.steps))
    assert expected.status == Status.OK and result.steps > 0
    assert result.end.x.tobytes() == expected.end.x.tobytes() and result.end.mode == 0
    assert failed.contexts[0][0] == clean.contexts[0][0] != 1.4
    # the second one was saved once and brought back once
    assert failed.contexts[1].tolist() == [1.1, 1.1, np.inf, 1.0, 1.0]


@pytest.mark.parametrize("method", [Method.DOPRI, Method.RODAS])
def test_a_failed_adaptive_step_leaves_the_contexts_as_they_were(problems, method: Method) -> None:
    failed, clean = WarmPair(problems), WarmPair(problems)
    result = failed.run(AdaptiveSteps(method, 5.0))
    assert (result.status, result.fault.mode, len(result.events)) == (77, 1, 1)
    expected = clean.run(AdaptiveSteps(method, 5.0, max_steps=result.steps + result.rejected))
    assert expected.status == Status.TOO_MANY_STEPS and expected.rejected == result.rejected
    assert result.end.x.tobytes() == expected.end.x.tobytes() and result.end.mode == 1
    assert [c[0] for c in failed.contexts] == [c[0] for c in clean.contexts]
