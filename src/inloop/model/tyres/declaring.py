"""Tyres, as a method of `Model`; each is a law between the ground and its wheel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from inloop.model.draft import Draft, HasDraft
from inloop.model.geometry import Scalar, Vector3, add, cross, folded, scaled, times_vector
from inloop.model.handles import BodyHandle, read_path
from inloop.model.intake import Intake
from inloop.model.laws.coefficients import NOT_NEGATIVE, POSITIVE, read_bounded
from inloop.model.laws.declaring import automatic_name, declare_law, element_reader
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.tyres import transient
from inloop.model.tyres.formula import Side, Slip, TyreForces, TyreFormula, mirrored
from inloop.model.tyres.roads import Road, plane_road
from inloop.model.tyres.rolling import Contact, Wheel, contact_of
from inloop.model.tyres.transient import Standing
from inloop.symbolic import functions as sf

OUTPUTS = {
    **dict.fromkeys(("longitudinal", "lateral", "load"), "N"),
    **dict.fromkeys(("overturning", "rolling", "aligning"), "N*m"),
    **{"kappa": "", "alpha": "rad", "camber": "rad", "depth": "m", "speed": "m/s"},
    **dict.fromkeys(("point_x", "point_y", "point_z"), "m"),
    **dict.fromkeys(("force_x", "force_y", "force_z"), "N"),
}
SLOWEST = 0.05  # by the speed at which a tyre stands: slip without states is cut off there


def tyre(
    model: HasDraft,
    wheel: BodyHandle | str,
    formula: TyreFormula,
    *,
    stiffness: Scalar | None = None,
    damping: Scalar | None = None,
    radius: Scalar | None = None,
    side: Side | None = None,
    road: Road | None = None,
    relaxation: float | None = None,
    pressure: float | None = None,
    follows: Literal["contact", "rim"] = "contact",
    name: str | None = None,
) -> str:
    """Put a tyre on a wheel: load, forces and moments where it touches the road.

    The wheel is a body on a revolute joint whose axis points to the left, so that it rolls
    forwards where q grows. With a relaxation length the tyre has deflections as states: it stands,
    holds on a slope with locked wheels, and rolls at any speed. Results hold "<name>.longitudinal",
    ".lateral", ".load" [N], ".overturning", ".rolling", ".aligning" [N·m], ".kappa", ".alpha",
    ".camber" [rad], ".depth" [m], ".speed" [m/s], and in world axes the point of contact
    ".point_x", ... and the force ".force_x", ...

    Args:
        wheel: the body, or the name of it.
        formula: il.tyres.Pac2002(...), il.tyres.read("my.tir"), il.tyres.Formula1987(), or an
            object of your own class, see `il.tyres.TyreFormula`.
        stiffness: of the tyre against the road [N/m]; that of the formula if it has one.
        damping: [N·s/m]; that of the formula, or none.
        radius: without load [m]; that of the formula if it has one.
        side: of the vehicle, "left" or "right": formulas measured on the other one are mirrored.
        road: il.tyres.plane_road(...), height_road(...), or an object of your own class; the plane
            z = 0 if not given.
        relaxation: length that the tyre rolls until its forces are there [m]; that of the formula
            if it tells one. 0: forces follow at once, for vehicles that never stand.
        pressure: of the tyre [Pa]: with it, turning on the spot takes a moment.
        follows: whose velocity slip is measured by: that of the point of "contact"; or that of the
            "rim", a wheel that does not turn about its axis, as in ROBOTRAN's courses. They differ
            by yaw rate times sine of camber times radius.
        name: name of the tyre.

    Returns:
        The name of the tyre, a frame force.
    """
    draft = model._draft
    read = element_reader(draft, "tyre", name, wheel)
    path = read_path(read, draft, wheel, "wheel")
    name = automatic_name(draft, "tyre", (path or "",)) if name is None else name
    built = _read(read, formula, (stiffness, damping, radius), side, relaxation, pressure)
    axis = _axis_of(read, draft, path)
    if follows not in ("contact", "rim"):
        read.complain(f"follows = {quoted(follows)} is not known", 'Write "contact" or "rim".')
    if built is None or axis is None or path is None:
        return name
    law = _Tyre(built, road or plane_road(), axis, follows == "rim")
    return declare_law(
        draft, "frame_force", (GROUND_NAME, path), law.traced(), name,
        states=dict.fromkeys(law.states, 0.0), outputs=OUTPUTS,
    )  # fmt: skip


@dataclass(frozen=True)
class _Built:
    """A tyre as read.

    Attributes:
        formula: of its forces.
        turned: whether it is mirrored.
        radius: without load [m].
        stiffness: [N/m].
        damping: [N·s/m].
        standing: what it needs to stand; None: forces follow slip at once.
        own: whether the formula tells relaxation lengths itself.
    """

    formula: TyreFormula
    turned: bool
    radius: Scalar
    stiffness: Scalar
    damping: Scalar
    standing: Standing | None
    own: bool


@dataclass(frozen=True)
class _Tyre:
    """The law of a tyre on a road.

    Attributes:
        built: the tyre.
        road: under it.
        axis: of the wheel, to the left, in axes of its body.
        as_rim: see `Wheel`.
    """

    built: _Built
    road: Road
    axis: Vector3
    as_rim: bool

    @property
    def states(self) -> tuple[str, ...]:
        """Names of its states: see `transient`."""
        if self.built.standing is None:
            return ()
        deflections = ("deflection_1", "deflection_2")
        return deflections if self.built.standing.pressure is None else (*deflections, "twist")

    def traced(self) -> Any:
        """The function that is traced; its arguments are those of a frame force."""

        def law(p: Any, v: Any, w: Any, R: Any, **own: Any) -> Any:
            wheel = Wheel(p, v, w, times_vector(R, self.axis), self.as_rim)
            at = contact_of(wheel, self.road, self.built.radius)
            depth = sf.max0(at.depth)
            push = self.built.stiffness * depth + self.built.damping * at.closing
            load = sf.where(at.depth > 0.0, sf.max0(push), 0.0)
            slip = Slip(load, 0.0, 0.0, sf.asin(at.sine), at.rolling, at.grip)
            if self.built.standing is None:
                return self._at_once(at, p, slip)
            return self._standing(at, p, slip, [own[name] for name in self.states])

        return law

    def _forces(self, slip: Slip) -> TyreForces:
        return mirrored(self.built.formula, slip) if self.built.turned else (
            self.built.formula.forces(slip)
        )  # fmt: skip

    def _at_once(self, at: Contact, p: Vector3, slip: Slip) -> Any:
        """Forces that follow slip without states."""
        speed = sf.maximum(sf.absolute(at.rolling), SLOWEST * _slow(self.built.radius))
        slip = replace(slip, kappa=-at.sliding / speed, alpha=sf.atan(at.across / speed))
        found = self._forces(slip)
        return self._together(at, p, slip, _rolled(found, at, _slow(self.built.radius)))

    def _standing(self, at: Contact, p: Vector3, slip: Slip, own: list[Scalar]) -> Any:
        """Forces of deflections, which also carry a tyre that stands."""
        standing = self.built.standing
        assert standing is not None
        lengths = self._lengths(slip, standing)
        (u, v), twist = own[:2], own[2:]
        du, dv = transient.rates(at, u, v, lengths)
        slip = replace(slip, kappa=u / lengths[0], alpha=sf.atan(v / lengths[1]))
        found = _rolled(self._forces(slip), at, standing.slow)
        rates = dict(zip(self.states, (du, dv), strict=False))
        # damping of a tyre that stands, as far as it is loaded
        share = transient.fade(at.rolling, standing.slow)
        share = share * sf.minimum(slip.load / self.built.formula.nominal_load, 1.0)
        x = found.longitudinal + share * standing.damping[0] * du
        y = found.lateral - share * standing.damping[1] * dv
        z = found.aligning
        if standing.pressure is not None:
            half = 0.5 * lengths[1]
            rates["twist"] = transient.twist_rate(at, twist[0], half)
            z = z + transient.twist_moment(at, twist[0], slip.load, standing.pressure)
        found = replace(found, longitudinal=x, lateral=y, aligning=z)
        value, outputs = self._together(at, p, slip, found)
        return value, rates, outputs

    def _lengths(self, slip: Slip, standing: Standing) -> tuple[Scalar, Scalar]:
        if not self.built.own:
            return standing.lengths
        found = self.built.formula.relaxation(slip)  # type: ignore[attr-defined]
        a, b = (
            sf.maximum(length, transient.SHORTEST * nominal)
            for length, nominal in zip(found, standing.lengths, strict=True)
        )
        return a, b

    def _together(self, at: Contact, p: Vector3, slip: Slip, found: TyreForces) -> Any:
        """Force and moment at the center of the wheel, and what is told."""
        force = add(
            add(scaled(found.longitudinal, at.e1), scaled(found.lateral, at.e2)),
            scaled(slip.load, at.n),
        )
        moment = add(
            add(scaled(found.overturning, at.e1), scaled(found.rolling, at.e2)),
            scaled(found.aligning, at.n),
        )
        point = add(p, at.p_WC)
        told = (
            *(found.longitudinal, found.lateral, slip.load),
            *(found.overturning, found.rolling, found.aligning),
            *(slip.kappa, slip.alpha, slip.gamma, at.depth, at.rolling),
            *point,
            *force,
        )
        value = (*force, *add(cross(at.p_WC, force), moment))
        return (value[:3], value[3:]), dict(zip(OUTPUTS, told, strict=True))


def _slow(radius: Scalar) -> float:
    """Speed below which a tyre stands [m/s]; a radius that is a parameter counts by its value."""
    size = folded(radius)
    return transient.slow_speed(size if isinstance(size, float) else 0.3)


def _rolled(found: TyreForces, at: Contact, slow: float) -> TyreForces:
    """Rolling resistance against the way it rolls."""
    return replace(found, rolling=found.rolling * sf.tanh(at.rolling / (SLOWEST * slow)))


def _read(
    read: Intake,
    formula: object,
    numbers: tuple[Scalar | None, Scalar | None, Scalar | None],
    side: object,
    relaxation: object,
    pressure: object,
) -> _Built | None:
    """A tyre as written; None after its mistakes are reported."""
    if not isinstance(formula, TyreFormula) or isinstance(formula, type):
        read.complain(
            f"formula must be the formula of a tyre, got {quoted(formula)}",
            'Write il.tyres.read("my.tir"), il.tyres.Formula1987(), or an object of your own '
            "class with nominal_load, side and forces(self, slip).",
        )
        return None
    if side not in (None, "left", "right"):
        read.complain(f"side = {quoted(side)} is not known", 'Write "left" or "right".')
        return None
    told = ("vertical_stiffness", "vertical_damping", "radius")
    stiffness, damping, radius = (
        getattr(formula, name, None) if given is None else given
        for given, name in zip(numbers, told, strict=True)
    )
    for value, name in ((stiffness, "stiffness"), (radius, "radius")):
        if value is None:
            read.complain(f"the formula returns no {name}", f"Give {name}=...")
            return None
    k = read_bounded(read, stiffness, "stiffness", POSITIVE)
    r = read_bounded(read, radius, "radius", POSITIVE)
    d = read_bounded(read, 0.0 if damping is None else damping, "damping", NOT_NEGATIVE)
    size = folded(r)
    standing, own = _read_standing(read, formula, relaxation, pressure, size)
    turned = formula.side is not None and side is not None and formula.side != side
    return _Built(formula, turned, r, k, d, standing, own)


def _read_standing(
    read: Intake, formula: TyreFormula, relaxation: object, pressure: object, radius: Scalar
) -> tuple[Standing | None, bool]:
    """What a tyre needs to stand, and whether its formula tells relaxation lengths."""
    if relaxation == 0:
        return None, False
    own = relaxation is None and hasattr(formula, "relaxation")
    if own:
        found = formula.relaxation(Slip(formula.nominal_load, 0.0, 0.0))  # type: ignore[attr-defined]
        lengths = float(found[0]), float(found[1])
    elif relaxation is None:
        read.complain(
            "the formula returns no relaxation length",
            "Give relaxation=0.5 [m], or relaxation=0 for a vehicle that never stops.",
        )
        return None, False
    else:
        length = read.number(relaxation, "relaxation")
        lengths = length, length
    press = None if pressure is None else read.number(pressure, "pressure")
    if not all(length > 0.0 for length in lengths) or (press is not None and press <= 0.0):
        read.complain("relaxation and pressure must be > 0", "Leave them out.")
        return None, False
    size = radius if isinstance(radius, float) else 0.3
    return transient.stand(formula, lengths, size, press), own


def _axis_of(read: Intake, draft: Draft, path: str | None) -> Vector3 | None:
    """The axis of the joint that a wheel turns on."""
    if path is None:
        return None
    body = draft.body_of_joint(path)
    if body is None or not body.joint.kind.hinges or body.joint.kind.part is not None:
        read.complain(
            f"{quoted(path)} is not a wheel on a revolute joint",
            'Declare the wheel before its tyre, on joint=il.revolute("y").',
        )
        return None
    return body.joint.axis
