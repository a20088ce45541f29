"""Programs that control an exhibit: processes of their own that know its mailbox alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import inloop as il


@dataclass(frozen=True)
class CProgram:
    """A program in C that calls functions which inloop generates.

    Attributes:
        source: its file; it is compiled beside the generated ones and the headers of inloop.
        model: makes the model whose functions it calls, under the name of that model.
        functions: what is generated, as in `inloop derive --functions`.
        words: its first arguments; the name of the plant and a file of settings follow.
    """

    source: Path
    model: Callable[[], il.Model]
    functions: tuple[str, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Controller:
    """A program that controls an exhibit through the mailbox of its plant.

    Attributes:
        doc: one line: what it does.
        program: a module, run as `python -m MODULE PLANT [--settings FILE]`; or one in C.
        settings: it reads gains and goals from a file while it runs.
    """

    doc: str
    program: str | CProgram
    settings: bool = False
