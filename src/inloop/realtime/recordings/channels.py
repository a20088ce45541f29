"""Contents of a recording: message types and metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from inloop.errors import FileFormatError, InputError, MailboxError
from inloop.realtime.mailboxes.hand import pull_names
from inloop.realtime.mailboxes.layout import Layout, Quantity, parse_text
from inloop.realtime.recordings.fixed_message import FixedMessage

FACTS, REPORT = "inloop", "inloop.report"  # names of the metadata records
MOST_STATES = 200_000  # maximum length of a state
LARGEST = 1 << 64  # count in a report
KINDS = ("parameters", "state", "inputs", "hand", "outputs")  # in the order of the file
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
        "hand": FixedMessage("Hand", ("sequence",), pull_names()),
        "outputs": FixedMessage("Outputs", COUNTS, layout.output_names),
    }


def facts(name: str, layout: Layout, clock_offset: int) -> dict[str, str]:
    """Metadata for readers, a mapping of texts.

    Args:
        name: of the running plant.
        layout: names and sizes.
        clock_offset: wall clock time minus time of the plant's clock [ns].
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


def read_facts(found: Mapping[str, str]) -> dict[str, str]:
    """Facts of a recording, checked to be printable and complete.

    Raises:
        FileFormatError: they are invalid.
    """
    words = {name: text for name, text in found.items() if name != "layout"}
    if (
        not {"name", "model"} <= words.keys()
        or not "".join([*words, *words.values()]).isprintable()
    ):
        raise _untold()
    return dict(found)


def layout_from(found: Mapping[str, str]) -> Layout:
    """The layout that the facts of a recording describe."""
    try:
        text = found["layout"].encode()
        states, period = int(found["stepper_states"]), float(found["period"])
        if not 0 <= states <= MOST_STATES:
            raise ValueError(states)
        return parse_text(text, states, period)
    except (KeyError, ValueError, MailboxError):
        raise _untold() from None


def _untold() -> FileFormatError:
    return FileFormatError(
        "the recording does not describe its contents", fix="Record with inloop record."
    )


def read_report(text: str) -> dict[str, object]:
    """Parse a deadline report in JSON: words, numbers, lists of notes, and times by name.

    Raises:
        FileFormatError: it is invalid.
    """
    try:
        data = json.loads(text)
        return {_word(name): _entry(value) for name, value in data.items()}
    except (ValueError, RecursionError, AttributeError):
        raise FileFormatError(
            "there is no deadline report", fix="Write it with inloop run."
        ) from None


def _entry(value: object) -> object:
    """A number, a word, several words, or numbers by name."""
    if isinstance(value, dict):
        return {_word(name): _number(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_word(item) for item in value]
    return _word(value) if isinstance(value, str) else _number(value)


def _word(value: object) -> str:
    """A printable text."""
    if not isinstance(value, str):
        raise ValueError(value)
    return "".join(c if c.isprintable() else " " for c in value)


def _number(value: object) -> float | None:
    if not isinstance(value, int | float | None):
        raise ValueError(value)
    if isinstance(value, int) and abs(value) > LARGEST:  # more than a float holds
        raise ValueError
    return value


def need_mcap() -> None:
    """Raise an error with instructions if the MCAP library is missing."""
    try:
        import mcap  # noqa: F401
    except ImportError as error:
        raise InputError(
            "recordings need the package mcap", fix="Install it: pip install inloop[recording]"
        ) from error


def _names(group: Sequence[Quantity]) -> list[str]:
    return [x.name for x in group]
