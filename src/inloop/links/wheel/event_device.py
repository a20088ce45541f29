"""A device of the Linux input layer, /dev/input/eventN, through its ioctls (linux/input.h).

Only a constant force is used: drivers differ in their other effects, and damping, stops and springs
are computed on the host. The effect is played repeatedly for a short time, so that the force ends
by itself if it is not renewed.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from inloop.errors import LinkError

FOLDER = Path("/dev/input")
KEY, ABS, FF = 0x01, 0x03, 0x15  # types of events
CONSTANT, GAIN, AUTOCENTER = 0x52, 0x60, 0x61
ABS_X = 0x00
LEFT = 0x4000  # direction of a force
STRONGEST = 0x7FFF
FULL_GAIN = 0xFFFF
AXES = 0x40  # codes of axes
LASTS, PLAYED_EVERY = 0.5, 0.2  # [s]: duration of a force, and interval at which it is renewed
EVENT = struct.Struct("@llHHi")
READ, WRITE = 2, 1
Ioctl = Callable[..., int]


class Event(NamedTuple):
    """An event of the device: an axis has moved, a button was pressed."""

    kind: int
    code: int
    value: int


class Axis(NamedTuple):
    """Position and range of an axis, in counts."""

    value: int
    low: int
    high: int


class _Periodic(ctypes.Structure):
    """The largest member of the union in `struct ff_effect`, which determines its size."""

    _fields_ = [("numbers", ctypes.c_uint16 * 9), ("length", ctypes.c_uint32),
                ("data", ctypes.c_void_p)]  # fmt: skip


class _Force(ctypes.Union):
    _fields_ = [("level", ctypes.c_int16), ("periodic", _Periodic)]


class Effect(ctypes.Structure):
    """`struct ff_effect` with a constant force."""

    _fields_ = [
        ("kind", ctypes.c_uint16), ("id", ctypes.c_int16), ("direction", ctypes.c_uint16),
        ("trigger", ctypes.c_uint16 * 2), ("length", ctypes.c_uint16), ("delay", ctypes.c_uint16),
        ("force", _Force),
    ]  # fmt: skip


def request(way: int, number: int, size: int) -> int:
    """Number of an ioctl of the input layer, `_IOC(way, 'E', number, size)`."""
    return way << 30 | size << 16 | ord("E") << 8 | number


class EventDevice:
    """An open device.

    Attributes:
        name: name of the device.
        axes: axes by code, with their state at opening.
        feels: whether it supports a constant force.
        keys: codes of its buttons.
    """

    def __init__(self, file: int, ioctl: Ioctl = fcntl.ioctl) -> None:
        """Query an open file, which is closed with this object.

        Args:
            file: opened for reading and writing, nonblocking.
            ioctl: as `fcntl.ioctl`.
        """
        self._file, self._ioctl = file, ioctl
        self._effect = Effect(kind=CONSTANT, id=-1, direction=LEFT, length=round(1e3 * LASTS))
        self._played = -1.0
        self.name = self._text(0x06)
        self.feels = CONSTANT in self._codes(FF)
        self.keys = frozenset(self._codes(KEY))
        self.axes = {
            code: self._axis(code) for code in sorted(self._codes(ABS)) if code < AXES
        }  # fmt: skip

    @classmethod
    def open(cls, path: str | Path) -> EventDevice:
        """Open a device.

        Raises:
            LinkError: it does not exist, or access is denied.
        """
        try:
            file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        except OSError as error:
            may = error.errno in (errno.EACCES, errno.EPERM)
            fix = "Join the group 'input' and log in again." if may else "Is it plugged in?"
            raise LinkError(f"{str(path)!a} cannot be opened: {error.strerror}", fix=fix) from None
        try:
            return cls(file)
        except OSError as error:
            os.close(file)
            raise LinkError(
                f"{str(path)!a} is not an input device: {error.strerror}", fix="Name another one."
            ) from None

    def _text(self, number: int) -> str:
        buffer = bytearray(256)
        self._ioctl(self._file, request(READ, number, len(buffer)), buffer)
        return buffer.split(b"\0", 1)[0].decode("utf-8", "replace")

    def _codes(self, kind: int) -> set[int]:
        """Supported event codes of a type."""
        mask = bytearray(96)
        self._ioctl(self._file, request(READ, 0x20 + kind, len(mask)), mask)
        return {8 * k + bit for k, byte in enumerate(mask) for bit in range(8) if byte >> bit & 1}

    def _axis(self, code: int) -> Axis:
        buffer = bytearray(24)
        self._ioctl(self._file, request(READ, 0x40 + code, len(buffer)), buffer)
        value, low, high, *_ = struct.unpack("@6i", buffer)
        return Axis(value, low, high)

    def reports(self) -> list[Event]:
        """Events since the last call.

        Raises:
            OSError: the device has disappeared.
        """
        found: list[Event] = []
        while True:
            try:
                data = os.read(self._file, 64 * EVENT.size)
            except BlockingIOError:
                return found
            if not data:
                raise OSError(errno.ENODEV, "the device hung up")
            whole = len(data) - len(data) % EVENT.size
            found += [Event(*event[2:]) for event in EVENT.iter_unpack(data[:whole])]

    def begin(self) -> None:
        """Full gain, no spring of its own, no force."""
        self._write(GAIN, FULL_GAIN)
        self._write(AUTOCENTER, 0)
        self._effect.id = -1
        self._upload(0)

    def push(self, level: float, now: float) -> None:
        """Push with a fraction of the maximum force, from -1 to 1.

        Args:
            level: to the left is positive.
            now: [s].

        Raises:
            OSError: the device has disappeared.
        """
        number = round(STRONGEST * max(-1.0, min(level, 1.0)))
        if self._effect.id < 0 or number != self._effect.force.level:
            self._upload(number)
        if now - self._played >= PLAYED_EVERY or self._played < 0.0:
            self._write(self._effect.id, 1)
            self._played = now

    def _upload(self, level: int) -> None:
        """Update the effect; with the same id it continues to play."""
        self._effect.force.level = level
        data = bytearray(bytes(self._effect))
        self._ioctl(self._file, request(WRITE, 0x80, len(data)), data)
        self._effect.id = Effect.from_buffer(data).id

    def _write(self, code: int, value: int) -> None:
        os.write(self._file, EVENT.pack(0, 0, FF, code, value))

    def close(self) -> None:
        """Close it; the kernel removes the force with the file."""
        try:
            if self._effect.id >= 0:
                self._upload(0)
                self._write(self._effect.id, 0)
        except OSError:
            pass  # it is gone already
        os.close(self._file)


def find_wheels(folder: Path = FOLDER) -> list[Path]:
    """Devices with force feedback and an x axis."""
    found = []
    for path in sorted(folder.glob("event*"), key=lambda p: int(p.name[5:] or 0)):
        try:
            device = EventDevice.open(path)
        except LinkError:
            continue
        if device.feels and ABS_X in device.axes:
            found.append(path)
        device.close()
    return found
