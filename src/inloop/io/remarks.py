"""What a file holds and a model does not: collected while it is read, by name and line."""

from __future__ import annotations

from collections.abc import Iterator

MOST_PLACES = 8  # in one sentence


class Remarks:
    """Collects sentences with the places in the file that they are about."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, where: str) -> None:
        """Note something of a place, "file:line"; the same of several places is one sentence."""
        places = self._places.setdefault(what, [])
        if where not in places:
            places.append(where)

    @property
    def notes(self) -> Iterator[str]:
        """One sentence for each thing, with its places: "not read: <camera> (arm.xml:7, 9)"."""
        for what, places in self._places.items():
            shown = [places[0], *map(_line_after, places, places[1:MOST_PLACES])]
            more = len(places) - MOST_PLACES
            yield f"{what} ({', '.join(shown)}{f' and {more} more' if more > 0 else ''})"


def _line_after(before: str, where: str) -> str:
    """The place without the name of the file if it is that of the place before."""
    file, _, line = where.rpartition(":")
    return line if before.rpartition(":")[0] == file else where
