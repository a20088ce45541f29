"""Where two shapes touch: gap, normal and contact point, as expressions of their relative pose.

Shape a sits in a frame A, shape b in a frame B at p = p_AB with axes R = R_AB; everything is in
axes of A. Each pair of shapes has one function, listed in PAIRS. The contact point C is half-way
between the two surfaces on their common normal, so that exchanging the shapes changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inloop.geometry import Capsule, Circle, Cylinder, HalfSpace, Rim, Segment, Shape, Sphere
from inloop.model.geometry import (
    NO_ROTATION,
    ZERO,
    Matrix3,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    scaled,
    subtract,
    times_vector,
)
from inloop.symbolic import functions as sf

# keep the normal of coincident centers [part of the radii] and the nearest points of parallel axes
# finite; the last one for those of two points [m²], below the square of any length
COINCIDENT = 1e-12
TINIEST = 1e-300
PARALLEL = 1e-9


@dataclass(frozen=True)
class Tangent:
    """A direction t in the contact plane, with its moment t × n about a point on the normal.

    The tangents tᵢ of a contact satisfy Σ tᵢ (tᵢ·v) = v - n (n·v).
    """

    t: Vector3
    moment: Vector3


@dataclass(frozen=True)
class Touch:
    """Where two shapes touch, in axes of A.

    Attributes:
        gap: distance of the surfaces, negative where they overlap [m].
        normal: unit vector n from shape a to shape b.
        height: of the center or axis of b above the contact point C, along n [m].
        along: from the origin of B to the foot of that height: p_BC = along - height n [m].
        tangents: directions of slip: one for a planar contact, two where the contact plane has
            a natural basis, else the three columns of the projection 1 - n nᵀ.
    """

    gap: Scalar
    normal: Vector3
    height: Scalar
    along: Vector3
    tangents: tuple[Tangent, ...]

    def velocity(self, v: Vector3, w: Vector3) -> tuple[Scalar, tuple[Scalar, ...]]:
        """Return the rate of the gap and the slip along each tangent [m/s].

        Args:
            v: rate of p_AB in A [m/s].
            w: angular velocity of B against A [rad/s].
        """
        v_foot = add(v, cross(w, self.along))
        # B turns about the foot: t·(w × -height n) = height w·(t × n)
        slip = tuple(dot(x.t, v_foot) + self.height * dot(x.moment, w) for x in self.tangents)
        return dot(self.normal, v_foot), slip

    def wrench(self, push: Scalar, pull: tuple[Scalar, ...]) -> tuple[Vector3, Vector3]:
        """Return force and torque on b about the origin of B.

        Args:
            push: force on b along n [N].
            pull: forces on b along the tangents [N].
        """
        force, torque = scaled(push, self.normal), ZERO
        for x, f in zip(self.tangents, pull, strict=True):
            force = add(force, scaled(f, x.t))
            torque = add(torque, scaled(f * self.height, x.moment))
        return force, add(cross(self.along, force), torque)


Pair = Callable[[Any, Any, Vector3, Matrix3], Touch]
Direction = tuple[float, float, float]
Round = Sphere | Circle | Cylinder | Capsule | Segment


def plane_and_sphere(a: HalfSpace, b: Sphere, p: Vector3, R: Matrix3) -> Touch:
    """A sphere above a plane."""
    return _above_plane(a, b, p, _across(a.normal))


def plane_and_circle(a: HalfSpace, b: Circle, p: Vector3, R: Matrix3) -> Touch:
    """A circle that stands upright on a plane; it slips across its axis."""
    axis = times_vector(R, b.axis)
    return _above_plane(a, b, p, (_around(axis, a.normal),))


def plane_and_rim(a: HalfSpace, b: Rim, p: Vector3, R: Matrix3) -> Touch:
    """A circle in space above a plane: its lowest point touches."""
    n, axis = a.normal, times_vector(R, b.axis)
    c = dot(n, axis)
    up = subtract(n, scaled(c, axis))
    steepness = sf.sqrt(sf.maximum(1.0 - c * c, PARALLEL))
    along = scaled(-b.radius / steepness, up)
    gap = dot(n, p) - b.radius * steepness
    return Touch(gap, n, 0.5 * gap, along, _across(n))


def segment_and_circle(a: Segment, b: Circle, p: Vector3, R: Matrix3) -> Touch:
    """A circle on a straight edge or on its end, in the plane of the circle."""
    axis = times_vector(R, b.axis)
    foot = scaled(_within(dot(a.along, p), a.length), a.along)
    gap, normal = _radial(a, b, _without(subtract(p, foot), axis))
    return Touch(gap, normal, b.radius + 0.5 * gap, ZERO, (_around(axis, normal),))


def round_in_plane(a: Circle | Cylinder | Capsule, b: Round, p: Vector3, R: Matrix3) -> Touch:
    """Two outlines in the plane across the axis of a, which is also that of b if it has one."""
    gap, normal = _radial(a, b, _without(p, a.axis))
    return Touch(gap, normal, b.radius + 0.5 * gap, ZERO, (_around(a.axis, normal),))


def sphere_and_sphere(a: Round, b: Sphere, p: Vector3, R: Matrix3) -> Touch:
    """Two spheres, or one inside the other."""
    gap, normal = _radial(a, b, p)
    return Touch(gap, normal, b.radius + 0.5 * gap, ZERO, _projection(normal))


def cylinder_and_sphere(a: Cylinder, b: Sphere | Cylinder, p: Vector3, R: Matrix3) -> Touch:
    """A sphere beside a cylinder or inside it, or a parallel cylinder."""
    gap, normal = _radial(a, b, _without(p, a.axis))
    around = _around(a.axis, normal)
    lengthwise = Tangent(a.axis, around.t)
    return Touch(gap, normal, b.radius + 0.5 * gap, ZERO, (lengthwise, around))


def capsule_and_sphere(a: Capsule, b: Sphere, p: Vector3, R: Matrix3) -> Touch:
    """A sphere beside a capsule or inside it."""
    # the nearest point of the axis, or the center of a round end
    nearest = _within(dot(a.axis, p), a.length)
    return sphere_and_sphere(a, b, subtract(p, scaled(nearest, a.axis)), R)


def axes_at_an_angle(a: Cylinder | Capsule, b: Cylinder | Capsule, p: Vector3, R: Matrix3) -> Touch:
    """A capsule at any angle to another one or to a cylinder.

    The nearest points of two nearly parallel axes wander far for a small turn; the gap stays
    continuous.
    """
    d_a, d_b = a.axis, times_vector(R, b.axis)
    # points s d_a and p + t d_b; where both are inside, the line between them is across both axes
    c = dot(d_a, d_b)
    p_a, p_b = dot(d_a, p), dot(d_b, p)
    s = _within((p_a - c * p_b) / sf.maximum(1.0 - c * c, PARALLEL), a.length)
    t = _within(c * s - p_b, b.length)
    s = _within(p_a + c * t, a.length)
    along = scaled(t, d_b)
    gap, normal = _radial(a, b, subtract(add(p, along), scaled(s, d_a)))
    return Touch(gap, normal, b.radius + 0.5 * gap, along, _projection(normal))


PAIRS: dict[tuple[type[Shape], type[Shape]], Pair] = {
    (HalfSpace, Sphere): plane_and_sphere,
    (HalfSpace, Circle): plane_and_circle,
    (HalfSpace, Rim): plane_and_rim,
    (Segment, Circle): segment_and_circle,
    (Cylinder, Sphere): cylinder_and_sphere,
    (Cylinder, Circle): round_in_plane,
    (Cylinder, Cylinder): cylinder_and_sphere,  # C is beside the origin of B
    (Cylinder, Capsule): axes_at_an_angle,
    (Capsule, Sphere): capsule_and_sphere,
    (Capsule, Circle): round_in_plane,
    (Capsule, Cylinder): axes_at_an_angle,
    (Capsule, Capsule): axes_at_an_angle,
    (Circle, Cylinder): round_in_plane,
    (Circle, Capsule): round_in_plane,
    (Circle, Circle): round_in_plane,
    (Circle, Sphere): round_in_plane,
    (Sphere, Sphere): sphere_and_sphere,
}


def find_pair(a: Shape, b: Shape) -> Pair | None:
    """Return the function for shapes in this order, None if there is none."""
    flat_ends = any(isinstance(x, Cylinder) and x.length is not None for x in (a, b))
    return None if b.hollow or flat_ends else PAIRS.get((type(a), type(b)))


def _above_plane(
    a: HalfSpace, b: Sphere | Circle, p: Vector3, tangents: tuple[Tangent, ...]
) -> Touch:
    gap = dot(a.normal, p) - b.radius
    return Touch(gap, a.normal, b.radius + 0.5 * gap, ZERO, tangents)


def _radial(a: Round, b: Round, offset: Vector3) -> tuple[Scalar, Vector3]:
    """Return gap and normal of round shapes from the vector between their centers or axes."""
    near = COINCIDENT * (a.radius + b.radius)
    distance = sf.sqrt(dot(offset, offset) + (near * near + TINIEST))
    outward = scaled(1.0 / distance, offset)
    if a.hollow:
        return (a.radius - b.radius) - distance, scaled(-1.0, outward)
    return distance - (a.radius + b.radius), outward


def _without(p: Vector3, direction: Vector3) -> Vector3:
    """Return the part of p across a direction."""
    return subtract(p, scaled(dot(direction, p), direction))


def _within(position: Scalar, length: Scalar | None) -> Scalar:
    """Return a position on an axis, kept between the ends."""
    if length is None:
        return position
    half = 0.5 * length
    return sf.minimum(sf.maximum(position, -half), half)


def _across(n: Direction) -> tuple[Tangent, Tangent]:
    """Return two tangents across a fixed normal and across each other."""
    # start from the coordinate axis that is least along n
    k = min(range(3), key=lambda i: abs(n[i]))
    first = [(1.0 if i == k else 0.0) - n[k] * n[i] for i in range(3)]
    size = math.hypot(*first)
    t: Vector3 = (first[0] / size, first[1] / size, first[2] / size)
    return Tangent(t, cross(t, n)), Tangent(cross(t, n), scaled(-1.0, t))


def _around(axis: Vector3, n: Vector3) -> Tangent:
    """Return the tangent across an axis that is itself across the normal."""
    # (axis × n) × n = -axis
    return Tangent(cross(axis, n), scaled(-1.0, axis))


def _projection(n: Vector3) -> tuple[Tangent, ...]:
    """Return the columns of 1 - n nᵀ as tangents."""
    # (e - n (n·e)) × n = e × n
    return tuple(Tangent(subtract(e, scaled(dot(n, e), n)), cross(e, n)) for e in NO_ROTATION)
