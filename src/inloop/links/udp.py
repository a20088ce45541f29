"""One end of a UDP link: a socket, a session, a listening thread.

`udp_plant` is the end at the plant, `udp_mirror` the one at the controller.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from inloop.errors import InputError, LinkError
from inloop.links.packets import MOST_BYTES, Kind, Packet
from inloop.links.session import OLDEST, Session
from inloop.realtime.closing import Closing

HEARTBEAT = 0.05  # maximum silence of an end [s]
PLANT_PORT, MIRROR_PORT = 5620, 5621
LOCAL = "127.0.0.1"
_LISTEN = 0.1  # interval at which a thread checks for its end [s]


@dataclass(frozen=True)
class Address:
    """Host and port of one end."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, port: int) -> Address:
        """From "HOST:PORT", "HOST", ":PORT" or "[V6]:PORT".

        Args:
            text: as written by the user.
            port: default port.
        """
        host, colon, number = text.rpartition(":")
        if not colon or text.endswith("]"):
            host, number = text, str(port)
        if not (number.isascii() and number.isdigit() and 0 < int(number) < 65536):
            raise InputError(
                f"{text!a} is not an address", fix="Write HOST:PORT, such as 10.0.0.2:5620."
            )
        return cls(host.strip("[]") or LOCAL, int(number))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class UdpEnd(Closing):
    """Sends and receives for one session; use it in a `with` statement.

    Attributes:
        session: protocol state and statistics.
        now: clock of the session [ns].
    """

    def __init__(
        self,
        listen: Address,
        peer: Address,
        *,
        key: bytes = b"",
        layout: int = 0,
        oldest: float = OLDEST,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.session, self.now = Session(key, layout, oldest), now
        family, self._peer = _resolve(peer)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind((listen.host, listen.port))
        except OSError as error:
            self._socket.close()
            raise LinkError(
                f"cannot listen on {listen}: {error.strerror or error}",
                fix="Choose another address of this machine with --listen.",
            ) from error
        self._socket.settimeout(_LISTEN)
        self._lock = threading.Lock()  # of the session
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._error: Exception | None = None

    def send(self, kind: Kind, payload: bytes = b"") -> None:
        """Send one packet; packets not accepted by the network are counted."""
        with self._lock:
            data = self.session.pack(kind, payload, self.now())
        self._send(data)

    @property
    def linked(self) -> bool:
        """Whether a peer was heard from recently."""
        with self._lock:
            return self.session.linked(self.now())

    def take(self, packet: Packet) -> None:
        """Process an accepted packet; called by the listening thread."""
        raise NotImplementedError

    def refuse(self) -> None:
        """Count a packet with invalid content."""
        with self._lock:
            self.session.statistics.counts.refused += 1

    def check(self) -> None:
        """Raise errors of the listening thread here."""
        if self._error is not None:
            raise self._error

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._peer)
        except OSError:
            with self._lock:
                self.session.statistics.counts.unsent += 1

    def _listen(self) -> None:
        try:
            while not self._stop.is_set():
                with contextlib.suppress(TimeoutError, ConnectionError):
                    self._receive(*self._socket.recvfrom(MOST_BYTES + 1))
        except Exception as error:
            self._error = error

    def _receive(self, data: bytes, sender: tuple[str, int]) -> None:
        now = self.now()
        with self._lock:
            if sender[:2] != self._peer[:2]:
                self.session.statistics.counts.foreign += 1
                return
            packet, reply = self.session.accept(data, now)
        if reply is not None:
            self._send(reply)
        if packet is not None:
            self.take(packet)

    def start(self) -> None:
        """Start listening."""
        self._thread.start()

    def close(self) -> None:
        """Close the socket."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()


def _resolve(address: Address) -> tuple[int, tuple[str, int]]:
    """Family and numeric address of a host."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_DGRAM)
    except OSError as error:
        raise LinkError(
            f"the host {address.host!a} is not known: {error.strerror or error}",
            fix="Write its number, such as 10.0.0.2.",
        ) from error
    family, _, _, _, place = min(found, key=lambda f: f[0] != socket.AF_INET)
    return family, (str(place[0]), int(place[1]))


def warn_of_open_door(listen: Address, key: bytes) -> str | None:
    """A warning for those who listen to other machines without a key."""
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(listen.host).is_loopback:
            return None
    if key or listen.host == "localhost":
        return None
    return f"anybody who reaches {listen} can move this plant; give both ends a --key-file"
