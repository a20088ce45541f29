"""Fixed-step integrators in C against a closed form: order, purity, divergence, Ctrl-C."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from inloop.errors import InputError
from inloop.native import (
    COUNT,
    BuildOptions,
    Method,
    NativeLibrary,
    Schedule,
    Status,
    address_of,
    build_library,
    load_runtime,
    run_fixed,
    runtime_headers,
    runtime_sources,
)

STRICT = BuildOptions(strict=True)

# two driven, damped oscillators; context = (k1, d1, k2, d2, amplitude, frequency, t_nan, t_end)
OSCILLATOR = """#include <math.h>
#include "il_steppers.h"
IL_EXPORT int oscillator(void *context, double t, const double *q, const double *qd, double *qdd)
{
    const double *c = context;
    if (t >= c[7]) return 77;
    qdd[0] = -c[0] * q[0] - c[1] * qd[0] + c[4] * cos(c[5] * t);
    qdd[1] = -c[2] * q[1] - c[3] * qd[1];
    if (t >= c[6]) qdd[1] = log(-c[2]);
    return IL_OK;
}
"""
NEVER = np.inf
CONTEXT = np.array([7.3, 0.4, 2.9, 0.15, 1.7, 2.1, NEVER, NEVER])
Q0, QD0 = np.array([0.3, -0.7]), np.array([1.1, 0.45])


@pytest.fixture(scope="module")
def oscillator() -> int:
    headers = runtime_headers()
    library = NativeLibrary(build_library({"oscillator.c": OSCILLATOR}, headers, options=STRICT))
    return library.address("oscillator")


Run = Callable[..., Any]


@pytest.fixture
def run(oscillator: int) -> Run:
    def start(schedule: Schedule, context: np.ndarray = CONTEXT) -> Any:
        return run_fixed(oscillator, address_of(context), Q0, QD0, schedule)

    return start


def closed_form(t: float) -> np.ndarray:
    """q1, q2, qd1, qd2 of the driven and the free damped oscillator at time t [s]."""
    k, d, k2, d2, a, w = CONTEXT[:6]
    # particular solution of q'' + d q' + k q = a cos(w t): Re(A exp(i w t))
    A = a / (k - w**2 + 1j * d * w)
    columns = []
    for stiffness, damping, q, qd, P in ((k, d, Q0[0], QD0[0], A), (k2, d2, Q0[1], QD0[1], 0j)):
        root = -damping / 2 + 1j * np.sqrt(stiffness - damping**2 / 4)
        # homogeneous part Re(B exp(root t)) with the initial values that remain
        x, v = q - P.real, qd - (1j * w * P).real
        B = x - 1j * (v - root.real * x) / root.imag
        columns.append(
            (
                (B * np.exp(root * t) + P * np.exp(1j * w * t)).real,
                (root * B * np.exp(root * t) + 1j * w * P * np.exp(1j * w * t)).real,
            )
        )
    return np.array(columns).T.ravel()


@pytest.mark.parametrize(
    ("method", "order", "steps"), [(Method.EULER, 1, 800), (Method.RK4, 4, 50)]
)
def test_order_of_convergence(run: Run, method: Method, order: int, steps: int) -> None:
    t_end, errors = 2.0, []
    for refinement in (1, 2, 4):
        count = steps * refinement
        result = run(Schedule(method, t_end / count, count))
        assert result.status == Status.OK and result.t[-1] == pytest.approx(t_end, rel=1e-14)
        state = np.concatenate([result.q[-1], result.qd[-1]])
        errors.append(np.abs(state - closed_form(t_end)).max())
    assert np.abs(Q0 - result.q[-1]).min() > 0.1  # it has moved
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert measured == pytest.approx(order, abs=0.1)


def test_symplectic_euler_keeps_energy_bounded(run: Run) -> None:
    """Without damping and drive the energy error is bounded by h for 1,600 periods."""
    context = CONTEXT.copy()
    context[[1, 3, 4]] = 0.0
    h = 1e-2
    result = run(Schedule(Method.EULER, h, 400_000, stride=97), context)
    energy = 0.5 * result.qd**2 + 0.5 * context[[0, 2]] * result.q**2
    frequency = np.sqrt(context[[0, 2]])
    assert (np.abs(energy / energy[0] - 1).max(axis=0) < frequency * h).all()


def test_a_run_is_pure(run: Run) -> None:
    schedule = Schedule(Method.RK4, 3e-3, 500, t0=0.2)
    context = CONTEXT.copy()
    first, second = run(schedule, context), run(schedule, context)
    for name in ("t", "q", "qd"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
    assert (context == CONTEXT).all()
    assert (Q0 == [0.3, -0.7]).all() and (QD0 == [1.1, 0.45]).all()


@pytest.mark.parametrize(("steps", "stride"), [(0, 1), (1, 1), (12, 4), (13, 4), (3, 10), (7, 7)])
def test_samples_are_those_of_single_steps(run: Run, steps: int, stride: int) -> None:
    h, t0 = 0.013, 0.4
    every = run(Schedule(Method.RK4, h, steps, t0=t0))
    some = run(Schedule(Method.RK4, h, steps, t0=t0, stride=stride))
    chosen = sorted({*range(0, steps + 1, stride), steps})
    assert every.steps_done == some.steps_done == steps
    assert some.t == pytest.approx([t0 + k * h for k in chosen], rel=1e-15)
    assert (some.t == every.t[chosen]).all()
    assert (some.q == every.q[chosen]).all() and (some.qd == every.qd[chosen]).all()
    assert (some.q[0] == Q0).all() and (some.qd[0] == QD0).all()


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("stride", [1, 4])
def test_divergence_keeps_what_is_good(run: Run, method: Method, stride: int) -> None:
    context = CONTEXT.copy()
    context[6] = 0.905  # the acceleration is NaN from here on [s]
    result = run(Schedule(method, 0.01, 1000, stride=stride), context)
    assert result.status == Status.DIVERGED
    # the step from 0.90 s still looks good to Euler, not to a method that looks ahead
    assert result.steps_done == (91 if method == Method.EULER else 90)
    assert result.t[-1] == pytest.approx(0.01 * result.steps_done)
    assert np.isfinite(result.q).all() and np.isfinite(result.qd).all()
    reference = run(Schedule(method, 0.01, result.steps_done))
    assert (result.q[-1] == reference.q[-1]).all()


def test_a_status_of_the_model_ends_the_run(run: Run) -> None:
    context = CONTEXT.copy()
    context[7] = 0.5
    result = run(Schedule(Method.EULER, 0.1, 50), context)
    assert (result.status, result.steps_done, len(result.t)) == (77, 5, 6)


def test_states_that_are_not_finite_are_refused(oscillator: int) -> None:
    bad = np.array([0.3, np.inf])
    schedule = Schedule(Method.RK4, 0.1, 3)
    result = run_fixed(oscillator, address_of(CONTEXT), Q0, bad, schedule)
    assert (result.status, len(result.t)) == (Status.DIVERGED, 0)


@pytest.mark.parametrize(
    "schedule",
    [
        partial(Schedule, Method.RK4, 0.0, 5),
        partial(Schedule, Method.RK4, np.nan, 5),
        partial(Schedule, Method.RK4, 0.1, -1),
        partial(Schedule, Method.RK4, 0.1, 5, stride=0),
    ],
)
def test_senseless_schedules_are_refused(schedule: Callable[[], Schedule]) -> None:
    with pytest.raises(InputError):
        schedule()


def test_shapes_must_agree(oscillator: int) -> None:
    with pytest.raises(InputError, match="shape"):
        run_fixed(oscillator, 0, Q0, QD0[:1], Schedule(Method.RK4, 0.1, 3))


def test_ctrl_c_keeps_what_there_is() -> None:
    """Another process runs for minutes, sends SIGINT to itself after 0.3 s and goes on."""
    code = f"""
        import os, signal, threading, numpy as np
        from inloop.native import *
        text = {OSCILLATOR!r}
        library = NativeLibrary(build_library({{"oscillator.c": text}}, runtime_headers()))
        load_runtime()
        context = np.array({CONTEXT[:6].tolist()} + [np.inf, np.inf])
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        schedule = Schedule(Method.RK4, 1e-7, 10**9, stride=10**4)
        result = run_fixed(library.address("oscillator"), address_of(context),
                           np.array([0.3, -0.7]), np.array([1.1, 0.45]), schedule)
        print(Status(result.status).name, result.steps_done > 1000, len(result.t) > 1)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert output.stdout.split() == ["STOPPED", "True", "True"], output.stderr


def test_runtime_allocates_nothing(require_program: Callable[[str], str]) -> None:
    require_program("nm")
    library = NativeLibrary(build_library(runtime_sources(), runtime_headers(), options=STRICT))
    wanted = {name for name in library.needed_symbols() if not name.startswith("_")}
    assert wanted <= {"memcpy", "memset", "memmove"}
    assert library.exported_symbols() == (
        "il_run_fixed",
        "il_sample_count",
        "il_step_euler",
        "il_step_rk4",
        "il_work_size",
    )


def test_python_knows_the_numbers_of_the_header() -> None:
    headers = runtime_headers()
    for enum, name in ((Status, "il_status.h"), (Method, "il_steppers.h")):
        numbers = {key: int(v) for key, v in re.findall(r"IL_(\w+) = (\d+)", headers[name])}
        assert numbers == {member.name: member.value for member in enum}


def test_bad_arguments_do_not_crash() -> None:
    assert load_runtime().function("il_work_size", COUNT, COUNT, returns=COUNT)(99, 3) == -1
