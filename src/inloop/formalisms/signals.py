"""Signals over time as programs: what a run feeds to inputs and driven joints.

Each program is traced in its own graph: it depends on time only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from inloop.errors import ExpressionError, InputError
from inloop.model import Mechanism
from inloop.model.intake import is_number
from inloop.model.laws.tracing import what_failed
from inloop.symbolic import Expr, Graph, Input, Output, Program, forward
from inloop.symbolic.samples import samples_over_time

Samples = tuple[Sequence[float], Sequence[float]]
Signal = Callable[[Any], Any] | Samples | float


def over_time(signal: Signal, t: Expr, label: str) -> Expr:
    """A signal as an expression of time.

    Args:
        signal: a function of time, which is traced, samples (times, values), interpolated by a
            cubic spline and constant outside, or a number.
        t: time [s].
        label: purpose of the signal, for messages.
    """
    if callable(signal):
        try:
            found, again = t.graph.wrap(signal(t)), t.graph.wrap(signal(t))
        except Exception as error:  # any exception is a mistake in the user's function
            what, fix = what_failed(error)
            raise InputError(f"{label}: {what}", fix=fix) from error
        if found is not again:  # equal expressions of a graph are one object
            raise InputError(
                f"{label} is a function that returns something else when it is called again",
                fix="It is called with a symbol for the time, not at each step: give noise as "
                "samples (times, values), and what depends on earlier calls as a controller.",
            )
        return found
    given: Any = signal
    try:
        if is_number(given):
            return t.graph.wrap(float(given))
        times, values = given
        return samples_over_time(t, times, values)
    except ExpressionError as error:
        raise InputError(f"{label}: {error.mistakes[0].what}", fix=error.mistakes[0].fix) from error
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{label} is neither a number nor a function of time nor samples",
            fix="Write 0.3, lambda t: il.sin(t), or (times, values).",
        ) from error


def with_derivatives(position: Expr, t: Expr) -> tuple[Expr, Expr, Expr]:
    """A function of time with its first and second derivative."""
    (velocity,) = forward([position], t)
    (acceleration,) = forward([velocity], t)
    return position, velocity, acceleration


def input_program(
    mechanism: Mechanism, signals: Mapping[str, Signal], constant: Collection[str] = ()
) -> Program:
    """Inputs over time: one output with one entry for each, under its name.

    If the position of a live drive is a signal, its velocity and acceleration are the derivatives
    unless they are given too.

    Args:
        mechanism: its live drives determine which inputs are derivatives of others.
        signals: signals by input name.
        constant: names of other inputs with a constant value.
    """
    t = Graph().symbol("t")
    found = {name: over_time(signal, t, f"input '{name}'") for name, signal in signals.items()}
    for drive in mechanism.drives:
        for lower, upper in pairwise(item.name for item in drive.inputs):
            if lower in found and upper not in found and upper not in constant:
                found[upper] = forward([found[lower]], t)[0]
    outputs = tuple(Output.vector(name, [value]) for name, value in found.items())
    return Program("inputs", (_time(t),), outputs, "Inputs as functions of time.", "")


def motion_program(motions: Mapping[str, Signal]) -> Program:
    """Position, velocity and acceleration of driven joints, by name of the joint."""
    t = Graph().symbol("t")
    rows = [
        with_derivatives(over_time(motion, t, f"drive '{joint}'"), t)
        for joint, motion in motions.items()
    ]
    return Program(
        "motions", (_time(t),), motion_outputs(rows), "Motion given to driven joints.", ""
    )


def motion_outputs(rows: Sequence[Sequence[Expr]]) -> tuple[Output, Output, Output]:
    """Results for driven joints: position, velocity and acceleration of each."""
    return (
        Output.vector("qs", [row[0] for row in rows], "positions [rad or m]"),
        Output.vector("qds", [row[1] for row in rows], "velocities [rad/s or m/s]"),
        Output.vector("qdds", [row[2] for row in rows], "accelerations [rad/s² or m/s²]"),
    )


def _time(t: Expr) -> Input:
    return Input("t", (t,), "time [s]")
