"""Evaluate programs node by node: slow and simple, the reference for all back ends.

Works with NumPy or with another arithmetic: any type that supports the operations in `OPERATIONS`
can take the place of numbers, including symbols of other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.symbolic.charts import Chart
from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import reachable
from inloop.symbolic.operations import OPERATIONS
from inloop.symbolic.program import Program
from inloop.symbolic.tables import PiecewisePolynomial

# functions by operation name; "table" and "table2" get the table as their first argument
Arithmetic = Mapping[str, Callable[..., Any]]


def _table(table: PiecewisePolynomial, x: Any) -> Any:
    return table(x)


def _chart(chart: Chart, x: Any, y: Any) -> Any:
    return chart(x, y)


NUMPY: Arithmetic = {
    **{name: operation.array for name, operation in OPERATIONS.items()},
    "table": _table,
    "table2": _chart,
}


def evaluate(
    exprs: Iterable[Expr], values: Mapping[Expr, Any], arithmetic: Arithmetic = NUMPY
) -> list[Any]:
    """Evaluate expressions for given values of their symbols.

    Args:
        exprs: expressions to evaluate.
        values: value of each symbol: numbers, arrays or elements of the arithmetic.
        arithmetic: functions that implement the operations.
    """
    wanted = list(exprs)
    known: dict[Expr, Any] = dict(values)
    for node in reachable(wanted):
        if node in known:
            continue
        if node.op == "const":
            known[node] = node.value
        elif node.op == "symbol":
            raise InputError(f"no value for symbol '{node.name}'", fix="Give one for every symbol.")
        else:
            data = (node.payload,) if node.op in ("table", "table2") else ()
            known[node] = arithmetic[node.op](*data, *(known[a] for a in node.args))
    return [known[e] for e in wanted]


def interpret(program: Program, **inputs: Any) -> dict[str, np.ndarray]:
    """Run a program.

    Args:
        program: the program to evaluate.
        inputs: one array for each input block, of shape (n,) or, for many states, (N, n).

    Returns:
        One array for each output, of the output's shape or (N, *shape).
    """
    values, count = _input_values(program, inputs)
    with np.errstate(all="ignore"):
        flat = iter(evaluate(program.exprs, values))
    result = {}
    for out in program.outputs:
        items = [np.broadcast_to(next(flat), () if count is None else (count,)) for _ in out.exprs]
        lead = () if count is None else (count,)
        stacked = np.stack(items, axis=-1) if items else np.zeros((*lead, 0))
        result[out.name] = np.array(stacked, float).reshape((*lead, *out.shape))
    return result


def _input_values(
    program: Program, inputs: Mapping[str, Any]
) -> tuple[dict[Expr, Any], int | None]:
    """Value of every input symbol, and the number of states (None for a single state)."""
    known = [block.name for block in program.inputs]
    for name in inputs:
        if name not in known:
            raise InputError(f"program '{program.name}' has no input '{name}'", fix=_takes(known))
    values: dict[Expr, Any] = {}
    count: int | None = None
    for block in program.inputs:
        if block.name not in inputs:
            raise InputError(f"input '{block.name}' is missing", fix=_takes(known))
        array = np.asarray(inputs[block.name], float)
        if array.ndim > 2 or array.shape[-1:] != (len(block.symbols),):
            raise InputError(
                f"input '{block.name}' has shape {array.shape}, needs {len(block.symbols)} entries",
                fix="The last axis runs over the entries.",
            )
        if array.ndim == 2:
            if count not in (None, array.shape[0]):
                raise InputError(
                    f"input '{block.name}' has {array.shape[0]} states, another one has {count}",
                    fix="Give all inputs the same number of states, or one state.",
                )
            count = array.shape[0]
        values.update(zip(block.symbols, np.moveaxis(array, -1, 0), strict=True))
    return values, count


def _takes(known: list[str]) -> str:
    return f"It takes {', '.join(known) or 'nothing'}."
