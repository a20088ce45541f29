"""Uncontrollable and unobservable modes, by the Popov–Belevitch–Hautus test.

A mode with pole λ is uncontrollable if [λ - A, B] loses rank, and unobservable if the transpose
with C does. Rank is judged by the smallest singular value after scaling the states, so that units
do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.control.linear_model import Array, LinearModel
from inloop.errors import InputError

RANK = 1e-9  # smallest relative singular value of full rank
SHOWN = 3  # number of states by which a mode is described
FOUND = 3e-8  # relative accuracy of a double pole
STEADY = 1e-6  # relative distance from the stability limit that counts as on it


@dataclass(frozen=True)
class Mode:
    """An uncontrollable or unobservable mode.

    Attributes:
        pole: λ of exp(λ t) [1/s], also of a sampled model.
        states: names of the states with the largest share in the uncontrollable combination, or in
            the unobservable motion.
    """

    pole: complex
    states: tuple[str, ...]

    @property
    def frequency(self) -> float:
        """[Hz]; for a mode that does not oscillate, its rate over 2π."""
        return float(abs(self.pole) / (2.0 * np.pi))

    def __str__(self) -> str:
        held = ", ".join(f"'{state}'" for state in self.states)
        return f"the mode at {self.frequency:.4g} Hz (pole {self.pole:.4g} 1/s, in {held})"


def unmoved(model: LinearModel, *, all_modes: bool = False) -> list[Mode]:
    """Uncontrollable modes that do not decay.

    Args:
        model: continuous or sampled.
        all_modes: include those that decay.
    """
    return _cut_off(model, model.A, model.B, all_modes)


def unseen(model: LinearModel, *, all_modes: bool = False) -> list[Mode]:
    """Unobservable modes that do not decay; arguments as in `unmoved`."""
    return _cut_off(model, model.A.T, model.C.T, all_modes)


def insist_on_control(model: LinearModel, purpose: str) -> None:
    """Raise an error for modes that no controller can stabilize."""
    if modes := unmoved(model):
        inputs = ", ".join(f"'{name}'" for name in model.inputs)
        raise InputError(
            f"{purpose} cannot hold {modes[0]}: it does not decay and is not moved by {inputs}",
            fix="Add an input that moves it, or take it out of the model.",
        )


def insist_on_sight(model: LinearModel, purpose: str) -> None:
    """Raise an error for modes that no observer can track."""
    if modes := unseen(model):
        outputs = ", ".join(f"'{name}'" for name in model.outputs)
        raise InputError(
            f"{purpose} cannot follow {modes[0]}: it does not decay and is not seen in {outputs}",
            fix="Measure something that it moves, or take it out of the model.",
        )


def _cut_off(model: LinearModel, A: Array, B: Array, all_modes: bool) -> list[Mode]:
    """Uncontrollable modes of (A, B)."""
    balanced, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    reached = B / scale[:, None]
    size = np.linalg.norm(reached, axis=0)
    reached = reached / np.where(size > 0.0, size, 1.0)
    poles = np.linalg.eigvals(balanced)
    # poles of integrators are computed with errors; they are 0, or 1 per sample
    exact, doubt = 0.0 if model.period is None else 1.0, STEADY * np.abs(poles).max(initial=0.0)
    modes: list[Mode] = []
    for pole in poles:
        if pole.imag < 0.0 or not (all_modes or _stays(pole, poles, model.period)):
            continue
        tried = [pole, exact] if abs(pole - exact) < doubt else [pole]
        rank, part = min((_rank(at, balanced, reached) for at in tried), key=lambda r: r[0])
        if rank <= RANK:
            most = [j for j in np.argsort(-part, kind="stable")[:SHOWN] if part[j] > 0.1]
            names = tuple(model.states[j] for j in most)
            modes.append(Mode(_rate(pole, model.period), names))
    return modes


def _rank(pole: complex, A: Array, B: Array) -> tuple[float, Array]:
    """Relative distance of [λ - A, B] from losing rank, and participation of each state.

    Returns:
        Smallest over largest singular value, with normalized rows; magnitudes of the entries of the
        left null vector, normalized to a maximum of 1.
    """
    rows = np.hstack([pole * np.eye(len(A)) - A, B])
    length = np.linalg.norm(rows, axis=1)
    length[length == 0.0] = 1.0
    left, values, _ = np.linalg.svd(rows / length[:, None])
    part = np.abs(left[:, -1]) / length
    return float(values[-1] / values[0]), part / part.max()


def _stays(pole: complex, poles: Array, period: float | None) -> bool:
    """Whether a mode does not decay. Poles of integrators have errors due to the others."""
    if period is None:
        return bool(pole.real >= -max(STEADY * abs(pole), FOUND * np.abs(poles).max()))
    return bool(abs(pole) >= 1.0 - STEADY)


def _rate(pole: complex, period: float | None) -> complex:
    if period is None:
        return complex(pole)
    return complex(np.log(pole) / period) if pole != 0.0 else complex(-np.inf)
