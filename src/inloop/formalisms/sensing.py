"""Program of all sensors: their readings from coordinates, velocities, accelerations and forces.

Accelerations and multipliers are those of the mechanism with loops closed and drives followed; the
caller provides them. They are inputs only if a sensor needs them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from inloop.formalisms.flexible_links.beam import Beam
from inloop.formalisms.flexible_links.elasticity import Element, elements_of, stretch_of
from inloop.formalisms.frames import GROUND
from inloop.formalisms.laws.reactions import NAMES, with_cuts
from inloop.formalisms.loops.constraints import build_rows
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions import kinematics
from inloop.formalisms.recursions.kinematics import Target
from inloop.formalisms.recursions.motion import Motion, ground_motion, motions, times
from inloop.formalisms.recursions.rne import Wrench, transmitted
from inloop.formalisms.sensors import target_of
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_times,
    product,
    transpose,
    zero_vector,
)
from inloop.model import Body, FlexibleLink, Frame, Scalar
from inloop.symbolic import Expr, Input, Output, Program, reachable

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

SENSOR_OUTPUTS = "sensor_outputs"


def sensor_outputs(d: Derivation) -> Program:
    """Sensor readings from q, qd and, where needed, qdd and lam of all rows."""
    seen = SeenMechanism(d)
    values = [
        d.graph.constant(value) if not isinstance(value, Expr) else value
        for sensor in d.mechanism.sensors
        for value in sensor.kind.read(seen, sensor.at)
    ]
    names = ", ".join(signal.name for signal in d.mechanism.sensor_signals)
    out = Output.vector("y", values, f"signals: {names}")
    program = d.make(
        SENSOR_OUTPUTS,
        "q qd qdd loads",
        (out,),
        "Readings of the sensors.",
        "kinematics, reactions",
    )
    inputs = [*program.inputs, Input("lam", seen.lam, "multipliers of all rows [N or N·m]")]
    used = set(reachable(values))
    found = (
        block for block in inputs if block.name not in ("qdd", "lam") or used & {*block.symbols}
    )
    return replace(program, inputs=tuple(found))


def needs_motion(program: Program) -> bool:
    """True if a sensor needs quantities known only with the accelerations."""
    return any(block.name in ("qdd", "lam") for block in program.inputs)


def moved_readings(program: Program) -> list[int]:
    """Indices of the readings that depend on accelerations or multipliers."""
    known = {x for block in program.inputs if block.name in ("qdd", "lam") for x in block.symbols}
    (y,) = program.outputs
    return [k for k, value in enumerate(y.exprs) if known & {*reachable([value])}]


class SeenMechanism:
    """A mechanism as its sensors see it: `Seen` as expressions of a derivation."""

    def __init__(self, d: Derivation) -> None:
        self._d = d

    # frames

    def pose(self, frame: Frame) -> tuple[Vector, Matrix]:
        """See `Seen`."""
        target = target_of(self._d, frame)
        if target.link == GROUND:
            return target.p_CQ, target.R_CF
        pose = self._d.internal_poses[target.link]
        return pose.point(target.p_CQ), product(pose.R_WC, target.R_CF)

    def velocity(self, frame: Frame) -> Vector:
        """See `Seen`."""
        target = target_of(self._d, frame)
        if target.link == GROUND:
            return zero_vector(self._d.graph)
        om, v = self._velocities[target.link]
        return matrix_times(self._axes(target), add(v, cross(om, target.p_CQ)))

    def acceleration(self, frame: Frame) -> Vector:
        """See `Seen`."""
        target = target_of(self._d, frame)
        if target.link == GROUND:
            return zero_vector(self._d.graph)
        motion = self._motions_without_gravity[target.link]
        return matrix_times(self._axes(target), add(motion.acc, times(motion.beta, target.p_CQ)))

    def turn_rate(self, frame: Frame) -> Vector:
        """See `Seen`."""
        target = target_of(self._d, frame)
        if target.link == GROUND:
            return zero_vector(self._d.graph)
        return matrix_times(transpose(target.R_CF), self._velocities[target.link][0])

    def specific_force(self, frame: Frame) -> Vector:
        """See `Seen`."""
        target = target_of(self._d, frame)
        at_ground = ground_motion(self._d.skeleton)
        motion = at_ground if target.link == GROUND else self._motions[target.link]
        acc = add(motion.acc, times(motion.beta, target.p_CQ))
        return matrix_times(transpose(target.R_CF), acc)

    def _axes(self, target: Target) -> Matrix:
        return self._d.internal_poses[target.link].R_WC

    @cached_property
    def _velocities(self) -> list[tuple[Vector, Vector]]:
        return kinematics.velocities(self._d.skeleton)

    @cached_property
    def _motions(self) -> list[Motion]:
        return motions(self._d.skeleton, self._d.symbols.qdd)

    @cached_property
    def _motions_without_gravity(self) -> list[Motion]:
        weightless = replace(self._d.skeleton, gravity=zero_vector(self._d.graph))
        return motions(weightless, self._d.symbols.qdd)

    # joints and laws

    def coordinate(self, body: Body) -> Expr:
        """See `Seen`."""
        return self._d.symbols.q[body.index]

    def joint_effort(self, body: Body) -> Expr:
        """See `Seen`."""
        motion, wrench = self._d.skeleton.links[body.index].motion, self._wrenches[body.index]
        return dot(motion.angular, wrench.n) + dot(motion.linear, wrench.f)

    @cached_property
    def _wrenches(self) -> list[Wrench]:
        d = self._d
        applied = with_cuts(d.loads, self._rows, self.lam)
        return transmitted(d.skeleton, d.symbols.qdd, applied, NAMES)

    @cached_property
    def _rows(self) -> list[Row]:
        return list(build_rows(self._d.mechanism, self._d.skeleton))

    @cached_property
    def lam(self) -> tuple[Expr, ...]:
        """Multipliers of all rows."""
        return tuple(self._d.graph.symbol(f"lam_{k + 1}") for k in range(len(self._rows)))

    def law_output(self, name: str) -> Expr:
        """See `Seen`."""
        return self._d.loads.observed[name]

    # flexible links

    def curvature(self, link: FlexibleLink, share: float) -> Expr:
        """See `Seen`; the second derivative of the cubic polynomials of Hermite."""
        _, e, x = self._element(link, share)
        rise = (e.w[1] - e.w[0]) / e.h
        bent = (6.0 - 12.0 * x) * rise + (6.0 * x - 4.0) * e.r[0] + (6.0 * x - 2.0) * e.r[1]
        return bent / e.h

    def stretch(self, link: FlexibleLink, share: float) -> Expr:
        """See `Seen`; constant along an element."""
        beam, element, _ = self._element(link, share)
        return stretch_of(beam, element) if beam.axial else self._d.graph.zero

    def _element(self, link: FlexibleLink, share: float) -> tuple[Beam, Element, float]:
        """A link, its element at a fraction of its length, and the fraction within that element."""
        beam = next(beam for beam in self._d.skeleton.beams if beam.name == link.name)
        q = self._d.symbols.q
        elements = elements_of(beam, beam.along(q, self._d.graph), beam.across(q))
        # all have equal length
        place = share * len(elements)
        number = min(int(place), len(elements) - 1)
        return beam, elements[number], place - number

    def number(self, value: Scalar) -> Expr:
        """See `Seen`."""
        return self._d.symbols.substitute([value], {})[0]
