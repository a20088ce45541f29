"""A closed mechanism as plain numbers, and the same written for inloop in any units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import inloop as il

GRAVITY = np.array([0.7, -9.2, 1.3])
GROUND = -1


@dataclass(frozen=True)
class Units:
    """How many meters, kilograms and seconds one unit of a linkage's numbers has."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0


@dataclass(frozen=True, eq=False)
class Bar:
    """A body on its joint. Its frame lies on its parent's frame, moved by `at`, at q = 0.

    Attributes:
        at: origin in the parent's frame.
        com: center of mass in the bar's own frame.
        inertia: principal moments about the center of mass, along the axes of the frame.
        stiffness, damping: of a spring in the joint, at rest at q = 0; that of a revolute joint
            pulls with the sine of the angle, so that whole turns make no difference.
    """

    name: str
    parent: int
    kind: str
    axis: np.ndarray
    at: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class Cut:
    """A loop: the points coincide ("ball"), or stay `length` apart ("rod").

    Attributes:
        axis: of a hinge, a direction that both bodies share at q = 0.
    """

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[np.ndarray, np.ndarray]
    length: float = 0.0
    axis: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Linkage:
    """Bars and cuts, in units of their own.

    Attributes:
        start: declared positions and velocities by bar.
        live: the bar whose `at`, or the cut whose first point, is stretched by the live
            parameter "stretch" (1 as described).
    """

    family: str
    bars: tuple[Bar, ...]
    cuts: tuple[Cut, ...]
    start: dict[str, tuple[float, float]]
    live: str = ""

    def bar(self, name: str) -> Bar:
        """The bar of a name."""
        return next(bar for bar in self.bars if bar.name == name)

    def stretched(self, factor: float) -> Linkage:
        """The linkage that the live parameter makes of this one."""
        bars = tuple(replace(b, at=b.at * factor) if b.name == self.live else b for b in self.bars)
        cuts = tuple(
            replace(c, points=(c.points[0] * factor, c.points[1])) if c.name == self.live else c
            for c in self.cuts
        )
        return replace(self, bars=bars, cuts=cuts)

    def model(self, units: Units) -> il.Model:
        """The same mechanism for inloop, where one unit of the numbers is what `units` says."""
        L, M, T = units.length, units.mass, units.time
        m = il.Model(self.family, gravity=tuple(GRAVITY * L / T**2))
        stretch = m.parameter("stretch", 1.0, range=(0.0, 1e3))
        handles = {GROUND: m.ground}
        for k, bar in enumerate(self.bars):
            turns = bar.kind == "revolute"
            factor = stretch if bar.name == self.live else 1.0
            at = tuple(float(x) * L * factor for x in bar.at)
            seat = handles[bar.parent].point(f"seat_{bar.name}", at)
            joint = (il.revolute if turns else il.prismatic)(
                tuple(bar.axis),
                initial=self.initial(bar, units) if bar.name in self.start else None,
            )
            body = m.body(
                bar.name,
                on=seat,
                joint=joint,
                mass=bar.mass * M,
                com=tuple(bar.com * L),
                inertia=tuple(bar.inertia * M * L**2),
            )
            if bar.stiffness or bar.damping:
                effort = M * L**2 / T**2 if turns else M / T**2
                stiffness, damping = bar.stiffness * effort, bar.damping * effort * T
                m.joint_force(
                    body,
                    lambda q, qd, k=stiffness, c=damping, turns=turns: (
                        -k * (il.sin(q) if turns else q) - c * qd
                    ),
                )
            handles[k] = body
        for cut in self.cuts:
            factor = stretch if cut.name == self.live else 1.0
            ends = [
                handles[body].point(f"{cut.name}_{end}", tuple(float(x) * L * scale for x in p))
                for body, end, p, scale in zip(
                    cut.bodies, "ab", cut.points, (factor, 1.0), strict=True
                )
            ]
            more: dict[str, object] = {"length": cut.length * L} if cut.kind == "rod" else {}
            if cut.axis is not None:
                more["axis"] = cut.axis
            m.close(*ends, kind=cut.kind, name=cut.name, **more)
        return m

    def initial(self, bar: Bar, units: Units) -> tuple[float, float]:
        """Declared position and velocity of a bar in SI."""
        q, qd = self.start[bar.name]
        scale = 1.0 if bar.kind == "revolute" else units.length
        return q * scale, qd * scale / units.time

    def own_units(self, x: np.ndarray, units: Units, speed: bool = False) -> np.ndarray:
        """Coordinates or speeds as inloop has them, in the units of this linkage."""
        scales = [1.0 if bar.kind == "revolute" else 1.0 / units.length for bar in self.bars]
        return x * np.array(scales) * (units.time if speed else 1.0)
