"""Modes that no input moves, and modes that no output shows (Popov, Belevitch, Hautus).

A mode with pole λ cannot be moved if [λ - A, B] loses rank, and cannot be seen if its transpose
with C does. Rank is judged by the smallest singular value after the states have been scaled, so
that units do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.control.linear_model import Array, LinearModel
from inloop.errors import InputError

RANK = 1e-9  # smallest singular value over largest that still counts
SHOWN = 3  # states that a mode is told by
FOUND = 3e-8  # of the largest pole: to what a double pole is known
STEADY = 1e-6  # how far from the border of stability a pole counts as on it, relative


@dataclass(frozen=True)
class Mode:
    """A mode that is out of reach, or out of sight.

    Attributes:
        pole: λ of exp(λ t) [1/s], also of a sampled model.
        states: names of the states that take most part in the combination that nothing moves, or
            in the motion that nothing shows.
    """

    pole: complex
    states: tuple[str, ...]

    @property
    def frequency(self) -> float:
        """[Hz]; of a mode that does not oscillate, its rate over 2π."""
        return float(abs(self.pole) / (2.0 * np.pi))

    def __str__(self) -> str:
        held = ", ".join(f"'{state}'" for state in self.states)
        return f"the mode at {self.frequency:.4g} Hz (pole {self.pole:.4g} 1/s, in {held})"


def unmoved(model: LinearModel, *, all_modes: bool = False) -> list[Mode]:
    """Modes that need an input and get none: they do not decay, and no input moves them.

    Args:
        model: continuous or sampled.
        all_modes: those that decay by themselves too.
    """
    return _cut_off(model, model.A, model.B, all_modes)


def unseen(model: LinearModel, *, all_modes: bool = False) -> list[Mode]:
    """Modes that do not decay and that no output shows; arguments as in `unmoved`."""
    return _cut_off(model, model.A.T, model.C.T, all_modes)


def insist_on_control(model: LinearModel, purpose: str) -> None:
    """Complain about modes that no controller can hold."""
    if found := unmoved(model):
        inputs = ", ".join(f"'{name}'" for name in model.inputs)
        raise InputError(
            f"{purpose} cannot hold {found[0]}: it does not decay and is not moved by {inputs}",
            fix="Add an input that moves it, or take it out of the model.",
        )


def insist_on_sight(model: LinearModel, purpose: str) -> None:
    """Complain about modes that no observer can follow."""
    if found := unseen(model):
        outputs = ", ".join(f"'{name}'" for name in model.outputs)
        raise InputError(
            f"{purpose} cannot follow {found[0]}: it does not decay and is not seen in {outputs}",
            fix="Measure something that it moves, or take it out of the model.",
        )


def _cut_off(model: LinearModel, A: Array, B: Array, all_modes: bool) -> list[Mode]:
    """Modes of A that B does not reach."""
    balanced, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    reached = B / scale[:, None]
    size = np.linalg.norm(reached, axis=0)
    reached = reached / np.where(size > 0.0, size, 1.0)
    poles = np.linalg.eigvals(balanced)
    # poles of integrators are found with errors; they are 0, or 1 per sample
    exact, doubt = 0.0 if model.period is None else 1.0, STEADY * np.abs(poles).max(initial=0.0)
    found: list[Mode] = []
    for pole in poles:
        if pole.imag < 0.0 or not (all_modes or _stays(pole, poles, model.period)):
            continue
        tried = [pole, exact] if abs(pole - exact) < doubt else [pole]
        rank, part = min((_rank(at, balanced, reached) for at in tried), key=lambda r: r[0])
        if rank <= RANK:
            most = [j for j in np.argsort(-part, kind="stable")[:SHOWN] if part[j] > 0.1]
            names = tuple(model.states[j] for j in most)
            found.append(Mode(_rate(pole, model.period), names))
    return found


def _rank(pole: complex, A: Array, B: Array) -> tuple[float, Array]:
    """How far [λ - A, B] is from losing rank, and how much each state is part of the loss.

    Returns:
        Smallest over largest singular value, the rows scaled to length one; sizes of the entries of
        the vector that the matrix takes to zero, the largest one is 1.
    """
    rows = np.hstack([pole * np.eye(len(A)) - A, B])
    length = np.linalg.norm(rows, axis=1)
    length[length == 0.0] = 1.0
    left, values, _ = np.linalg.svd(rows / length[:, None])
    part = np.abs(left[:, -1]) / length
    return float(values[-1] / values[0]), part / part.max()


def _stays(pole: complex, poles: Array, period: float | None) -> bool:
    """Does a mode not decay? Poles of integrators are found with errors by all the others."""
    if period is None:
        return bool(pole.real >= -max(STEADY * abs(pole), FOUND * np.abs(poles).max()))
    return bool(abs(pole) >= 1.0 - STEADY)


def _rate(pole: complex, period: float | None) -> complex:
    if period is None:
        return complex(pole)
    return complex(np.log(pole) / period) if pole != 0.0 else complex(-np.inf)
