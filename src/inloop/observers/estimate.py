"""The estimate of an observer at a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array
from inloop.simulate.controlled.sampled import Sampled, unknown_name


@dataclass(frozen=True)
class Estimate(Mapping[str, float]):
    """Estimated states and outputs by name: `estimate["crank.qd"]`.

    Contains everything that a controller reads from the plant: "t", coordinates, velocities, states
    of laws, sensors, other outputs, inputs; and extra states such as "<input>.unknown".

    Attributes:
        t: time [s].
        states: names of the states, in the order of `covariance`.
        covariance: covariance of the estimation errors, shape (states, states).
        outputs: outputs of the plant at the estimated state.
        extras: extra states by name.
        q, qd: all coordinates and velocities; q as `plant.positions` names it.
        nis: normalized innovation squared; its expectation is `used`.
        used: number of measurements used.
        missing: names of measurements that were NaN, or rejected by the gate.
    """

    t: float
    states: tuple[str, ...]
    covariance: Array
    outputs: Sampled
    extras: Mapping[str, float]
    q: Array
    qd: Array
    nis: float
    used: int
    missing: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        if name in self.extras:
            return self.extras[name]
        if name in self.outputs:
            return self.outputs[name]
        raise unknown_name("output", name, self)

    def __contains__(self, name: object) -> bool:
        return name in self.extras or name in self.outputs

    def __iter__(self) -> Iterator[str]:
        yield from self.outputs
        yield from self.extras

    def __len__(self) -> int:
        return len(self.outputs) + len(self.extras)

    @property
    def values(self) -> Array:  # type: ignore[override]
        """The states, in the order of `states`; for ball joints the accumulated rotations."""
        return np.array([self[name] for name in self.states])

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviation of the error of each state."""
        sure = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return dict(zip(self.states, sure.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"<estimate at t = {self.t:g} s of {len(self.states)} states>"
