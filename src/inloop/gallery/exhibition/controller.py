"""Programs that control an exhibit: processes of their own that know its mailbox alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
class Slider:
    """A number of a controller that can be changed while it runs.

    Attributes:
        value: to begin with.
        low: lowest value.
        high: highest value.
        unit: label.
        doc: what it does, in a few words.
    """

    value: float
    low: float
    high: float
    unit: str = ""
    doc: str = ""


@dataclass(frozen=True)
class Guided:
    """How the controller of a robot is told where to go.

    Its program takes the settings "path" (a number: 0 for the pose of the settings "goal.<joint>",
    -1 for the point "target.x", "target.y", "target.z", 1, 2, ... for the paths) and tells where
    the tool is, where it should be, and how far apart these are.

    Attributes:
        goals: sliders of the joints' set-points, by joint [rad or m].
        paths: closed curves by name, as points in the world [m].
        opens_with: path that the studio opens with; "": it opens without a controller.
    """

    goals: Mapping[str, Slider]
    paths: Mapping[str, Sequence[tuple[float, float, float]]]
    opens_with: str = ""


@dataclass(frozen=True)
class Controller:
    """A program that controls an exhibit through the mailbox of its plant.

    Attributes:
        doc: one line: what it does.
        program: a module, run as `python -m MODULE PLANT [--settings FILE]`; or one in C.
        settings: it reads gains and goals from a file while it runs.
        sliders: gains that can be changed while it runs, by the names of the settings.
        piped: it can be shown and tuned through a pipe: `--piped`, see `il.realtime.Panel`.
        guided: where it can be told to go.
    """

    doc: str
    program: str | CProgram
    settings: bool = False
    sliders: Mapping[str, Slider] = field(default_factory=dict)
    piped: bool = False
    guided: Guided | None = None
