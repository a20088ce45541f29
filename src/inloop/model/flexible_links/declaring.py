"""Flexible links, as a method of `Model`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.joints import Axis, JointKind, JointSpec
from inloop.joints.kinds.fixed import fixed
from inloop.joints.kinds.prismatic import Prismatic
from inloop.joints.kinds.revolute import Revolute
from inloop.model.draft import BodyDraft, Draft, FlexibleLinkDraft, HasDraft, SiteDraft
from inloop.model.elements import Joint
from inloop.model.geometry import NO_INERTIA, ZERO, Pose, Scalar, scaled
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.intake import Intake, as_tuple, is_number
from inloop.model.joints import read_joint
from inloop.model.laws.coefficients import NOT_NEGATIVE, POSITIVE, read_bounded
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.rotations import read_axis

Damping = tuple[Scalar, Scalar]
Triple = tuple[float, float, float]
MOST_ELEMENTS = 200  # of one link; bending is exact to many digits with some ten
SQUARE = 1e-9  # cosine up to which two axes are taken as perpendicular


class FlexibleLinkHandle(BodyHandle):
    """A flexible link. As a body it is the frame at its root, where it is clamped.

    Attributes:
        nodes: bodies at the ends of its elements, root to tip, without the root. Their axes are
            those of the link where it is straight.
    """

    def __init__(self, draft: Draft, path: str, nodes: Sequence[str]) -> None:
        super().__init__(draft, path)
        self.nodes = tuple(BodyHandle(draft, name) for name in nodes)

    @property
    def tip(self) -> BodyHandle:
        """The body at the free end: other bodies hang on it, loops close on it."""
        return self.nodes[-1]


def flexible_link(
    model: HasDraft,
    name: str,
    *,
    on: Handle | str,
    joint: JointSpec | None = None,
    length: Scalar,
    mass_per_length: Scalar,
    EI: Scalar,
    EA: Scalar | None = None,
    elements: int = 4,
    damping: Damping = (0.0, 0.0),
    stiffening: bool = True,
    along: Axis = "x",
    bends_about: Axis | None = None,
    doc: str = "",
) -> FlexibleLinkHandle:
    """Attach a slender flexible beam to a body.

    The frame of the link is the frame after its joint. The root of the beam is clamped in it;
    the displacements of the other nodes are coordinates: of node k, `<name>_<k>_u` along the
    link [m], `<name>_<k>_w` across it [m] and `<name>_<k>_r`, its rotation [rad]. They are
    small against the length of an element; the motion of the frame is not limited. Other
    bodies hang on `link.tip` or `link.nodes[k]`, which are bodies `<name>_<k>`.

    Args:
        name: name of the link.
        on: a body, a point or a frame, or its name.
        joint: between that and the root; none means that the link is clamped there.
        length: [m].
        mass_per_length: [kg/m].
        EI: bending stiffness [N·m²].
        EA: axial stiffness [N]; without it the link keeps its length. Axial vibrations are
            fast, and explicit integrators must follow them.
        elements: number of finite elements, of equal length.
        damping: Rayleigh's constants: alpha, per mass [1/s], and beta, per stiffness [s].
        stiffening: let bending shorten the link, so that tension stiffens it and pressure
            softens it. In a link that keeps its length it is the motion of its own mass, and of
            what is fixed to its nodes, that does so.
        along: direction of the link in its frame.
        bends_about: axis about which it bends, across the link; that of a joint that turns if
            not given, else "y". Positive w is where a positive turn moves the tip.
        doc: description.
    """
    draft = model._draft
    read = draft.intake(f"flexible_link {quoted(name)}")
    name = read.name(name)
    spec = fixed(name=name) if joint is None else joint
    root_joint = read_joint(read, spec, name)
    hung = read_path(read, draft, on, "on") or GROUND_NAME
    draft.add_body(_massless(name, hung, root_joint, doc))
    x = read_axis(read, along)
    z = _bending_axis(read, bends_about, root_joint, x)
    count = _read_count(read, elements)
    size = read_bounded(read, length, "length", POSITIVE)
    alpha, beta = _read_damping(read, damping)
    # points rest_1, rest_2, … are where the nodes are while the link is straight
    # tip first: what hangs on it changes the last pivot only, see formalisms/flexible_links
    names = tuple(f"{name}_{k}" for k in range(1, count + 1))
    for k in reversed(range(count)):
        p = scaled(size * ((k + 1) / count), x)
        draft.add_site(SiteDraft("point", name, f"rest_{k + 1}", Pose(p), read.where))
        _add_node(draft, names[k], f"{name}.rest_{k + 1}", (x, z), EA is not None, read.where)
    draft.flexible_links.append(
        FlexibleLinkDraft(
            name=name,
            nodes=names,
            along=x,
            bends_about=z,
            mass_per_length=read_bounded(read, mass_per_length, "mass_per_length", POSITIVE),
            EI=read_bounded(read, EI, "EI", POSITIVE),
            EA=None if EA is None else read_bounded(read, EA, "EA", POSITIVE),
            alpha=alpha,
            beta=beta,
            stiffening=bool(stiffening),
            where=read.where,
        )
    )
    return FlexibleLinkHandle(draft, name, names)


def _add_node(
    draft: Draft, name: str, on: str, axes: tuple[Triple, Triple], stretches: bool, where: str
) -> None:
    """Add the bodies that displace a node: along, across, and the node itself, which turns."""
    x, z = axes
    y0, y1, y2 = (float(c) for c in np.cross(z, x))
    steps: list[tuple[str, JointKind, Triple]]
    steps = [("w", Prismatic(), (y0, y1, y2)), ("r", Revolute(), z)]
    if stretches:
        steps.insert(0, ("u", Prismatic(), x))
    for letter, kind, axis in steps:
        joint = Joint(f"{name}_{letter}", kind, axis, None, (0.0, 0.0), 0.0, where)
        own = name if letter == "r" else f"{name}_{letter}"
        draft.add_body(_massless(own, on, joint, ""))
        on = own


def _bending_axis(read: Intake, wanted: Axis | None, joint: Joint, x: Triple) -> Triple:
    default = joint.axis if joint.kind.turns else (0.0, 1.0, 0.0)
    z = default if wanted is None else read_axis(read, wanted)
    if abs(float(np.dot(z, x))) > SQUARE:
        read.complain(
            "the axis about which it bends is not perpendicular to the link",
            'Write, for example, along="x" and bends_about="y".',
        )
        return (0.0, 0.0, 1.0) if abs(x[2]) < abs(x[0]) else (1.0, 0.0, 0.0)
    return z


def _massless(name: str, on: str, joint: Joint, doc: str) -> BodyDraft:
    return BodyDraft(name, on, joint, 0.0, ZERO, NO_INERTIA, (), doc, joint.where)


def _read_count(read: Intake, elements: object) -> int:
    if is_number(elements) and elements in range(1, MOST_ELEMENTS + 1):
        return int(elements)  # type: ignore[call-overload,no-any-return]
    read.complain(
        f"elements must be a whole number from 1 to {MOST_ELEMENTS}, got {quoted(elements)}",
        "Write elements=4.",
    )
    return 1


def _read_damping(read: Intake, damping: object) -> Damping:
    pair = as_tuple(damping)
    if pair is None or len(pair) != 2:
        read.complain(
            f"damping needs 2 numbers, got {quoted(damping)}",
            "Write (mass-proportional [1/s], stiffness-proportional [s]).",
        )
        return 0.0, 0.0
    return (
        read_bounded(read, pair[0], "damping per mass", NOT_NEGATIVE),
        read_bounded(read, pair[1], "damping per stiffness", NOT_NEGATIVE),
    )
