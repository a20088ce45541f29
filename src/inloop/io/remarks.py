"""Notes collected while a file is read, with names and line numbers."""

from __future__ import annotations

from collections.abc import Iterator

MOST_PLACES = 8  # per sentence


class Remarks:
    """Collects sentences with the places in the file to which they refer."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, where: str) -> None:
        """Add a note about a place, "file:line"; the same note about several places is merged."""
        places = self._places.setdefault(what, [])
        if where not in places:
            places.append(where)

    @property
    def notes(self) -> Iterator[str]:
        """One sentence per note, with its places: "not read: <camera> (arm.xml:7, 9)"."""
        for what, places in self._places.items():
            shown = [places[0], *map(_line_after, places, places[1:MOST_PLACES])]
            more = len(places) - MOST_PLACES
            yield f"{what} ({', '.join(shown)}{f' and {more} more' if more > 0 else ''})"


def _line_after(before: str, where: str) -> str:
    """The place, without the file name if it is the same as that of the previous place."""
    file, _, line = where.rpartition(":")
    return line if before.rpartition(":")[0] == file else where
