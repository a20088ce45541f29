"""A linear model with names: xd = A x + B u, y = C x + D u, continuous or sampled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Protocol

import numpy as np
import numpy.typing as npt

from inloop.errors import InputError

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]


class Matrices(Protocol):
    """Result of `plant.linearize`."""

    @property
    def A(self) -> Array: ...  # noqa: D102, N802
    @property
    def B(self) -> Array: ...  # noqa: D102, N802
    @property
    def C(self) -> Array: ...  # noqa: D102, N802
    @property
    def D(self) -> Array: ...  # noqa: D102, N802
    @property
    def states(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def inputs(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def outputs(self) -> tuple[str, ...]: ...  # noqa: D102


@dataclass(frozen=True)
class LinearModel:
    """Deviations from an operating point: x of the states, u of the inputs, y of the outputs.

    Attributes:
        A: shape (n, n); [1/s] if continuous.
        B: shape (n, inputs).
        C: shape (outputs, n).
        D: shape (outputs, inputs).
        states, inputs, outputs: names of the entries of x, u and y.
        period: time between samples [s]; None for a continuous model.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    period: float | None = None

    def __post_init__(self) -> None:
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        shapes = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
        for name, shape in shapes.items():
            matrix = np.array(getattr(self, name), dtype=np.float64)
            if matrix.shape != shape or not np.all(np.isfinite(matrix)):
                raise InputError(
                    f"{name} of a model with {n} states, {m} inputs and {p} outputs has the shape "
                    f"{matrix.shape} or holds NaN",
                    fix=f"Give finite numbers of shape {shape}.",
                )
            object.__setattr__(self, name, matrix)
        if self.period is not None and not 0.0 < self.period < math.inf:
            raise InputError(f"a period of {self.period} s makes no sense", fix="Give one > 0 s.")

    @classmethod
    def of(cls, linear: Matrices) -> LinearModel:
        """The model of a linearization."""
        matrices = (linear.A, linear.B, linear.C, linear.D)
        return cls(*matrices, linear.states, linear.inputs, linear.outputs)

    @property
    def poles(self) -> Complex:
        """Eigenvalues of A: [1/s] if continuous, factors per sample if sampled."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    @property
    def gain(self) -> Array:
        """Static gain, shape (outputs, inputs)."""
        rest = -self.A if self.period is None else np.eye(len(self.A)) - self.A
        return np.asarray(self.C @ np.linalg.solve(rest, self.B) + self.D)

    def response(self, frequency: Sequence[float] | Array) -> Complex:
        """Transfer matrix at frequencies [Hz], shape (frequencies, outputs, inputs)."""
        s = 2j * np.pi * np.asarray(frequency, dtype=np.float64)[:, None, None]
        if self.period is not None:
            s = np.exp(s * self.period)
        inner = np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B)
        return np.asarray(self.C @ inner + self.D)

    def observe(self, outputs: Mapping[str, Mapping[str, float]]) -> LinearModel:
        """The same model with outputs that are combinations of states.

        Args:
            outputs: by name, the states of each output with their factors: {"strain": {"mid.q":
                200.0}}.
        """
        C = np.zeros((len(outputs), len(self.states)))
        for row, parts in enumerate(outputs.values()):
            for state, factor in parts.items():
                C[row, index(self.states, state, "state")] = factor
        D = np.zeros((len(outputs), len(self.inputs)))
        return replace(self, C=C, D=D, outputs=tuple(outputs))

    def select(self, outputs: Sequence[str]) -> LinearModel:
        """The same model with selected outputs, in this order."""
        rows = [index(self.outputs, name, "output") for name in outputs]
        return replace(self, C=self.C[rows], D=self.D[rows], outputs=tuple(outputs))


def index(names: Sequence[str], name: str, what: str) -> int:
    """Index of a name.

    Raises:
        InputError: it is not among the names.
    """
    if name in names:
        return list(names).index(name)
    shown = ", ".join(names[:12]) or "none"
    raise InputError(f"the model has no {what} '{name}'", fix=f"It has: {shown}.")


def diagonal(names: Sequence[str], values: Mapping[str, float], what: str, kind: str) -> Array:
    """A diagonal matrix from numbers by name; default: 0.

    Args:
        names: names of the diagonal entries.
        values: numbers >= 0 by name.
        what: kind of the names: "output", "input".
        kind: kind of the numbers, for messages: "weight".
    """
    diagonal = np.zeros(len(names))
    if not isinstance(values, Mapping):
        raise InputError(f"the {kind} of each {what} is {values!r}", fix="Write {name: number}.")
    for name, value in values.items():
        if not isinstance(value, Real) or not 0.0 <= value < math.inf:
            raise InputError(
                f"the {kind} of {what} '{name}' cannot be {value}", fix="Give a number >= 0."
            )
        diagonal[index(names, name, what)] = value
    return np.diag(diagonal)
