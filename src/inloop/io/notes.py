"""Sentences about what a file holds and the model does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.model.names import quoted

MOST_SHOWN = 12


def not_read(elements: Mapping[str, int]) -> Iterator[str]:
    """Yield "not read: 12 'gazebo', 7 'transmission'" if there is anything that was not."""
    shown = [f"{count} {quoted(tag)}" for tag, count in elements.items()]
    if shown:
        yield "not read: " + ", ".join(shown[:MOST_SHOWN] + ["..."] * (len(shown) > MOST_SHOWN))
