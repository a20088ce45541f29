"""Values and places of C in the text of Python, and conversions between types."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import BuildError
from inloop.native.translated.c_types import (
    DOUBLE,
    INT,
    Array,
    CType,
    Function,
    Number,
    Pointer,
    Struct,
)
from inloop.native.translated.memory import SHIFTS, VIEWS


@dataclass(frozen=True)
class Value:
    """An expression of Python that can be an operand.

    Attributes:
        text: of Python; of a struct, the address where it is.
        type: of C.
        truth: `text` is True or False, or stands for one of them.
        known: its number, where that is known beforehand.
        temporary: a struct in the memory of a function that has returned.
    """

    text: str
    type: CType
    truth: bool = False
    known: int | float | None = None
    temporary: bool = False


@dataclass(frozen=True)
class Place:
    """Where something is: a variable of Python, or an address in memory.

    Attributes:
        base: name of the variable, or address.
        offset: added to the address [bytes].
    """

    type: CType
    base: str
    offset: int = 0
    in_memory: bool = True

    @property
    def address(self) -> str:
        """As an operand."""
        if not self.in_memory:
            raise BuildError(f"variable '{self.base}' has no address")
        return f"({self.base} + {self.offset})" if self.offset else self.base

    @property
    def entry(self) -> str:
        """What reads and writes the number there."""
        if not self.in_memory:
            return self.base
        assert isinstance(self.type, Number | Pointer)
        view, shift = VIEWS[self.type.code], SHIFTS[self.type.code]
        return f"{view}[{self.address} >> {shift}]" if shift else f"{view}[{self.address}]"

    @property
    def view(self) -> tuple[str, str]:
        """The array that holds the number, and its place there."""
        assert isinstance(self.type, Number | Pointer)
        shift = SHIFTS[self.type.code]
        return VIEWS[self.type.code], f"{self.address} >> {shift}" if shift else self.address


def literal(value: float, kind: CType) -> Value:
    """A number that is known."""
    real = isinstance(kind, Number) and kind.real
    number: int | float = float(value) if real else int(value)
    text = repr(number)
    return Value(f"({text})" if text[0] == "-" else text, kind, known=number)


def loaded(place: Place) -> Value:
    """What is at a place; of arrays, structs and functions, their address."""
    if isinstance(place.type, Array):
        return Value(place.address, Pointer(place.type.of))
    if isinstance(place.type, Struct):
        return Value(place.address, place.type)
    if isinstance(place.type, Function):
        return Value(place.address, Pointer(place.type))
    return Value(place.entry, place.type)


def number(value: Value) -> Value:
    """True and False as integers."""
    return Value(f"(1 if {value.text} else 0)", INT) if value.truth else value


def converted(value: Value, kind: CType) -> Value:
    """A value as another type."""
    value = number(value)
    if not isinstance(kind, Number):
        return Value(value.text, kind, known=value.known, temporary=value.temporary)
    if value.known is not None:
        return _known(value.known, kind)
    source = value.type
    if kind.real:
        if isinstance(source, Number) and source.real:
            return Value(value.text, kind)
        return Value(f"float({value.text})", kind)
    if isinstance(source, Number) and source.real:
        return _fitted(f"L_truncated({value.text})", None, kind)
    return _fitted(value.text, source, kind)


def _known(value: float, kind: Number) -> Value:
    if kind.real:
        return literal(float(value), kind)
    whole, bits = int(value), 8 * kind.size
    whole &= (1 << bits) - 1
    if kind.signed and whole >> (bits - 1):
        whole -= 1 << bits
    return literal(whole, kind)


def _fitted(text: str, source: CType | None, kind: Number) -> Value:
    """An integer of any size as one of another size."""
    bits = 8 * kind.size
    fits = isinstance(source, Number) and (
        (source.signed == kind.signed and source.size <= kind.size)
        or (not source.signed and source.size < kind.size)
    )
    if fits:
        return Value(text, kind)
    if kind.signed:
        return Value(f"L_wrapped({text}, {bits})", kind)
    return Value(f"({text} & {(1 << bits) - 1:#x})", kind)


def divided(a: Value, b: Value, kind: Number) -> Value:
    """a / b."""
    if not kind.real:
        return Value(f"L_whole_quotient({a.text}, {b.text})", kind)
    if b.known:
        return Value(f"({a.text} / {b.text})", DOUBLE)
    if b.text.isidentifier() and len(a.text) < 40:
        return Value(
            f"({a.text} / {b.text} if {b.text} else L_quotient({a.text}, {b.text}))", DOUBLE
        )
    return Value(f"L_quotient({a.text}, {b.text})", DOUBLE)
