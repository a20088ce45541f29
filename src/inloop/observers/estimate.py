"""What an observer believes at a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array
from inloop.simulate.controlled.sampled import Sampled, unknown_name


@dataclass(frozen=True)
class Estimate(Mapping[str, float]):
    """States and outputs as estimated, by name: `estimate["crank.qd"]`.

    There is all that a controller reads of the plant itself: "t", coordinates, velocities, states
    of laws, sensors, other outputs, inputs; and extra states, "<input>.unknown" for example.

    Attributes:
        t: time [s].
        states: names of the states whose errors `covariance` tells.
        covariance: of these errors, shape (states, states).
        outputs: of the plant, at the estimated state.
        extras: extra states by name.
        q, qd: all coordinates and velocities; q as `plant.positions` names it.
        nis: innovations squared, in units of their covariance: of the order of `used`.
        used: measurements that were used.
        missing: measurements that were NaN, or too far off for the gate.
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
        """The states, in the order of `states`; of a ball joint the turns that were counted."""
        return np.array([self[name] for name in self.states])

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviation of the error of each state."""
        sure = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return dict(zip(self.states, sure.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"<estimate at t = {self.t:g} s of {len(self.states)} states>"
