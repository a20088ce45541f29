"""The binary frames between server and page, little-endian.

A header: kind, count, sequence, stamp (the plant's clock [s]) and t (simulated [s]). The payload is
aligned for typed arrays. The page's constants for all fields are generated from here.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np

from inloop.native.library import Reals

POSES, SAMPLES, ECHO, INPUT, PING, TOUCH = 1, 2, 3, 8, 9, 10


class FrameLayout(struct.Struct):
    """Names and `struct` formats of consecutive fields; "x" are padding bytes.

    Attributes:
        places: byte offsets of the fields.
    """

    def __init__(self, *fields: tuple[str, str]) -> None:
        self.places: dict[str, int] = {}
        form = "<"
        for name, code in fields:
            if name:
                self.places[name] = struct.calcsize(form)
            form += code
        super().__init__(form)


HEADER = FrameLayout(
    ("kind", "B"), ("", "x"), ("count", "H"), ("sequence", "I"), ("stamp", "d"), ("t", "d")
)
ROWS = FrameLayout(("first", "I"), ("lost", "I"))  # first sample, samples lost before it
ECHOED = FrameLayout(("token", "Q"), ("used_at", "d"), ("page_time", "d"))
INPUT_FRAME = FrameLayout(
    ("kind", "B"), ("", "x"), ("index", "H"), ("sequence", "I"), ("value", "d"), ("page_time", "d")
)
PING_FRAME = FrameLayout(("kind", "B"), ("", "7x"), ("token", "Q"))
TOUCH_FRAME = FrameLayout(
    ("kind", "B"), ("", "x"), ("body", "H"), ("sequence", "I"), ("page_time", "d"),
    ("firmness", "d"), ("point", "3d"), ("target", "3d"), ("push", "3d"),
)  # fmt: skip
NO_BODY = 0xFFFF
# exported to the page: see `page_types`
KINDS = {
    "POSES": POSES, "SAMPLES": SAMPLES, "ECHO": ECHO, "INPUT": INPUT, "PING": PING, "TOUCH": TOUCH,
}  # fmt: skip
LAYOUTS = {
    "HEADER": HEADER, "ROWS": ROWS, "ECHOED": ECHOED, "INPUT_FRAME": INPUT_FRAME,
    "PING_FRAME": PING_FRAME, "TOUCH_FRAME": TOUCH_FRAME,
}  # fmt: skip
MOST_SAMPLES = 0xFFFF
WORD = 0xFFFFFFFF
LARGEST = 3.4e38  # float32


@dataclass(frozen=True)
class InputFrame:
    """A value that a page sets for an input.

    Attributes:
        index: index of the input, as in the greeting.
        sequence: the page's counter.
        value: value in the unit of the input.
        page_time: the page's clock [ms].
    """

    index: int
    sequence: int
    value: float
    page_time: float


@dataclass(frozen=True)
class TouchFrame:
    """A body held by the pointer of a page.

    Attributes:
        body: index of the body in the scene; -1: released.
        sequence: the page's counter.
        page_time: the page's clock [ms].
        firmness: stiffness of the spring, relative to the default for the body.
        point: attachment point on the body, in body axes [m].
        target: point to which it is pulled, in the world [m].
        push: constant force instead of a pull, given as the elongation of the spring [m].
    """

    body: int
    sequence: int
    page_time: float
    firmness: float
    point: tuple[float, float, float]
    target: tuple[float, float, float]
    push: tuple[float, float, float]


def poses_frame(
    sequence: int, stamp: float, t: float, poses: Reals, arrows: Reals, readings: Reals
) -> bytes:
    """Frame of poses (kind 1).

    Args:
        sequence: sequence number of the outputs.
        stamp: when the loop wrote them.
        t: simulated time.
        poses: position and quaternion of each body, shape (n_bodies, 7).
        arrows: origin and vector of each force, shape (n_arrows, 6).
        readings: values of the signals that the cockpit needs.
    """
    head = HEADER.pack(POSES, len(poses), sequence & WORD, stamp, t)
    count = len(arrows).to_bytes(4, "little")
    return b"".join((head, _short(poses), count, _short(arrows), _short(readings)))


def samples_frame(
    generation: int, first: int, lost: int, stamp: float, t: Reals, signals: Reals
) -> bytes:
    """Frame of samples (kind 2).

    Args:
        generation: generation of the subscription.
        first: index of the first sample.
        lost: number of samples missing before it.
        stamp: when the loop wrote the last sample.
        t: simulated times, shape (count,).
        signals: values, shape (n_signals, count).
    """
    sequence = (generation & 0xFFFF) << 16 | (len(signals) & 0xFFFF)
    head = HEADER.pack(SAMPLES, len(t), sequence, stamp, float(t[-1]))
    rows = ROWS.pack(first & WORD, min(lost, WORD))
    return b"".join((head, rows, t.astype("<f8").tobytes(), _short(signals)))


def echo_frame(
    token: int, sequence: int, now: float, t: float, used_at: float, page_time: float
) -> bytes:
    """Answer to a ping (kind 3).

    Args:
        token: token of the ping.
        sequence: the page's counter of its newest input that the loop has used.
        now: the plant's clock [s].
        t: simulated time.
        used_at: stamp of the first outputs that used this input; 0: none yet.
        page_time: time stamp of that input, on the page's clock [ms].
    """
    head = HEADER.pack(ECHO, 0, sequence & WORD, now, t)
    return head + ECHOED.pack(token, used_at, page_time)


def read_frame(data: bytes) -> InputFrame | TouchFrame | int | None:
    """Decode a frame of a page: an input, a hold, the token of a ping, or None if invalid."""
    if len(data) == INPUT_FRAME.size and data[0] == INPUT:
        _, index, sequence, value, page_time = INPUT_FRAME.unpack(data)
        if math.isfinite(value) and math.isfinite(page_time):
            return InputFrame(index, sequence, value, page_time)
    if len(data) == PING_FRAME.size and data[0] == PING:
        return int(PING_FRAME.unpack(data)[1])
    if len(data) == TOUCH_FRAME.size and data[0] == TOUCH:
        _, body, sequence, *numbers = TOUCH_FRAME.unpack(data)
        if all(map(math.isfinite, numbers)):
            page_time, firmness, *vectors = numbers
            point, target, push = (_three(vectors[k : k + 3]) for k in (0, 3, 6))
            number = -1 if body == NO_BODY else body
            return TouchFrame(number, sequence, page_time, firmness, point, target, push)
    return None


def _three(numbers: list[float]) -> tuple[float, float, float]:
    x, y, z = numbers
    return x, y, z


def _short(numbers: Reals) -> bytes:
    """As float32; values out of range are clipped."""
    return np.clip(numbers, -LARGEST, LARGEST).astype("<f4").tobytes()


def no_arrows() -> Reals:
    """No arrows, for a plant whose forces are unknown."""
    return np.zeros((0, 6))
