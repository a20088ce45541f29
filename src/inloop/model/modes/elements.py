"""What changes while a finished mechanism runs: modes, locks, and the events between modes.

Data only: the equations are written by the formalisms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inloop.model.geometry import Scalar
from inloop.symbolic import Expr

Direction = Literal["falls", "rises", "either"]
QuantityKind = Literal["q", "qd", "p", "v", "force", "effort", "z", "out"]


@dataclass(frozen=True)
class Mode:
    """A set of elements that hold together for a while.

    Attributes:
        name: name of the mode.
        doc: description.
        where: file and line.
    """

    name: str
    doc: str
    where: str


@dataclass(frozen=True)
class Lock:
    """A joint that is held where it is; its multiplier is the effort that holds it.

    Attributes:
        name: name of the lock.
        body: index of the body that the joint moves.
        where: file and line.
    """

    name: str
    body: int
    where: str


@dataclass(frozen=True)
class Quantity:
    """Something that an event was traced with.

    Attributes:
        kind: "q", "qd": of a joint; "p", "v": position and velocity of a point in world axes;
            "force": multiplier of a constraint row; "effort": of a driven joint; "z": state of
            a law; "out": output of a law.
        key: name of the joint, point, row, state or output.
        symbols: the placeholders: one, or three for points.
    """

    kind: QuantityKind
    key: str
    symbols: tuple[Expr, ...]


@dataclass(frozen=True)
class Event:
    """Something that ends a mode, or makes its state jump.

    Attributes:
        name: name of the event.
        mode: the mode in which it is watched.
        indicator: what is watched; the event happens where it passes zero.
        direction: how it passes zero.
        to: mode that follows; the same one if it is the event's own.
        impact: mode whose constraints the velocities run into; None for no impact.
        restitution: of that impact, 0 to 1; of all rows that have none of their own.
        row_restitution: of single rows or of all rows of an element of that mode, by name.
        sets: values that the event sets, by "<joint>.q", "<joint>.qd" or "<law>.<state>".
        settles_in: mode that follows when such events accumulate; None for none.
        tolerance: values of the indicator below this are zero; None for a small part of its size.
        quantities: what indicator, restitution and sets were traced with.
        t: time [s].
        where: file and line.
    """

    name: str
    mode: str
    indicator: Scalar
    direction: Direction
    to: str
    impact: str | None
    restitution: Scalar
    row_restitution: tuple[tuple[str, Scalar], ...]
    sets: tuple[tuple[str, Scalar], ...]
    settles_in: str | None
    tolerance: float | None
    quantities: tuple[Quantity, ...]
    t: Expr
    where: str
