"""MJCF files that consist of several: each <include file="..."/> is replaced by its content."""

from __future__ import annotations

from pathlib import Path

from inloop.io.packages import Packages
from inloop.io.xml import DEEPEST_NESTING, Element, parse_file
from inloop.model.names import quoted

MOST_FILES = 200
MOST_ELEMENTS = 1_000_000  # of all files together


def expand(root: Element) -> Element:
    """Return the root element with all included files expanded.

    Paths are relative to the folder of the main file, and must lie inside it.

    Raises:
        FileFormatError: a file is missing, outside of the folder, malformed or included twice.
    """
    path = Path(root.where.rpartition(":")[0])
    return _Expansion(path).expanded(root, 0)


class _Expansion:
    """Keeps track of files that were read."""

    def __init__(self, path: Path) -> None:
        self._packages = Packages(path, {})
        self._read = {path.resolve()}
        self._count = 0

    def expanded(self, element: Element, depth: int) -> Element:
        if depth > DEEPEST_NESTING:
            element.fail(f"elements are nested deeper than {DEEPEST_NESTING}", "Simplify the file.")
        children: list[Element] = []
        for child in element.children:
            self._count += 1
            if self._count > MOST_ELEMENTS:
                child.fail(f"more than {MOST_ELEMENTS} elements", "Include less.")
            if child.tag == "include":
                children += self._included(child, depth).children
            else:
                children.append(self.expanded(child, depth + 1))
        return Element(element.tag, element.attributes, element.where, children, element.text)

    def _included(self, include: Element, depth: int) -> Element:
        reference = include.attribute("file")
        found = self._packages.find(reference)
        if isinstance(found, str):
            include.fail(
                f"cannot include {quoted(reference)}: {found}",
                "Put included files in the folder of the model or below it.",
            )
        path = found.path.resolve()
        if path in self._read:
            include.fail(f"{quoted(reference)} is included twice", "Include each file once.")
        self._read.add(path)
        if len(self._read) > MOST_FILES:
            include.fail(f"more than {MOST_FILES} files are included", "Merge some of them.")
        return self.expanded(parse_file(found.path), depth)
