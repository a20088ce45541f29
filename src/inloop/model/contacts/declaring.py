"""Contacts between shapes, as a method of `Model`; each is a law between two frames."""

from __future__ import annotations

from collections.abc import Mapping

from inloop.geometry import Cylinder, HalfSpace, Shape
from inloop.model.contacts.distance import PAIRS, find_pair
from inloop.model.contacts.force import Touching
from inloop.model.contacts.found import TOUCHES, FoundTouching, find_touching
from inloop.model.contacts.friction import FrictionLaw
from inloop.model.contacts.hard import Hard, HardTouching
from inloop.model.contacts.laws import NormalLaw
from inloop.model.contacts.shapes import read_shape
from inloop.model.draft import ContactDraft, HasDraft
from inloop.model.geometry import folded
from inloop.model.handles import Handle, read_path
from inloop.model.intake import Intake
from inloop.model.laws.coefficients import read_coefficients
from inloop.model.laws.declaring import automatic_name, declare_law, element_reader
from inloop.model.names import GROUND_NAME, quoted


def contact(
    model: HasDraft,
    a: Handle | str,
    shape_a: Shape,
    b: Handle | str,
    shape_b: Shape,
    *,
    law: NormalLaw | Hard,
    friction: FrictionLaw | None = None,
    states: Mapping[str, float] | None = None,
    name: str | None = None,
) -> str:
    """Declare a contact between two shapes.

    The forces act at the point half-way between the two surfaces, on their common normal.
    Results hold "<name>.gap" [m], negative in contact, "<name>.force" [N], the normal force,
    and "<name>.friction" [N]: the magnitude, or for a planar contact the force on the second
    body along axis × normal, the normal pointing from the first to the second; and, in axes
    of a, the contact point "<name>.point_x", ... [m] and the whole force on the second body
    "<name>.force_x", ... [N].

    Pairs: plane with sphere, point, circle or rim; segment with circle; sphere, cylinder,
    capsule and circle with each other and with points. The outer one of two round shapes may
    be hollow. With a circle the contact is planar: its axis is parallel to that of the other
    shape, or to the plane. Cylinders go on for ever and are parallel to each other; capsules
    touch at any angle.

    With law=hard(...) spheres, capsules, cylinders with a length, cones, tori (wheels whose hole is
    filled), boxes and convex hulls also touch each other, terrain (meshes and heightfields) and
    planes: at several places, which are found while the plant runs.

    Args:
        a: frame that carries the first shape; a body or a point stands for a frame with the
            axes of the body.
        shape_a: plane(), segment(length), sphere(radius), point(), circle(radius),
            rim(radius), cylinder(radius) or capsule(radius, length).
        b: frame that carries the second shape, on another body or on the ground.
        shape_b: the second shape.
        law: normal force: hunt_crossley(...), power_law(...), felt(...) or an object of a
            class of your own, see `NormalLaw`; or hard(...), which does not give way at all and
            brings its friction with it.
        friction: coulomb_contact(...), lugre_contact(...), an object of a class of your own,
            see `FrictionLaw`, or None for smooth surfaces.
        states: initial values of states of the two laws, such as {"memory": 2.0} of felt that
            has long been pressed with 2 N; those not given start at 0.
        name: name of the contact.

    Returns:
        The name of the contact; the frame force that acts for it has the same.
    """
    draft = model._draft
    read = element_reader(draft, "contact", name, a, b)
    where = read.where
    first, second = read_shape(read, shape_a, "shape_a"), read_shape(read, shape_b, "shape_b")
    press = _read_law(read, law)
    rub = _read_friction(read, friction)
    if isinstance(press, Hard) and friction is not None:
        read.complain("a hard contact includes its own friction", "Write law=hard(friction=0.3).")
    paths = tuple(read_path(read, draft, end, "target") or "" for end in (a, b))
    if name is None:
        name = automatic_name(draft, "contact", paths)
    if first is None or second is None or press is None or not all(paths):
        return name
    on_ground = paths[1].partition(".")[0] == GROUND_NAME
    touching = _put_together(read, name, (first, second), (press, rub), on_ground)
    if touching is None:
        _complain_of_pair(read, shape_a, shape_b)
        return name
    declared = declare_law(
        draft,
        "frame_force",
        (b, a) if touching.exchanged else (a, b),
        touching.law_function(),
        name,
        states=_read_states(read, touching.states, states),
        outputs=touching.outputs,
    )
    told = tuple(touching.outputs)
    found = touching if isinstance(touching, FoundTouching) else None
    ends = (paths[0], paths[1])
    draft.contacts.append(
        ContactDraft(declared, ends, (first, second), press, rub, told, where, found)
    )
    return declared


def _put_together(
    read: Intake,
    name: str,
    shapes: tuple[Shape, Shape],
    laws: tuple[NormalLaw | Hard, FrictionLaw | None],
    on_ground: bool,
) -> Touching | HardTouching | FoundTouching | None:
    """Geometry and laws of a contact; None if the shapes cannot touch.

    Args:
        read: reports mistakes.
        name: of the contact.
        shapes: as written.
        laws: normal force and friction.
        on_ground: the second frame belongs to the ground.
    """
    first, second = shapes
    press, rub = laws
    pair, reverse = find_pair(first, second), find_pair(second, first)
    if pair is None and reverse is None:
        return find_touching(read, shapes, press) if isinstance(press, Hard) else None
    exchanged = pair is None or (reverse is not None and on_ground)
    if exchanged:
        # the same contact told from the other side; vectors in axes of the ground are cheap
        pair, first, second = reverse, second, first
    assert pair is not None
    _check_radii(read, first, second)
    if isinstance(press, Hard):
        return HardTouching(name, pair, (first, second), press, exchanged)
    return Touching(name, pair, (first, second), press, rub, exchanged)


def _read_law(read: Intake, law: object) -> NormalLaw | Hard | None:
    if isinstance(law, NormalLaw | Hard) and not isinstance(law, type):
        return read_coefficients(read, law)
    read.complain(
        f"law must be a normal force, got {quoted(law)}",
        "Write hard(...), hunt_crossley(...), power_law(...), felt(...), or an object of your own "
        "class with a method push(self, gap, gap_rate, states).",
    )
    return None


def _read_friction(read: Intake, friction: object) -> FrictionLaw | None:
    if friction is None:
        return None
    if isinstance(friction, FrictionLaw) and not isinstance(friction, type):
        return read_coefficients(read, friction)
    read.complain(
        f"friction must be a friction law, got {quoted(friction)}",
        "Write coulomb_contact(...), lugre_contact(...), an object of your own class with a "
        "method drag(self, slip, push, gap, states), or None for smooth surfaces.",
    )
    return None


def _read_states(read: Intake, known: tuple[str, ...], given: object) -> dict[str, float]:
    """Initial values of all states; names that the laws do not have are reported."""
    if given is not None and not isinstance(given, Mapping):
        read.complain(
            f"states must be names with initial values, got {quoted(given)}",
            'Write states={"memory": 2.0}.',
        )
        given = None
    values = dict(given or {})
    for name in values:
        if name not in known:
            fix = f"Its states are: {', '.join(known)}." if known else "Its laws have no states."
            read.complain(f"the contact has no state {quoted(name)}", fix)
    return {name: values.get(name, 0.0) for name in known}


def _complain_of_pair(read: Intake, a: Shape, b: Shape) -> None:
    for shape, role in ((a, "shape_a"), (b, "shape_b")):
        if isinstance(shape, Cylinder) and shape.length is not None:
            read.complain(
                f"{role} is a cylinder with flat ends, for which there is no contact",
                "Write capsule(radius, length) for round ends, or leave out the length; with "
                "law=hard(...), cylinders can touch planes and terrain.",
            )
            return
    known = ", ".join(f"{x.kind}-{y.kind}" for x, y in PAIRS)
    if a.hollow or b.hollow:
        fix = "Only the outer one of two round shapes may be hollow, and not around a plane."
    elif isinstance(a, HalfSpace) or isinstance(b, HalfSpace):
        fix = (
            "In a planar mechanism, write a circle; in space, write a sphere at each end "
            "of the capsule."
        )
    else:
        fix = "Choose shapes from this list."
    found = ", ".join(f"{x}-{y}" for x, y in TOUCHES)
    fix += f" With law=hard(...) these touch too: {found}; ground is a mesh or a heightfield."
    read.complain(f"a {a} and a {b} cannot touch; pairs are {known}", fix)


def _check_radii(read: Intake, a: Shape, b: Shape) -> None:
    outer, inner = (folded(getattr(shape, "radius", 0.0)) for shape in (a, b))
    if a.hollow and isinstance(outer, float) and isinstance(inner, float) and inner >= outer:
        read.complain(
            f"a shape of radius {inner:g} m does not fit into a hollow one of {outer:g} m",
            "Give the hollow shape the larger radius.",
        )
