"""A motion as one HTML file that plays in any browser, with the studio's own drawing code."""

from __future__ import annotations

import base64
import functools
import gzip
import html
import json
import re
from importlib.resources import files

import numpy as np

from inloop.pictures.moments import Moments
from inloop.pictures.palette import THEMES, sheet_block
from inloop.pictures.room import Room
from inloop.pictures.shown import Shown
from inloop.plant.drawn.poses import quaternions
from inloop.studio.page_modules import page_modules

FIRST = "player.js"
MARGIN = 0.06  # around the motion, relative to its size
ASPECT = 1.6  # of a typical window


def player_page(shown: Shown, moments: Moments, title: str) -> str:
    """The text of the file.

    Args:
        shown: the mechanism.
        moments: the samples to play.
        title: title of the page; any text.
    """
    X = shown.poses(moments.q)
    room = Room(shown, X, ASPECT)
    poses = np.concatenate([quaternions(pose) for pose in X]) if X.size else np.zeros((0, 7))
    run = {
        "scene": {**shown.scene, "bounds": room.bounds(MARGIN)},
        "interval": moments.interval,
        "times": np.round(moments.t, 6).tolist(),
        "jumps": moments.jumps,
        "follow": room.follows,
    }
    places = {
        "title": html.escape(title),
        "colors": "\n".join(f"{rule} {{{sheet_block(theme)}}}" for theme, rule in THEMES.items()),
        "code": _code(),
        "poses": _packed(poses.astype("<f4").tobytes()),
        "meshes": "\n".join(f"{name} {_packed(data)}" for name, data in shown.meshes.items()),
        # text of the model must not end the element that contains it
        "run": json.dumps(run, allow_nan=False).replace("<", "\\u003c"),
    }
    template = files("inloop.pictures").joinpath("player.html").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda found: places[found[1]], template)


def _packed(data: bytes) -> str:
    # no time stamp: the same motion yields the same file
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


@functools.cache
def _code() -> str:
    """All modules that the player needs, by name."""
    return _packed(json.dumps(page_modules(FIRST)).encode())
