"""Signals over time, as programs: what a run feeds to inputs and driven joints."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from inloop.errors import ExpressionError, InputError
from inloop.formalisms.derive import Derivation
from inloop.model.laws import what_failed
from inloop.symbolic import Expr, Input, Output, Program, forward
from inloop.symbolic import functions as sf

Samples = tuple[Sequence[float], Sequence[float]]
Signal = Callable[[Any], Any] | Samples


def over_time(signal: Signal, t: Expr, label: str) -> Expr:
    """A signal as an expression of time.

    Args:
        signal: a function of time, which is traced, or samples (times, values), through which a
            cubic spline runs; it is constant before and after them.
        t: time [s].
        label: what the signal is for, in messages.
    """
    if callable(signal):
        try:
            return t.graph.wrap(signal(t))
        except Exception as error:  # whatever the user's function raises is the user's mistake
            what, fix = what_failed(error)
            raise InputError(f"{label}: {what}", fix=fix) from error
    try:
        times, values = signal
        return t.graph.wrap(sf.table(t, times, values, kind="cubic"))
    except ExpressionError as error:
        raise InputError(f"{label}: {error.mistakes[0].what}", fix=error.mistakes[0].fix) from error
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{label} is neither a number nor a function of time nor samples",
            fix="Write 0.3, lambda t: il.sin(t), or (times, values).",
        ) from error


def input_program(
    derivation: Derivation, signals: Mapping[str, Signal], constant: Collection[str] = ()
) -> Program:
    """The vector u over time.

    Where the position of a live drive is a signal, velocity and acceleration are its derivatives
    unless they are given too.

    Args:
        derivation: of the mechanism.
        signals: by name of an input.
        constant: names of other inputs that were given.
    """
    t, graph = derivation.symbols.t, derivation.graph
    found = {name: over_time(signal, t, f"input '{name}'") for name, signal in signals.items()}
    for drive in derivation.mechanism.drives:
        for lower, upper in pairwise(item.name for item in drive.inputs):
            if lower in found and upper not in found and upper not in constant:
                found[upper] = forward([found[lower]], t)[0]
    names = derivation.input_names
    steady = [graph.symbol(f"u0.{name}") for name in names]
    values = [found.get(name, symbol) for name, symbol in zip(names, steady, strict=True)]
    return Program(
        name_of("inputs", values),
        (Input("t", (t,), "time [s]"), Input("u0", tuple(steady), "constant inputs")),
        (Output.vector("u", values, "inputs: " + ", ".join(names)),),
        "Inputs as functions of time.",
        "",
    )


def name_of(stem: str, exprs: Sequence[Expr]) -> str:
    """A name that tells functions of different expressions apart."""
    ids = ",".join(str(e.id) for e in exprs)
    return f"{stem}_{hashlib.sha256(ids.encode()).hexdigest()[:8]}"
