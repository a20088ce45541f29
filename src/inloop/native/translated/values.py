"""C values and locations as Python text, and conversions between types."""

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
    """A Python expression that can be used as an operand.

    Attributes:
        text: Python text; for a struct, its address.
        type: C type.
        truth: whether `text` is a Python bool.
        known: its number, if constant.
        temporary: a struct in the memory of a function that has returned.
    """

    text: str
    type: CType
    truth: bool = False
    known: int | float | None = None
    temporary: bool = False


@dataclass(frozen=True)
class Place:
    """A location: a Python variable, or an address in memory.

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
        """The address as an operand."""
        if not self.in_memory:
            raise BuildError(f"variable '{self.base}' has no address")
        return f"({self.base} + {self.offset})" if self.offset else self.base

    @property
    def entry(self) -> str:
        """The text that reads and writes the number there."""
        if not self.in_memory:
            return self.base
        assert isinstance(self.type, Number | Pointer)
        view, shift = VIEWS[self.type.code], SHIFTS[self.type.code]
        return f"{view}[{self.address} >> {shift}]" if shift else f"{view}[{self.address}]"

    @property
    def view(self) -> tuple[str, str]:
        """The array that holds the number, and its index."""
        assert isinstance(self.type, Number | Pointer)
        shift = SHIFTS[self.type.code]
        return VIEWS[self.type.code], f"{self.address} >> {shift}" if shift else self.address


def literal(value: float, kind: CType) -> Value:
    """A constant."""
    real = isinstance(kind, Number) and kind.real
    number: int | float = float(value) if real else int(value)
    text = repr(number)
    return Value(f"({text})" if text[0] == "-" else text, kind, known=number)


def loaded(place: Place) -> Value:
    """The value at a location; for arrays, structs and functions, their address."""
    if isinstance(place.type, Array):
        return Value(place.address, Pointer(place.type.of))
    if isinstance(place.type, Struct):
        return Value(place.address, place.type)
    if isinstance(place.type, Function):
        return Value(place.address, Pointer(place.type))
    return Value(place.entry, place.type)


def number(value: Value) -> Value:
    """Booleans as integers."""
    return Value(f"(1 if {value.text} else 0)", INT) if value.truth else value


def converted(value: Value, kind: CType) -> Value:
    """A value converted to another type."""
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
    """An integer converted to another size."""
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
