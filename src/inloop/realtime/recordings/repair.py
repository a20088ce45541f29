"""Write a complete recording, with its indexes, from a truncated one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from inloop.errors import FileFormatError, InputError
from inloop.realtime.recordings.channels import need_mcap
from inloop.realtime.recordings.mcap_reader import Channel, Message, Metadata, Schema
from inloop.realtime.recordings.recording import Recording
from inloop.realtime.recordings.recording_file import (
    WholePieces,
    check_new,
    check_replaceable,
    sync_directory,
)

COMMIT_EVERY = 1000  # messages


def repair(path: str | Path, to: str | Path, *, overwrite: bool = False) -> int:
    """Copy everything readable, then append the end.

    The new file appears when it is complete; the old one is not changed.

    Args:
        path: the torn recording.
        to: file to write.
        overwrite: replace an existing file.

    Returns:
        Number of messages.

    Raises:
        InputError: both are the same file, or the target exists already.
        FileFormatError: the first is not a recording.
    """
    need_mcap()
    source, target = Recording(path), Path(to)
    if target.exists() and target.samefile(source.path):
        raise InputError(
            f"{source.path.name} cannot be repaired in its own place", fix="Choose another name."
        )
    if not overwrite:
        check_new(target)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with WholePieces(unfinished) as file:
            count = _copy(source, file)
        if overwrite and check_replaceable(target):
            os.replace(unfinished, target)
        else:
            os.link(unfinished, target)  # unlike rename, never replaces a file
    finally:
        unfinished.unlink(missing_ok=True)
    sync_directory(target.parent)
    return count


def _copy(source: Recording, file: WholePieces) -> int:
    """All records of a recording, in their order; returns how many were messages."""
    from mcap.writer import CompressionType, Writer

    writer: Any = Writer(file, compression=CompressionType.NONE)  # type: ignore[arg-type]
    writer.start(library="inloop")
    schemas: dict[int, int] = {}
    channels: dict[int, int] = {}
    count = 0
    for record in source.records():
        match record:
            case Metadata(name, items):
                writer.add_metadata(name, items)
            case Schema(number, name, encoding, data) if number not in schemas:
                schemas[number] = writer.register_schema(name, encoding, data)
            case Channel(number, schema, topic, encoding) if number not in channels:
                _known(schema, schemas)
                channels[number] = writer.register_channel(topic, encoding, schemas[schema])
            case Message(channel, sequence, log_time, publish_time, data):
                number = _known(channel, channels)
                writer.add_message(number, log_time, data, publish_time, sequence)
                count += 1
                if count % COMMIT_EVERY == 0:
                    file.commit()
    writer.finish()
    file.commit(sync=True)
    return count


def _known(number: int, known: dict[int, int]) -> int:
    """The new number of a schema or channel."""
    if number not in known:
        raise FileFormatError(
            f"a message or channel is of kind {number}, which the recording does not declare",
            fix="The recording is damaged.",
        )
    return known[number]
