"""Notes about content of a file that the model does not represent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.model.names import quoted

MOST_SHOWN = 12


def not_read(elements: Mapping[str, int]) -> Iterator[str]:
    """Yield "not read: 12 'gazebo', 7 'transmission'" if any elements were skipped."""
    shown = [f"{count} {quoted(tag)}" for tag, count in elements.items()]
    if shown:
        yield "not read: " + ", ".join(shown[:MOST_SHOWN] + ["..."] * (len(shown) > MOST_SHOWN))
