"""Modal analysis about a position of rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.analysis.equilibrium import equilibrium
from inloop.analysis.reduction import Reduction, input_vector
from inloop.analysis.small_motion import Complex, small_motion
from inloop.analysis.unknowns import independent
from inloop.plant import Array, BarePlant
from inloop.simulate.start import Given, vector

SHOWN = 4  # coordinates of a shape in the table


@dataclass(frozen=True)
class Modes:
    """Modes sorted by frequency; of a conjugate pair the one that turns up.

    Attributes:
        name: name of the model.
        coordinates: names of the coordinates.
        q: the position [rad or m].
        eigenvalues: λ [1/s], shape (modes,).
        shapes: what all coordinates do, largest entry 1, shape (n, modes), complex.
        error: estimated largest error of the stiffness and damping matrices.
    """

    name: str
    coordinates: tuple[str, ...]
    q: Array
    eigenvalues: Complex
    shapes: Complex
    error: float

    @property
    def frequencies(self) -> Array:
        """Undamped frequencies |λ| / 2π [Hz]."""
        return np.asarray(np.abs(self.eigenvalues) / (2.0 * np.pi))

    @property
    def damping(self) -> Array:
        """Damping ratios -Re λ / |λ|: 1 for motions that creep, negative for growing ones."""
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
        return "\n".join([head, *rows])

    def _shape(self, mode: int) -> str:
        shape = self.shapes[:, mode]
        largest = np.argsort(-np.abs(shape), kind="stable")[:SHOWN]
        parts = [_entry(self.coordinates[k], shape[k]) for k in largest if abs(shape[k]) > 5e-4]
        return ", ".join(parts)


def modes(
    plant: BarePlant,
    q: Given = None,
    *,
    fixed: Sequence[str] = (),
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    t: float = 0.0,
) -> Modes:
    """Eigenvalues and shapes of small motions about rest.

    Args:
        plant: the compiled mechanism.
        q: the position, by name or as a vector; else the equilibrium near the joints' initial
            values.
        fixed: independent coordinates that are held.
        tau: joint efforts [N·m or N].
        inputs: values of named inputs.
        t: time that force laws see [s].
    """
    reduction = Reduction(plant)
    if q is None:
        at = equilibrium(plant, fixed=fixed, tau=tau, inputs=inputs, t=t).q
    else:
        at = reduction.start(q)
    held = [independent(reduction, name) for name in fixed]
    free = [k for k in reduction.independent if k not in held]
    efforts, u = vector(plant, tau, [0.0] * plant.n, "tau"), input_vector(plant, inputs)
    small = small_motion(reduction, at, efforts, u, t=t, free=free)
    values, vectors = small.eigen()
    chosen = _upper_half(values)
    shapes = small.T @ vectors[:, chosen]
    return Modes(
        plant.name, plant.coordinates, at, values[chosen], _normalized(shapes), small.error
    )


def _upper_half(values: Complex) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Order of the modes: one of each pair, and one for each pair of zeros."""
    zero = np.flatnonzero(values == 0.0)
    rest = np.flatnonzero((values != 0.0) & (values.imag >= 0.0))
    rest = rest[np.lexsort((values[rest].real, np.abs(values[rest])))]
    return np.concatenate([zero[: (len(zero) + 1) // 2], rest])


def _normalized(shapes: Complex) -> Complex:
    """Largest entry 1; what is left of imaginary parts by rounding is taken off."""
    if not shapes.size:
        return shapes
    largest = np.argmax(np.abs(shapes), axis=0)
    scaled = shapes / shapes[largest, np.arange(shapes.shape[1])]
    tiny = np.abs(scaled.imag) < 1e-9
    scaled[tiny] = scaled.real[tiny]
    return np.asarray(scaled)


def _entry(name: str, value: complex) -> str:
    if value.imag == 0.0:
        return f"{name} {value.real:.3f}"
    return f"{name} {abs(value):.3f} at {np.degrees(np.angle(value)):.0f}°"
