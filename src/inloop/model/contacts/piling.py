"""Piles, as a method of `Model`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from inspect import Parameter as Argument
from typing import Any

from inloop.geometry import Shape
from inloop.geometry.collision import CollisionShape, collision_shape
from inloop.model.contacts.hard import NORMAL, Hard
from inloop.model.contacts.pile import FORCE, MEMBERS, state_names
from inloop.model.draft import HasDraft, PileDraft
from inloop.model.geometry import ZERO, Scalar
from inloop.model.handles import Handle, read_path
from inloop.model.intake import Intake, as_tuple
from inloop.model.laws.coefficients import read_coefficients
from inloop.model.laws.declaring import declare_law, element_reader
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted

MOST_SLOTS = 8192


def pile(
    model: HasDraft,
    members: Sequence[tuple[Handle | str, Shape]],
    *,
    law: Hard,
    contacts: int = 128,
    name: str = "pile",
) -> str:
    """Declare hard contacts among many bodies and the ground, wherever they meet.

    One pile stands for hard contacts of all pairs of its members. Members on the same tree of
    joints do not touch each other. `method="moreau"` finds the impulses, of bodies that do not
    touch apart from each other. Results hold "<name>.force", the sum of all normal forces [N],
    "<name>.residual", "<name>.carrying", the number of contacts that carry, and "<name>.impacts",
    all of the last step.

    Args:
        members: frames, or bodies, with the shape on each: spheres, capsules, cylinders, cones,
            tori (without their holes), boxes, convex hulls and the ground, which may be plane() or
            terrain.
        law: hard(...), for all contacts.
        contacts: that may carry at a time; a step that needs more has status CONTACT_INEXACT.
        name: name of the pile; a model has one at most, and no other hard contacts.

    Returns:
        The name of the pile.
    """
    draft = model._draft
    read = element_reader(draft, "pile", name)
    where = read.where
    paths, shapes, tables = _read_members(read, model, members)
    contacts = _read_contacts(read, contacts)
    if draft.pile is not None:
        read.complain("the model already has a pile", "Put all members into one.")
    if not isinstance(law, Hard):
        read.complain(f"law must be hard(...), got {quoted(law)}", "Write law=hard(friction=0.5).")
    elif len(paths) < 2:
        read.complain("a pile needs at least two members", "Add the ground, or another body.")
    else:
        press = read_coefficients(read, law)
        _declare(model, name, PileDraft(name, paths, shapes, tables, press, contacts, where))
    return name


def _declare(model: HasDraft, name: str, pile: PileDraft) -> None:
    """Put a pile into the draft, and the law that holds its states."""
    states = dict.fromkeys(state_names(pile.slots), 0.0)
    ends, law = (pile.paths[0], pile.paths[1]), _no_force(tuple(states))
    outputs = {FORCE: "N"}
    declare_law(model._draft, "frame_force", ends, law, name, states=states, outputs=outputs)
    model._draft.pile = pile


def _no_force(names: tuple[str, ...]) -> Law:
    """A law without a force that has states."""

    def no_force(**states: Scalar) -> Any:
        normals = [force for state, force in states.items() if state.endswith(f"_{NORMAL}")]
        return (ZERO, ZERO), dict.fromkeys(states, 0.0), {FORCE: sum(normals)}

    named = [Argument(name, Argument.KEYWORD_ONLY) for name in names]
    no_force.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return no_force


def _read_members(
    read: Intake, model: HasDraft, members: object
) -> tuple[tuple[str, ...], tuple[Shape, ...], tuple[CollisionShape, ...]]:
    """Paths and shapes; those that cannot be used are reported and left out."""
    paths: list[str] = []
    shapes: list[Shape] = []
    tables: list[CollisionShape] = []
    for member in as_tuple(members) or ():
        pair = as_tuple(member)
        if pair is None or len(pair) != 2 or not isinstance(pair[1], Shape):
            read.complain(
                f"a member must be a frame and a shape, got {quoted(member)}",
                "Write (body, box((0.2, 0.1, 0.1))).",
            )
            continue
        path = read_path(read, model._draft, pair[0], "member")
        table = collision_shape(pair[1])
        if table is None:
            read.complain(
                f"a {pair[1]} cannot be in a pile",
                MEMBERS,
            )
        elif path:
            paths.append(path)
            shapes.append(pair[1])
            tables.append(table)
    return tuple(paths), tuple(shapes), tuple(tables)


def _read_contacts(read: Intake, contacts: object) -> int:
    """Read how many contacts may carry at a time."""
    if type(contacts) is int and 1 <= contacts <= MOST_SLOTS:
        return contacts
    read.complain(
        f"contacts must be a number from 1 to {MOST_SLOTS}, got {quoted(contacts)}",
        "Four per pair of boxes resting on each other are enough.",
    )
    return 1
