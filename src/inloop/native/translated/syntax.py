"""Nodes of the C syntax tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from inloop.native.translated.c_types import CType


@dataclass(slots=True)
class Literal:
    """A number."""

    value: int | float
    type: CType


@dataclass(slots=True)
class Text:
    """A string in quotes."""

    value: bytes


@dataclass(slots=True)
class Name:
    """A variable, function or constant."""

    name: str


@dataclass(slots=True)
class Unary:
    """A prefix operator."""

    sign: str  # + - ! ~ * & ++ --
    operand: Expression


@dataclass(slots=True)
class Postfix:
    """A postfix operator."""

    sign: str  # ++ --
    operand: Expression


@dataclass(slots=True)
class Binary:
    """A binary operator."""

    sign: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Assignment:
    """= and compound assignment."""

    sign: str  # "" for =, + for +=
    target: Expression
    value: Expression


@dataclass(slots=True)
class Choice:
    """condition ? yes : no."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(slots=True)
class Call:
    """A function call."""

    function: Expression
    arguments: list[Expression]


@dataclass(slots=True)
class Index:
    """array[index]."""

    array: Expression
    index: Expression


@dataclass(slots=True)
class Member:
    """A field of a struct, or of the target of a pointer."""

    of: Expression
    name: str
    by_pointer: bool


@dataclass(slots=True)
class Cast:
    """(type)operand."""

    type: CType
    operand: Expression


@dataclass(slots=True)
class SizeOf:
    """sizeof of a type or an expression."""

    of: Expression | CType


@dataclass(slots=True)
class Compound:
    """A compound literal: (type){...}."""

    type: CType
    items: Items


@dataclass(slots=True)
class Sequence:
    """a, b."""

    parts: list[Expression]


@dataclass(slots=True)
class Items:
    """A braced initializer: designator or None, and a value."""

    entries: list[tuple[str | Expression | None, Initializer]]


@dataclass(slots=True)
class Variable:
    """A declared variable.

    Attributes:
        static: has static storage duration.
        external: only declared.
        constant: never changes.
    """

    name: str
    type: CType
    value: Initializer | None
    static: bool = False
    external: bool = False
    constant: bool = False


@dataclass(slots=True)
class Declaration:
    """Variables of one declaration."""

    variables: list[Variable]


@dataclass(slots=True)
class Block:
    """Statements in braces."""

    statements: list[Statement]


@dataclass(slots=True)
class If:
    """if, with or without else."""

    condition: Expression
    yes: Statement
    no: Statement | None


@dataclass(slots=True)
class Loop:
    """for, while (no first, no step) and do (condition after the body)."""

    first: Statement | None
    condition: Expression | None
    step: Expression | None
    body: Statement
    checks_first: bool = True


@dataclass(slots=True)
class Switch:
    """Cases in order: their values (None for default) and statements."""

    value: Expression
    cases: list[tuple[list[Expression | None], list[Statement]]]


@dataclass(slots=True)
class Return:
    """return, with or without a value."""

    value: Expression | None


@dataclass(slots=True)
class Evaluate:
    """An expression statement."""

    expression: Expression


@dataclass(slots=True)
class Jump:
    """break or continue."""

    word: str  # break, continue


@dataclass(slots=True)
class Definition:
    """A function with its body."""

    name: str
    returns: CType
    arguments: list[tuple[str, CType]]
    body: Block
    static: bool


Expression: TypeAlias = (
    Literal
    | Text
    | Name
    | Unary
    | Postfix
    | Binary
    | Assignment
    | Choice
    | Call
    | Index
    | Member
    | Cast
    | SizeOf
    | Compound
    | Sequence
)
Initializer: TypeAlias = Expression | Items
Statement: TypeAlias = Declaration | Block | If | Loop | Switch | Return | Evaluate | Jump
