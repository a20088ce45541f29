"""Explain why a joint could not be moved to a position."""

from __future__ import annotations

from inloop.native.mirror import constant
from inloop.realtime.mailboxes.layout import Layout

MULTIPLIER = "lam."  # prefix of signals of constraint rows: "lam.<loop>.<part>"


def why_not_placed(layout: Layout, coordinate: str, q: float, why: int) -> tuple[str, str]:
    """What is wrong, and what to do.

    Args:
        layout: layout of the plant.
        coordinate: the coordinate to be placed.
        q: its new position [rad or m].
        why: see inloop_placing in inloop.h.
    """
    unit = next(c.unit for c in layout.coordinates if c.name == coordinate)
    if why == constant("INLOOP_MUST_STAND"):
        return f"joint '{coordinate}' cannot be set while the plant runs", "Pause it first."
    if why == constant("INLOOP_NOT_FREE"):
        return (
            f"joint '{coordinate}' cannot be set: a drive holds it, it turns as a ball, or the "
            "mechanism does not have it in its present mode",
            "Set another joint, or the input of the drive.",
        )
    if why == constant("INLOOP_NO_WAY"):
        return (
            f"joint '{coordinate}' cannot be at {q:.4g} {unit}: the loops have no way there, "
            "because this joint is at a dead point or past one",
            "It stays where it was. Move another joint first.",
        )
    which = open_loop(layout, why - constant("INLOOP_OPEN_ROW"))
    return (
        f"joint '{coordinate}' cannot be at {q:.4g} {unit}: {which} cannot be closed there",
        "It stays where it was. Go less far, or move another joint first.",
    )


def open_loop(layout: Layout, output: int) -> str:
    """The loop or coupling of a constraint row, in words.

    Args:
        layout: layout of the plant.
        output: index of the output with the multiplier of the row.
    """
    names = layout.output_names
    if not 0 < output < len(names) or not names[output].startswith(MULTIPLIER):
        return "the loops"
    return f"loop '{names[output].removeprefix(MULTIPLIER).rpartition('.')[0]}'"
