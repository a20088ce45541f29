"""`--set NAME=VALUE`, and `--set @FILE` for a file with many of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MOST_BYTES = 1_000_000  # of a settings file


class Settings(argparse.Action):
    """Collects assignments; those of a file are inserted at its position.

    A file has one `name = value` per line; # starts a comment.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the assignments of one `--set`."""
        word = str(values)
        words = _words_of_file(parser, word[1:]) if word.startswith("@") else [word]
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), *words])


def add_settings(parser: argparse.ArgumentParser, *names: str, help: str) -> None:
    """Add `--set`, optionally with further names."""
    parser.add_argument(
        "--set", *names, action=Settings, default=[], metavar="NAME=VALUE|@FILE", help=help
    )


def _words_of_file(parser: argparse.ArgumentParser, name: str) -> list[str]:
    try:
        with Path(name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        parser.error(f"--set @{name[:200]!a}: {reason}")
    if len(data) > MOST_BYTES:
        parser.error(f"--set @{name[:200]!a}: it is too large for a file of parameters")
    words = []
    for number, line in enumerate(text.splitlines(), start=1):
        told = line.partition("#")[0].strip()
        if told and "=" not in told:
            parser.error(
                f"--set @{name[:200]!a}, line {number}: {told[:60]!a} is not an assignment; "
                "write it as length = 0.8"
            )
        words += [told] if told else []
    return words
