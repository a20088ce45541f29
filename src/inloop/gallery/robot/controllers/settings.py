"""Gains and set-points of a controller, in a file that may change while it runs.

Each line is a name and a number, such as `kp 225` or `goal.joint_2 0.7`; # begins a comment. The
file is checked a few times per second; invalid lines are reported on stderr and ignored.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from inloop.gallery.robot.model import READY
from inloop.gallery.robot.paths import CENTER

LOOK_EVERY = 0.1  # [s]
DEFAULTS = {"kp": 225.0, "kd": 30.0, "duration": 2.0, "hold": 1.0}
"""Stiffness [1/s²] and damping [1/s] per inertia; time of a move and of a rest after it [s]."""
GUIDED = {
    **DEFAULTS,
    "friction": 1.0,
    "path": 0.0,
    "seconds": 6.0,
    **{f"goal.joint_{k + 1}": value for k, value in enumerate(READY)},
    **{f"target.{axis}": value for axis, value in zip("xyz", CENTER, strict=True)},
}
"""The same and more for the studio: fraction of the friction that is fed forward, path and time
for one round [s], pose [rad], point [m]."""


class Settings:
    """Numbers by name.

    Attributes:
        values: current values.
        changes: number of changes by the file.
    """

    def __init__(self, joints: Iterable[str], file: str | None = None) -> None:
        self.values = dict(DEFAULTS)
        self._known = {*DEFAULTS, *(f"goal.{joint}" for joint in joints)}
        self._path = None if file is None else Path(file)
        self._next, self._seen, self.changes = 0.0, (0, 0), 0

    def look(self, now: float) -> None:
        """Read the file if it has changed; checks at most every `LOOK_EVERY` seconds.

        Args:
            now: time on the plant's clock [s].
        """
        if self._path is None or now < self._next:
            return
        self._next = now + LOOK_EVERY
        try:
            facts = os.stat(self._path)
            seen = (facts.st_mtime_ns, facts.st_size)
            if seen != self._seen:
                self._seen = seen
                self._read(self._path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            print(f"{self._path}: {error}", file=sys.stderr)

    def _read(self, text: str) -> None:
        for line in text.splitlines():
            words = line.partition("#")[0].split()
            if not words:
                continue
            try:
                name, number = words[0], float(words[1])
            except (IndexError, ValueError):
                print(f"no setting: {line!r}", file=sys.stderr)
                continue
            least = -math.inf if name.startswith("goal.") else 0.0
            if name not in self._known or not (math.isfinite(number) and number >= least):
                print(f"no setting: {line!r}", file=sys.stderr)
                continue
            self.values[name] = number
        self.changes += 1
