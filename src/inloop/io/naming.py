"""Names from a file, converted to unique names that are valid in generated C."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inloop.model.names import LONGEST_NAME, name_problem, quoted


class Names:
    """Gives each element of one kind a unique name.

    Valid names stay unchanged, whatever precedes them in the file; the others are changed as little
    as possible, with a note.

    Attributes:
        notes: one sentence for each changed name.
    """

    def __init__(self, kind: str, reserved: Iterable[str] = ()) -> None:
        self._kind = kind
        self._taken = set(reserved)
        self._reserved = frozenset(self._taken)
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}  # last number by stem
        self.notes: list[str] = []

    def read(self, originals: Iterable[str]) -> None:
        """Name all elements of the file, once each."""
        originals = list(originals)
        for original in originals:
            if name_problem(original) is None and original not in self._reserved:
                self._names[original] = original
                self._taken.add(original)
        for original in originals:
            if original not in self._names:
                self._names[original] = name = self.new(original)
                self.notes.append(
                    f"{self._kind} {quoted(original)} is called {quoted(name)}: its own name is "
                    "reserved or not an identifier in C"
                )

    def new(self, wanted: str) -> str:
        """Return and reserve an unused name close to the wanted one."""
        stem = as_identifier(wanted)
        # lower numbers are known to be taken
        name, count = stem, self._counts.get(stem, 1)
        while name in self._taken or name_problem(name) is not None:
            count += 1
            ending = f"_{count}"
            name = stem[: LONGEST_NAME - len(ending)] + ending
        self._counts[stem] = count
        self._taken.add(name)
        return name

    def __contains__(self, original: object) -> bool:
        return original in self._names

    def __getitem__(self, original: str) -> str:
        return self._names[original]

    @property
    def originals(self) -> Iterable[str]:
        """The names as written in the file."""
        return self._names.keys()


def as_identifier(text: str) -> str:
    """Return the closest valid C identifier."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text, flags=re.ASCII)[:LONGEST_NAME].strip("_")
    name = name or "unnamed"
    return name if not name[0].isdigit() else f"_{name}"[:LONGEST_NAME]
