"""Stiffness limits of a device: computed from its loop, and measured in simulation."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

from inloop.devices.haptics.coupling import Coupling
from inloop.devices.haptics.rig import Rig

CALMER = 0.99  # velocity ratio below which a motion decays
STILL = 0.01  # fraction of the initial velocity that counts as rest
LEAST_PERIODS, LEAST_SWINGS = 2000, 24  # of a run
ACCURACY = 0.02


@dataclass(frozen=True)
class StiffnessRange:
    """Maximum stiffness of a coupling to a fixed point [N/m].

    Attributes:
        passive: passive in any environment of the device (Colgate and Schenkel).
        stable: stable without a hand, by the eigenvalues of the linear loop.
        measured: stable without a hand, simulated with sensor, friction and limit.
        controlled: the same with the passivity controller.
    """

    passive: float
    stable: float
    measured: float
    controlled: float

    @classmethod
    def of(cls, rig: Rig, damping: float = 0.0) -> StiffnessRange:
        """Limits of a device, for a damping of the coupling [N·s/m]; takes about a second."""
        loop = rig.sampled_loop()
        return cls(
            passive=loop.passive_stiffness(damping),
            stable=loop.stiffness_limit(damping),
            measured=measured_stiffness(replace(rig, controlled=False), damping),
            controlled=measured_stiffness(replace(rig, controlled=True), damping),
        )

    def data(self) -> dict[str, float]:
        """As plain data."""
        return asdict(self)


def measured_stiffness(rig: Rig, damping: float = 0.0, *, push: float = 0.2) -> float:
    """Find the stability limit of the stiffness by bisection [N/m].

    Args:
        rig: the device.
        damping: of the coupling [N·s/m].
        push: initial velocity of the handle at the fixed point [m/s].
    """
    scale = rig.mass / rig.period**2
    computed = rig.sampled_loop().stiffness_limit(damping)
    low, high = 0.0, min(max(0.5 * computed, 1e-5 * scale), scale)
    while calms(rig, Coupling(high, damping), push):
        low, high = high, 2.0 * high
        if high > 100.0 * scale:
            return float("inf")
    while high - low > ACCURACY * high and high > 1e-7 * scale:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if calms(rig, Coupling(middle, damping), push) else (low, middle)
    return 0.5 * (low + high)


def calms(rig: Rig, coupling: Coupling, push: float = 0.2) -> bool:
    """Whether a pushed handle comes to rest, or its motion decays.

    Its velocity in the last quarter of the run is compared with that in the second quarter.
    """
    chain, handle = rig.chain(), rig.handle()
    handle.velocity = push
    swing = 2.0 * math.pi * math.sqrt(rig.mass / coupling.stiffness)
    quarter = max(LEAST_PERIODS, round(LEAST_SWINGS * swing / rig.period)) // 4
    squares = [0.0, 0.0, 0.0, 0.0]
    for k in range(4 * quarter):
        command = chain.step(handle.position, coupling, velocity=handle.velocity)
        for _ in range(rig.substeps):
            handle.step(command)
        squares[k // quarter] += handle.velocity**2
        if abs(handle.velocity) > 1e3 * push:
            return False
    return squares[3] <= max(CALMER**2 * squares[1], (STILL * push) ** 2 * quarter)
