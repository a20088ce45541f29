"""Scopes of names: all files, one file, one block."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.native.translated.c_types import NAMED, CType, Struct


@dataclass(frozen=True)
class Object:
    """A variable or a function.

    Attributes:
        type: C type.
        text: its Python name, or its address.
        in_memory: whether `text` is an address; otherwise a name that holds the value.
    """

    type: CType
    text: str
    in_memory: bool


@dataclass
class Scope:
    """Declared names; others are looked up in the enclosing scope."""

    around: Scope | None = None
    types: dict[str, CType] = field(default_factory=dict)
    tags: dict[str, Struct] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    objects: dict[str, Object] = field(default_factory=dict)

    def type_named(self, name: str) -> CType | None:
        """A named type."""
        found = self.types.get(name)
        if found is None:
            found = NAMED.get(name) if self.around is None else self.around.type_named(name)
        return found

    def tagged(self, name: str) -> Struct | None:
        """A struct by its tag."""
        found = self.tags.get(name)
        return self.around.tagged(name) if found is None and self.around is not None else found

    def constant(self, name: str) -> int | None:
        """A constant of an enum."""
        found = self.constants.get(name)
        return self.around.constant(name) if found is None and self.around is not None else found

    def find(self, name: str) -> Object | None:
        """A variable or function."""
        found = self.objects.get(name)
        return self.around.find(name) if found is None and self.around is not None else found
