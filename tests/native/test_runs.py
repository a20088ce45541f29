"""Runs in C: samples, purity, continuation, divergence, Ctrl-C, progress, the ABI."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hand_written import Snapshot, run

from inloop.errors import InputError
from inloop.native import (
    COUNT,
    POINTER,
    REAL,
    FixedSteps,
    Method,
    Status,
    address_of,
    load_runtime,
)
from inloop.native.mirror import mirror
from inloop.native.running import interruptible

X0 = np.array([0.3, -0.7, 1.1, 0.45, 0.85])
NEVER = np.inf
# alpha is a step of the system itself: tests/simulate/test_alpha.py
GENERAL = [m for m in Method if m not in (Method.ALPHA, Method.EVENT_DRIVEN)]
each_method = pytest.mark.parametrize("method", GENERAL)


@each_method
def test_a_run_is_pure(problems, method: Method) -> None:
    context = np.array([NEVER, NEVER, 0.0])
    system, x0 = problems.coupled(context), X0.copy()
    schedule = FixedSteps(method, 3e-3, 500)
    first, second = run(system, x0, schedule), run(system, x0, schedule)
    assert first.t.tobytes() == second.t.tobytes() and first.x.tobytes() == second.x.tobytes()
    assert (context == [NEVER, NEVER, 0.0]).all() and (x0 == X0).all()


@pytest.mark.parametrize(("steps", "stride"), [(0, 1), (1, 1), (12, 4), (13, 4), (3, 10), (7, 7)])
def test_samples_are_those_of_single_steps(problems, steps: int, stride: int) -> None:
    h, t0, system = 0.013, 0.4, problems.coupled()
    start = Snapshot(X0, t=t0)
    every = run(system, start, FixedSteps(Method.RK4, h, steps))
    some = run(system, start, FixedSteps(Method.RK4, h, steps, stride=stride))
    chosen = sorted({*range(0, steps + 1, stride), steps})
    assert every.steps == some.steps == steps
    assert some.t == pytest.approx([t0 + k * h for k in chosen], rel=1e-15)
    assert (some.t == every.t[chosen]).all() and (some.x == every.x[chosen]).all()
    assert (some.x[0] == X0).all()
    parts = np.hstack([some.q, some.qd, some.z])
    assert (parts == some.x).all() and some.q.shape[1] == 2 and some.z.shape[1] == 1


@each_method
@pytest.mark.parametrize("sample", [0.013, 0.026, 0.005, 0.4])
@pytest.mark.parametrize("sign", [1, -1])
def test_uniform_samples(problems, method: Method, sample: float, sign: int) -> None:
    """Where a sample meets the end of a step it is the state there, and nothing comes twice."""
    h, steps, system = 0.013 * sign, 20, problems.coupled()
    start = Snapshot(X0, t=0.4)
    every = run(system, start, FixedSteps(method, h, steps))
    some = run(system, start, FixedSteps(method, h, steps, sample=sample))
    count = int(0.26 / sample + 1e-9)
    expected = 0.4 + sign * sample * np.arange(count + 1)
    if sample * count < 0.26 - 1e-9:
        expected = np.append(expected, every.t[-1])
    assert some.t == pytest.approx(expected, rel=1e-14)
    assert (some.x[-1] == every.x[-1]).all() and some.t[-1] == every.t[-1]
    if sample == 0.026:
        assert (some.x == every.x[::2]).all()


@each_method
@pytest.mark.parametrize("more", [{}, {"stride": 5}, {"sample": 0.0171}])
def test_continued_runs_are_bit_identical(problems, method: Method, more: dict) -> None:
    """Interrupted twice, at steps that are no multiple of anything, with a warm start."""
    whole, parts = (np.array([1.4, 0.0, NEVER, 0.0, 0.0]) for _ in range(2))
    h, start = 0.0123, Snapshot(np.array([0.3, 2.5]), t=0.37)
    reference = run(problems.warm(whole), start, FixedSteps(method, h, 200, **more))
    runs = []
    for steps in (61, 32, 107):
        runs.append(run(problems.warm(parts), start, FixedSteps(method, h, steps, **more)))
        start = runs[-1].end
    assert runs[-1].t[-1] == reference.t[-1] and runs[-1].end.step == 200
    assert runs[-1].x[-1].tobytes() == reference.x[-1].tobytes()
    assert whole[0] == parts[0]  # the warm start
    # every sample of the whole run is there, to the last bit
    t = np.concatenate([r.t for r in runs])
    x = np.concatenate([r.x for r in runs])
    t, rows = np.unique(t, return_index=True)
    common = np.isin(t, reference.t)
    assert (t[common] == reference.t).all() and (x[rows][common] == reference.x).all()


def test_a_fresh_snapshot_forgets_the_past(problems) -> None:
    system = problems.coupled()
    end = run(system, X0, FixedSteps(Method.DOPRI, 0.01, 30)).end
    assert end.slope is not None and end.step == 30 and end.origin == 0.0
    fresh = end.fresh()
    assert (fresh.slope, fresh.step, fresh.origin) == (None, 0, end.t)
    # another step begins a clock of its own
    other = run(system, end, FixedSteps(Method.DOPRI, 0.02, 10))
    assert other.t == pytest.approx(end.t + 0.02 * np.arange(11)) and other.end.step == 10


@each_method
def test_a_real_time_host_gets_the_same_bits(problems, method: Method) -> None:
    h, steps, x = 0.01, 150, X0.copy()
    context = np.array([NEVER, NEVER, 0.0])
    host = problems.library.function("host", COUNT, REAL, COUNT, POINTER, POINTER)
    assert host(method, h, steps, address_of(context), address_of(x)) == Status.OK
    result = run(problems.coupled(context), X0, FixedSteps(method, h, steps))
    assert x.tobytes() == result.x[-1].tobytes()
    # a step that fails leaves x as it was
    context[1:] = 0.5, Status.LOOP_OPEN
    x = X0.copy()
    assert host(method, h, steps, address_of(context), address_of(x)) == Status.LOOP_OPEN
    good = run(problems.coupled(context), X0, FixedSteps(method, h, steps))
    assert x.tobytes() == good.x[-1].tobytes() and good.status == Status.LOOP_OPEN


@each_method
@pytest.mark.parametrize("more", [{}, {"stride": 4}, {"sample": 0.0037}])
def test_divergence_keeps_what_is_good(problems, method: Method, more: dict) -> None:
    system = problems.coupled(np.array([0.905, NEVER, 0.0]))  # NaN from 0.905 s on
    result = run(system, X0, FixedSteps(method, 0.01, 1000, **more))
    assert result.status == Status.DIVERGED
    # the step from 0.90 s still looks good to Euler, unless the slope at its end is wanted, and to
    # the implicit method, which does not look beyond 0.903 s and needs no accelerations at the end
    blind = method == Method.IMPLICIT or (method == Method.EULER and "sample" not in more)
    assert result.steps == (91 if blind else 90)
    assert result.t[-1] == pytest.approx(0.01 * result.steps)
    assert np.isfinite(result.x).all() and (np.diff(result.t) > 0).all()
    reference = run(problems.coupled(), X0, FixedSteps(method, 0.01, result.steps))
    assert (result.x[-1] == reference.x[-1]).all()


@each_method
def test_a_failed_step_leaves_the_context_as_it_was(problems, method: Method) -> None:
    context = np.array([1.4, 0.0, 0.9, 0.0, 0.0])
    result = run(problems.warm(context), np.array([0.3, 2.5]), FixedSteps(method, 0.01, 900))
    assert result.status == Status.LOOP_OPEN and 10 < result.steps < 900
    assert (context[3], context[4]) == (result.steps + 1, 1)
    other = np.array([1.4, 0.0, NEVER, 0.0, 0.0])
    schedule = FixedSteps(method, 0.01, result.steps)
    reference = run(problems.warm(other), np.array([0.3, 2.5]), schedule)
    assert context[0] == other[0]
    assert (result.x[-1] == reference.x[-1]).all()


def test_a_status_of_the_model_ends_the_run(problems) -> None:
    system = problems.coupled(np.array([NEVER, 0.5, 77.0]))
    result = run(system, X0, FixedSteps(Method.EULER, 0.1, 50))
    assert (result.status, result.steps, len(result.t)) == (77, 5, 6)


def test_states_that_are_not_finite_are_refused(problems) -> None:
    bad = X0.copy()
    bad[3] = np.inf
    result = run(problems.coupled(), bad, FixedSteps(Method.RK4, 0.1, 3))
    assert (result.status, len(result.t)) == (Status.DIVERGED, 0)


@pytest.mark.parametrize(
    "schedule",
    [
        partial(FixedSteps, Method.RK4, 0.0, 5),
        partial(FixedSteps, Method.RK4, np.nan, 5),
        partial(FixedSteps, Method.RK4, 0.1, -1),
        partial(FixedSteps, Method.RK4, 0.1, 5, stride=0),
        partial(FixedSteps, Method.RK4, 0.1, 5, sample=0.0),
    ],
)
def test_senseless_schedules_are_refused(schedule: Callable[[], FixedSteps]) -> None:
    with pytest.raises(InputError):
        schedule()


def test_shapes_must_agree(problems) -> None:
    with pytest.raises(InputError, match=r"needs \(5,\)"):
        run(problems.coupled(), X0[:4], FixedSteps(Method.RK4, 0.1, 3))


def test_more_samples_than_one_block(problems) -> None:
    result = run(problems.coupled(), X0, FixedSteps(Method.EULER, 1e-5, 200_000))
    assert len(result.t) == 200_001
    assert np.diff(result.t) == pytest.approx(1e-5, rel=1e-6)


def test_progress_is_told(problems, monkeypatch) -> None:
    monkeypatch.setattr(interruptible, "WATCH_PERIOD", 1e-4)
    told: list[float] = []
    system = problems.coupled()
    schedule = FixedSteps(Method.RK4, 1e-6, 400_000, stride=10**5)
    run(system, X0, schedule, watch=told.append)
    assert told and told == sorted(told) and told[0] >= 0 and told[-1] <= 1


def test_an_error_of_the_watch_ends_the_run(problems) -> None:
    def refuse(fraction: float) -> None:
        raise ValueError(f"{fraction}")

    with pytest.raises(ValueError):
        run(problems.coupled(), X0, FixedSteps(Method.RK4, 1e-9, 10**9, stride=10**8), watch=refuse)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("schedule", "done"),
    [
        ("FixedSteps(Method.RK4, 1e-7, 10**9, stride=10**4)", 3e4 / 1e9),
        (
            "AdaptiveSteps(Method.DOPRI, 1e3, max_step=1e-7, max_steps=10**10, stride=10**4)",
            3e4 * 1e-7 / 1e3,
        ),
    ],
)
def test_ctrl_c_keeps_what_there_is(schedule: str, done: float, problems) -> None:
    """Another process that would run for minutes sends SIGINT to itself after 30,000 steps."""
    code = f"""
        import os, signal, sys, threading, time, numpy as np
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from hand_written import System, run
        from inloop.native import *
        from inloop.native.running import machine_memory
        library = NativeLibrary({str(problems.library.path)!r})
        load_runtime()
        context = np.array([7.3])
        call = machine_memory.call_interruptible

        def press(run):
            while run.fraction < {done}:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        def call_and_press(name, run, *rest, **options):
            threading.Thread(target=press, args=(run,), daemon=True).start()
            return call(name, run, *rest, **options)

        machine_memory.call_interruptible = call_and_press
        system = System(library.address("pendulum"), 1, context=address_of(context))
        result = run(system, np.array([0.3, -0.7]), {schedule})
        print(Status(result.status).name, result.steps >= 30_000, len(result.t) >= 3)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert output.stdout.split() == ["STOPPED", "True", "True"], output.stderr


def test_runtime_allocates_nothing(require_program: Callable[[str], str]) -> None:
    require_program("nm")
    library = load_runtime()
    wanted = {name for name in library.needed_symbols() if not name.startswith("_")}
    others = {"pow", "sqrt", "floor", "log", "tanh", "fmax", "fmin", "frexp", "ldexp"}
    angles = {"sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2"}
    assert wanted <= {"memcpy", "memset", "memmove"} | angles | others
    names = library.exported_symbols()
    assert all(name.startswith("il_") for name in names)
    assert {"il_initialize", "il_advance", "il_outputs", "il_run_fixed", "il_step"} <= set(names)


def test_bad_arguments_do_not_crash() -> None:
    size = load_runtime().function("il_work_size", COUNT, COUNT, COUNT, returns=COUNT)
    assert size(99, 3, 0) == size(0, -1, 0) == size(0, 1, -1) == -1
    for name in ("il_run_fixed", "il_run_adaptive"):
        empty = mirror("il_run")()
        function = load_runtime().function(name, POINTER)
        assert function(ctypes.addressof(empty)) == Status.BAD_ARGUMENT
