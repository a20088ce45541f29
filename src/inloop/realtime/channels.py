"""What a recording holds: the types of its messages and the facts in front of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from inloop.errors import FileFormatError, InputError, MailboxError
from inloop.realtime.fixed_message import FixedMessage
from inloop.realtime.layout import Layout, Quantity, parse_text

FACTS, REPORT = "inloop", "inloop.report"  # names of the metadata
KINDS = ("parameters", "state", "inputs", "outputs")  # in the order of the file
COUNTS = (
    "sequence", "stamp", "step", "status", "flags", "input_sequence", "parameter_sequence",
)  # fmt: skip
"""Integers of the outputs: those of `Outputs`; stamp is the clock of the plant [ns]."""


def messages(layout: Layout) -> dict[str, FixedMessage]:
    """The types of messages by kind."""
    x = [f"x{k}" for k in range(layout.stepper_states)]
    return {
        "parameters": FixedMessage("Parameters", ("sequence",), _names(layout.parameters)),
        "state": FixedMessage("State", ("sequence", "step", "partition"), x),
        "inputs": FixedMessage("Inputs", ("sequence",), _names(layout.inputs)),
        "outputs": FixedMessage("Outputs", COUNTS, layout.output_names),
    }


def facts(name: str, layout: Layout, clock_offset: int) -> dict[str, str]:
    """What a reader must know; a mapping of texts.

    Args:
        name: of the running plant.
        layout: names and sizes.
        clock_offset: wall clock time minus that of the clock of the plant [ns].
    """
    return {
        **dict(layout.about),
        "name": name,
        "model": layout.model,
        "layout": layout.text().decode(),
        "stepper_states": str(layout.stepper_states),
        "period": repr(layout.period),
        "clock_offset": str(clock_offset),
    }


def layout_from(found: Mapping[str, str]) -> Layout:
    """The layout that the facts of a recording describe."""
    try:
        text = found["layout"].encode()
        return parse_text(text, int(found["stepper_states"]), float(found["period"]))
    except (KeyError, ValueError, MailboxError):
        raise FileFormatError(
            "the recording does not tell what it holds", fix="Record with inloop record."
        ) from None


def read_report(found: Mapping[str, str]) -> dict[str, object]:
    """The deadline report that the recorder has added at the end."""
    data = json.loads(found.get("json", "{}"))
    return data if isinstance(data, dict) else {}


def need_mcap() -> None:
    """Say what to install if the library for MCAP files is missing."""
    try:
        import mcap  # noqa: F401
    except ImportError as error:
        raise InputError(
            "recordings need the package mcap", fix="Install it: pip install inloop[recording]"
        ) from error


def _names(group: Sequence[Quantity]) -> list[str]:
    return [x.name for x in group]
