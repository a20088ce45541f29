"""A small tyre: forces proportional to slip, load and lean, limited by friction."""

from __future__ import annotations

from dataclasses import dataclass

import inloop as il


@dataclass(frozen=True)
class LinearTyre:
    """Forces of a tyre that is too small for empirical formulas; a formula for `m.tyre`.

    (Fx, Fy) = load · (slope κ, -slope α - lean γ), limited to friction · grip · load.

    Attributes:
        slope: force per load and slip angle [1/rad], and per slip.
        friction: largest force per load.
        lean: lateral force per load and camber [1/rad].
        nominal_load: [N].
        side: symmetric.
    """

    slope: float
    friction: float
    nominal_load: float
    lean: float = 0.0
    side: None = None

    def forces(self, slip: il.tyres.Slip) -> il.tyres.TyreForces:
        """Forces in steady slip."""
        along = self.slope * slip.kappa
        across = -self.slope * slip.alpha - self.lean * slip.gamma
        limit = self.friction * slip.grip
        # below the limit, the root of the limit is taken: the slope of √x at zero is infinite
        size = il.sqrt(il.maximum(along * along + across * across, limit * limit))
        share = slip.load * limit / il.maximum(size, 1e-9)
        return il.tyres.TyreForces(share * along, share * across)
