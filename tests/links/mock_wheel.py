"""A steering wheel without hardware: one end of a socket pair, and answers to ioctls."""

from __future__ import annotations

import errno
import socket
import struct
from typing import Any

from inloop.links.wheel import EventDevice
from inloop.links.wheel.event_device import ABS, CONSTANT, EVENT, FF, KEY, Effect
from inloop.links.wheel.profile import BUTTONS

NAME = "Mock Driving Wheel"
SYN = 0
# as the driver of a G29 tells them: value, least, most; released pedals count up
AXES = {0: (32767, 0, 65535), 1: (255, 0, 255), 2: (255, 0, 255), 5: (255, 0, 255)}


class MockWheel:
    """What a driver and its device do.

    Attributes:
        levels: of the force, in the order in which they came.
        played: codes and values of what was written: plays, gain, autocenter.
        plugged: whether it answers.
    """

    def __init__(self, axes: dict[int, tuple[int, int, int]] | None = None) -> None:
        self.axes = dict(axes or AXES)
        self.levels: list[int] = []
        self.played: list[tuple[int, int]] = []
        self.plugged = True
        self._end: socket.socket | None = None

    def open(self) -> EventDevice | None:
        """As `WheelLink.find` does; None while it is unplugged."""
        if not self.plugged:
            return None
        self.close()
        self._end, other = socket.socketpair()
        self._end.setblocking(False)
        other.setblocking(False)
        return EventDevice(other.detach(), self.ioctl)

    def report(self, code: int, value: int) -> None:
        """An axis has moved."""
        assert self._end is not None
        _, low, high = self.axes[code]
        self.axes[code] = (value, low, high)
        events = EVENT.pack(1, 2, ABS, code, value) + EVENT.pack(1, 2, SYN, 0, 0)
        self._end.send(events)

    def press(self, code: int) -> None:
        """A button goes down and up again."""
        assert self._end is not None
        for value in (1, 0):
            self._end.send(EVENT.pack(1, 2, KEY, code, value) + EVENT.pack(1, 2, SYN, 0, 0))

    def unplug(self) -> None:
        """Pull the plug."""
        assert self._end is not None
        self.hear()
        self.plugged = False
        self._end.close()

    def close(self) -> None:
        """Let go of its end of the line."""
        if self._end is not None:
            self._end.close()

    def hear(self) -> None:
        """Take what was written to the device."""
        assert self._end is not None
        try:
            data = self._end.recv(1 << 16)
        except BlockingIOError:
            return
        for _, _, kind, code, value in EVENT.iter_unpack(data):
            assert kind == FF
            self.played.append((code, value))

    @property
    def level(self) -> float:
        """Part of its full force that it pushes with."""
        return self.levels[-1] / 0x7FFF if self.levels else 0.0

    def ioctl(self, _file: int, number: int, argument: Any) -> int:
        if not self.plugged:
            raise OSError(errno.ENODEV, "No such device")
        size, code = number >> 16 & 0x3FFF, number & 0xFF
        assert number >> 8 & 0xFF == ord("E") and size == len(argument)
        if code == 0x06:
            argument[:] = NAME.encode().ljust(size, b"\0")
        elif 0x20 <= code < 0x40:
            known = {ABS: list(self.axes), FF: [CONSTANT], KEY: [*BUTTONS.values()]}.get(
                code - 0x20, []
            )
            for bit in known:
                argument[bit // 8] |= 1 << bit % 8
        elif 0x40 <= code < 0x80:
            argument[:] = struct.pack("@6i", *self.axes[code - 0x40], 0, 0, 0)
        elif code == 0x80:
            self.upload(argument)
        else:
            raise OSError(errno.EINVAL, "Invalid argument")
        return 0

    def upload(self, data: bytearray) -> None:
        """As the kernel does: a new effect gets a number, which is written back."""
        # by hand, as in linux/input.h: the union begins at a multiple of 8
        kind, number, direction, _, _, length, delay = struct.unpack_from("@HhHHHHH", data)
        (level,) = struct.unpack_from("@h", data, 16)
        assert (kind, direction, delay) == (CONSTANT, 0x4000, 0) and 0 < length < 1000
        assert number in (-1, 3)
        struct.pack_into("@h", data, 2, 3)
        self.levels.append(level)
        assert len(data) == 48 == len(bytes(Effect()))
