"""C types, with the layout of 64-bit platforms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from inloop.errors import BuildError


@dataclass(frozen=True)
class Void:
    """No value."""

    size: int = 1
    align: int = 1


@dataclass(frozen=True)
class Number:
    """A number in memory.

    Attributes:
        code: format character of the memory view, as in `struct`.
        size: [bytes].
        signed: False for unsigned integers.
        real: True for floating-point numbers.
    """

    code: str
    size: int
    signed: bool = True
    real: bool = False

    @property
    def align(self) -> int:
        """Alignment [bytes]."""
        return self.size


@dataclass(frozen=True)
class Pointer:
    """A pointer."""

    to: CType
    size: int = 8
    align: int = 8
    code: str = "Q"


@dataclass(frozen=True)
class Array:
    """An array; a count of -1 is determined by the initializer."""

    of: CType
    count: int

    @property
    def size(self) -> int:
        """Size [bytes]."""
        return self.of.size * self.count

    @property
    def align(self) -> int:
        """Alignment [bytes]."""
        return self.of.align


@dataclass(frozen=True)
class Function:
    """A function type."""

    returns: CType
    arguments: tuple[CType, ...]
    size: int = 1
    align: int = 1


@dataclass(eq=False)
class Struct:
    """A struct; without fields until it is fully declared.

    Attributes:
        name: tag or type name.
        fields: name → type and offset [bytes].
    """

    name: str
    fields: dict[str, tuple[CType, int]] = field(default_factory=dict)
    size: int = 0
    align: int = 1

    def lay_out(self, declared: list[tuple[str, CType]]) -> None:
        """Assign an offset to each field."""
        end = 0
        for name, kind in declared:
            at = -(-end // kind.align) * kind.align
            self.fields[name] = (kind, at)
            end, self.align = at + kind.size, max(self.align, kind.align)
        self.size = -(-end // self.align) * self.align

    def find(self, name: str) -> tuple[CType, int]:
        """Type and offset of a field."""
        if name not in self.fields:
            raise BuildError(f"struct '{self.name}' has no field '{name}'")
        return self.fields[name]


CType: TypeAlias = Void | Number | Pointer | Array | Function | Struct

VOID = Void()
DOUBLE, FLOAT = Number("d", 8, real=True), Number("f", 4, real=True)
CHAR, UCHAR = Number("b", 1), Number("B", 1, signed=False)
SHORT, USHORT = Number("h", 2), Number("H", 2, signed=False)
INT, UINT = Number("i", 4), Number("I", 4, signed=False)
LONG, ULONG = Number("q", 8), Number("Q", 8, signed=False)
TEXT = Pointer(CHAR)

NAMED: dict[str, CType] = {
    "int8_t": CHAR,
    "uint8_t": UCHAR,
    "int16_t": SHORT,
    "uint16_t": USHORT,
    "int32_t": INT,
    "uint32_t": UINT,
    "int64_t": LONG,
    "uint64_t": ULONG,
    "size_t": ULONG,
    "ptrdiff_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
}

# keywords of a built-in type, in alphabetical order
SPELLED: dict[tuple[str, ...], CType] = {
    ("void",): VOID,
    ("double",): DOUBLE,
    ("float",): FLOAT,
    ("char",): CHAR,
    ("char", "signed"): CHAR,
    ("char", "unsigned"): UCHAR,
    ("short",): SHORT,
    ("short", "unsigned"): USHORT,
    ("int",): INT,
    ("int", "unsigned"): UINT,
    ("unsigned",): UINT,
    ("long",): LONG,
    ("long", "unsigned"): ULONG,
    ("long", "long"): LONG,
    ("long", "long", "unsigned"): ULONG,
}


def common(a: CType, b: CType) -> Number:
    """The usual arithmetic conversions of two numbers."""
    if not (isinstance(a, Number) and isinstance(b, Number)):
        raise BuildError(f"no arithmetic with {a} and {b}")
    if a.real or b.real:
        return DOUBLE
    a, b = promoted(a), promoted(b)
    if a.size != b.size:
        return a if a.size > b.size else b
    return a if not a.signed else b


def promoted(a: Number) -> Number:
    """Integer promotion."""
    return INT if not a.real and a.size < INT.size else a
