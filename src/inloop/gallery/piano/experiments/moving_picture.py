"""The animation of the README: `python -m inloop.gallery.piano.experiments.moving_picture FILE`.

A note and its repetition, five times slower than played: hammer, jack and repetition lever at work.
"""

from __future__ import annotations

import sys

from inloop import gallery
from inloop.gallery.piano.experiments.motion import played, ramps
from inloop.gallery.piano.looks import piano_looks

DOWN = 9.6e-3  # travel of the key front [m]
# times [s] and travels: a blow, up by two thirds, a second blow, up
CORNERS = (
    (0.05, 0.0), (0.10, DOWN), (0.22, DOWN), (0.27, 0.3 * DOWN),
    (0.33, DOWN), (0.45, DOWN), (0.52, 0.0), (0.7, 0.0),
)  # fmt: skip


def main(file: str) -> None:
    """Play and animate."""
    plant = gallery.get("piano").build(finger=True).compile()
    result = played(plant, lambda t: ramps(t, CORNERS), 0.75)
    result.animate(file, speed=0.2, fps=16, size=(560, 330), looks=piano_looks())


if __name__ == "__main__":
    main(sys.argv[1])
