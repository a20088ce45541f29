"""A serial device of this machine: raw, nonblocking bytes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import termios

from inloop.errors import LinkError

# baud rates with a termios constant
RATES = {
    int(name[1:]): getattr(termios, name)
    for name in dir(termios)
    if name.startswith("B") and name[1:].isdigit() and name != "B0"
}
_IFLAG, _OFLAG, _CFLAG, _LFLAG, _ISPEED, _OSPEED, _CC = range(7)
_CHUNK = 4096


class SerialPort:
    """An open device in raw mode: eight bits, no parity, no flow control, no echo.

    Reading and writing raise OSError when the device is gone.
    """

    def __init__(self, path: str, baud: int = 115200) -> None:
        """Open it.

        Args:
            path: such as /dev/ttyACM0, or a pseudo-terminal.
            baud: bits per second; ignored by USB devices.

        Raises:
            LinkError: it cannot be opened, is no terminal, is in use, or does not support this
                rate.
        """
        self.path = path
        if baud not in RATES:
            raise LinkError(f"there is no rate of {baud} baud", fix=f"Use one of {sorted(RATES)}.")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise LinkError(
                f"{path!a} cannot be opened: {error.strerror}",
                fix="Is the board there? On Debian who uses it is in the group 'dialout'.",
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._make_raw(RATES[baud])
        except BlockingIOError:
            self.close()
            raise LinkError(f"{path!a} is in use", fix="End the other program first.") from None
        except (OSError, termios.error) as error:
            self.close()
            fix = "Name a serial device, such as /dev/ttyACM0."
            raise LinkError(f"{path!a} is not a serial device: {error}", fix=fix) from error

    def _make_raw(self, rate: int) -> None:
        mode = termios.tcgetattr(self._file)
        mode[_IFLAG], mode[_OFLAG], mode[_LFLAG] = termios.IGNBRK, 0, 0
        mode[_CFLAG] = termios.CS8 | termios.CREAD | termios.CLOCAL
        mode[_ISPEED] = mode[_OSPEED] = rate
        mode[_CC][termios.VMIN], mode[_CC][termios.VTIME] = 0, 0
        termios.tcsetattr(self._file, termios.TCSANOW, mode)
        termios.tcflush(self._file, termios.TCIOFLUSH)

    def read(self, timeout: float) -> bytes:
        """Available bytes; waits at most `timeout` [s] for the first."""
        ready, _, _ = select.select([self._file], [], [], max(0.0, timeout))
        if not ready:
            return b""
        data = os.read(self._file, _CHUNK)
        if not data:
            raise OSError("the device is gone")
        return data

    def write(self, data: bytes) -> bool:
        """Send; False if the device does not accept all of it now: the rest is dropped."""
        with contextlib.suppress(BlockingIOError):
            return os.write(self._file, data) == len(data)
        return False

    def close(self) -> None:
        """Close the device."""
        os.close(self._file)
