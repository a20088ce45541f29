"""Safe XML reader: no document types or entities, bounded size and depth, line numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from inloop.errors import FileFormatError
from inloop.geometry.mesh_files.given_file import read_bytes
from inloop.model.names import quoted

DEEPEST_NESTING = 100
MOST_ELEMENTS = 1_000_000


@dataclass(slots=True)
class Element:
    """One XML element.

    Attributes:
        tag: name of the element.
        attributes: values by name.
        where: file and line of its start tag.
        children: child elements, in file order.
        text: all character data directly inside, stripped.
    """

    tag: str
    attributes: dict[str, str]
    where: str
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def label(self) -> str:
        """The element in messages: "<joint>", shortened if long."""
        return f"<{quoted(self.tag)[1:-1]}>"

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def child(self, tag: str) -> Element | None:
        """Return the child with this tag, or None; more than one is an error."""
        found = list(self.all(tag))
        if len(found) > 1:
            found[1].fail(f"{self.label} has a second <{tag}>", "Keep one of them.")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """Return the child with this tag, which is required."""
        found = self.child(tag)
        if found is None:
            self.fail(f"{self.label} has no <{tag}>", f"Add <{tag}> to it.")
        return found

    def attribute(self, name: str) -> str:
        """Return a required attribute."""
        if name not in self.attributes:
            self.fail(f"{self.label} has no attribute {quoted(name)}", "Add it.")
        return self.attributes[name]

    def fail(self, what: str, fix: str) -> NoReturn:
        """Raise FileFormatError about this element, with its file and line."""
        raise FileFormatError(what, self.where, fix)


def parse_file(path: str | os.PathLike[str]) -> Element:
    """Return the root element of an XML file.

    Raises:
        FileFormatError: the file cannot be opened, is too large, is not well-formed, or uses
            document types or entities.
    """
    advice = "A mechanism needs far less: keep meshes in separate files."
    return parse(read_bytes(Path(path), advice), os.fspath(path))


def parse(data: bytes, name: str) -> Element:
    """Return the root element of an XML document.

    Args:
        data: the whole document.
        name: name of the document in messages, usually the path of the file.
    """
    reader = _Reader(name)
    try:
        return reader.read(data)
    except expat.ExpatError as error:
        raise FileFormatError(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            f"{name}:{error.lineno}",
            "The file is damaged or truncated, or is not XML; get a new copy from its source.",
        ) from None
    except (LookupError, ValueError) as error:  # from an encoding unknown to Python
        raise FileFormatError(
            f"the encoding of the file cannot be used: {error}", f"{name}:1", "Save it as UTF-8."
        ) from None


class _Reader:
    """Builds the element tree while expat parses."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0
        self._open: list[Element] = [Element("", {}, f"{name}:1")]
        self._texts: list[list[str]] = [[]]
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._text
        # without a document type there are no entities: no expansion, no access to external files
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.ExternalEntityRefHandler = self._refuse_entity

    def read(self, data: bytes) -> Element:
        self._expat.Parse(data, True)
        return self._open[0].children[0]

    @property
    def _here(self) -> str:
        return f"{self._name}:{self._expat.CurrentLineNumber}"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) > DEEPEST_NESTING:
            self._refuse(f"elements are nested deeper than {DEEPEST_NESTING}")
        if self._count > MOST_ELEMENTS:
            self._refuse(f"more than {MOST_ELEMENTS} elements")
        element = Element(tag, attributes, self._here)
        self._open[-1].children.append(element)
        self._open.append(element)
        self._texts.append([])

    def _end(self, tag: str) -> None:
        self._open.pop().text = "".join(self._texts.pop()).strip()

    def _text(self, text: str) -> None:
        self._texts[-1].append(text)

    def _refuse_doctype(self, *declaration: object) -> NoReturn:
        self._refuse("the file declares a document type (<!DOCTYPE ...>)")

    def _refuse_entity(self, *declaration: object) -> NoReturn:
        self._refuse("the file declares an entity")

    def _refuse(self, what: str) -> NoReturn:
        raise FileFormatError(what, self._here, "Remove it: for safety, such files are not read.")
