"""Modal analysis about an equilibrium."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.analysis.at_rest import not_at_rest
from inloop.analysis.equilibrium import equilibrium
from inloop.analysis.law_states import state_vector, states_at_rest
from inloop.analysis.reduction import Reduction, input_vector
from inloop.analysis.small_motion import Complex, small_motion
from inloop.analysis.unknowns import Setting, independent
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list
from inloop.plant.keywords import checked_call
from inloop.simulate.start import Given, vector

SHOWN = 4  # coordinates per mode shape in the table
REST = "Use q=plant.equilibrium(q=...).q, give efforts tau that hold it, or name joints in fixed=."
STILL = 1e-12  # coordinates below this fraction of a state do not take part in a mode


@dataclass(frozen=True)
class Eigenmodes:
    """Modes sorted by frequency, one per conjugate pair.

    Attributes:
        name: name of the model.
        coordinates: names of the coordinates.
        q: the position [rad or m].
        eigenvalues: λ [1/s], shape (modes,).
        shapes: mode shapes in all coordinates, largest entry 1, shape (n, modes), complex.
        error: estimated maximum error of the stiffness and damping matrices.
        states: names of the states of force laws.
        state_shapes: mode shapes in these states, in their units, shape (states, modes), complex.
        notes: notes on the position, also issued as a warning.
    """

    name: str
    coordinates: tuple[str, ...]
    q: Array
    eigenvalues: Complex
    shapes: Complex
    error: float
    states: tuple[str, ...]
    state_shapes: Complex
    notes: tuple[str, ...] = ()

    @property
    def frequencies(self) -> Array:
        """Undamped natural frequencies |λ| / 2π [Hz]."""
        return np.asarray(np.abs(self.eigenvalues) / (2.0 * np.pi))

    @property
    def damping(self) -> Array:
        """Damping ratios -Re λ / |λ|: 1 for overdamped motions, negative for growing ones."""
        size = np.abs(self.eigenvalues)
        return np.asarray(-self.eigenvalues.real / np.where(size > 0.0, size, 1.0) + 0.0)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __str__(self) -> str:
        head = f"modes of '{self.name}'"
        rows = ["  mode  frequency [Hz]  damping [%]  shape"]
        for k in range(len(self)):
            frequency, damping = self.frequencies[k], 100.0 * self.damping[k]
            rows.append(f"{k + 1:6d}{frequency:16.6g}{damping:13.4g}  {self._shape(k)}")
        return "\n".join([head, *rows, *(f"  note: {note}" for note in self.notes)])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def _shape(self, mode: int) -> str:
        shape = self.shapes[:, mode]
        largest = np.argsort(-np.abs(shape), kind="stable")[:SHOWN]
        parts = [_entry(self.coordinates[k], shape[k]) for k in largest if abs(shape[k]) > 5e-4]
        if not parts:
            beside = self.state_shapes[:, mode]
            parts = [
                _entry(name, value)
                for name, value in zip(self.states, beside, strict=True)
                if abs(value) > 5e-4
            ]
        return ", ".join(parts)


@checked_call
def eigenmodes(
    plant: BarePlant,
    q: Given = None,
    *,
    fixed: Sequence[str] = (),
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    states: Mapping[str, float] | Array | None = None,
    t: float = 0.0,
) -> Eigenmodes:
    """Eigenvalues and mode shapes of small motions about an equilibrium.

    Args:
        plant: the compiled mechanism.
        q: the position, by name or as a vector; default: the equilibrium near the joints' initial
            values. If it is not an equilibrium, a warning and the notes say so.
        fixed: independent coordinates that are held.
        tau: joint efforts [N·m or N].
        inputs: values of named inputs.
        states: initial guess of states of force laws at rest, as for `equilibrium`.
        t: time in force laws [s].
    """
    reduction = Reduction(plant)
    efforts, u = vector(plant, tau, [0.0] * plant.n, "tau"), input_vector(plant, inputs)
    if q is None:
        rest = equilibrium(plant, fixed=fixed, tau=tau, inputs=inputs, states=states, t=t)
        at, z = rest.q, rest.z
        reduction.hold(at)
    else:
        at = reduction.start(q)
        z = states_at_rest(reduction, at, state_vector(plant, states), u, t)
    held = [independent(reduction, name) for name in name_list(fixed, "fixed")]
    free = [k for k in reduction.independent if k not in held]
    setting = Setting(at, efforts, u, z, t)
    small = small_motion(reduction, setting, free)
    note = not_at_rest(reduction, setting, free, small.M, small.K)
    if note:
        note += f", so there are no vibrations about it. {REST}"
        warnings.warn(note, stacklevel=3)
    values, vectors = small.eigen()
    chosen = _upper_half(values)
    of_coordinates, of_states = np.split(vectors[:, chosen], [len(free)])
    shapes, state_shapes = _normalized(small.T @ of_coordinates, of_states)
    return Eigenmodes(
        plant.name, plant.coordinates, at, values[chosen], shapes, small.error,
        reduction.states, state_shapes, (note,) if note else (),
    )  # fmt: skip


def _upper_half(values: Complex) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices of the modes in order: one per conjugate pair, and one per pair of zeros."""
    zero = np.flatnonzero(values == 0.0)
    rest = np.flatnonzero((values != 0.0) & (values.imag >= 0.0))
    rest = rest[np.lexsort((values[rest].real, np.abs(values[rest])))]
    return np.concatenate([zero[: (len(zero) + 1) // 2], rest])


def _normalized(shapes: Complex, state_shapes: Complex) -> tuple[Complex, Complex]:
    """Scale the largest coordinate of each mode to 1, or the largest state if none takes part.

    Imaginary parts at the level of rounding errors are removed.
    """
    both = np.concatenate([shapes, state_shapes])
    if not both.size:
        return shapes, state_shapes
    n, size = len(shapes), np.abs(both)
    moves = size[:n].max(axis=0, initial=0.0) > STILL * size.max(axis=0)
    size[:n, ~moves], size[n:, moves] = 0.0, 0.0
    largest = np.argmax(size, axis=0)
    scaled = both / both[largest, np.arange(both.shape[1])]
    tiny = np.abs(scaled.imag) < 1e-9
    scaled[tiny] = scaled.real[tiny]
    return scaled[:n], scaled[n:]


def _entry(name: str, value: complex) -> str:
    if value.imag == 0.0:
        return f"{name} {value.real:.3f}"
    return f"{name} {abs(value):.3f} at {np.degrees(np.angle(value)):.0f}°"
