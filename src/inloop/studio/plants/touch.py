"""Bodies that pages hold: by the pointer, and pinned where it left them.

One page at a time holds bodies: one by its pointer, up to three more by pins. A page tells how
firm a hold is in parts of what suits the body: how much mass its point has for a hand the plant
tells when it is first touched, and until then it is held without force. The studio says all holds
anew all the time, so that they do not get old. When the page lets go or is closed, so does the
studio; if the studio itself is stopped, the plant lets go.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from inloop.errors import InputError, MailboxError
from inloop.realtime.mailboxes.hand import Grip, Hand, Pulls, Vector
from inloop.realtime.mailboxes.layout import GRIPS, Layout
from inloop.studio.messaging.client import Client
from inloop.studio.messaging.frames import TouchFrame
from inloop.studio.messaging.message_types import Hold

POINTER = 0  # number of the grip that a pointer moves; the others are pins
QUICK = 14.0  # a body follows at this rate of its own on the spring [rad/s]
SAG = 0.05  # and hangs at most so far below the pointer by its weight, in sizes of the mechanism
GRAVITY = 9.81  # [m/s^2]
DAMPED = 0.7  # of critical damping
FIRMNESS = (1.0 / 256.0, 256.0)  # in parts of what suits a body
FAR = 100.0  # targets are at most so many sizes away
REMEMBERED = 512  # holds on their way to the loop


class Touchable(Protocol):
    """A plant with bodies."""

    layout: Layout

    @property
    def hand(self) -> Hand:
        """That holds them."""
        ...


@dataclass(frozen=True)
class _Held:
    """One hold, as the page wants it.

    Attributes:
        grip: the mechanical part; without stiffness until the mass is known.
        firmness: in parts of what suits the body.
        mass: of the point [kg]; 0 until it is known.
        since: number of the first record that tells of it; 0 until there is one.
    """

    grip: Grip
    firmness: float
    mass: float = 0.0
    since: int = 0


class Touch:
    """Who holds which bodies.

    Attributes:
        owner: the client that does; None for nobody.
        used: as that of `Inputs`.
    """

    def __init__(self, plant: Touchable, bodies: Sequence[str], size: float) -> None:
        """Hold nothing.

        Args:
            plant: with its bodies.
            bodies: names in the order of the scene.
            size: of the mechanism, as it is seen [m].
        """
        self._plant, self._bodies, self._size = plant, tuple(bodies), size
        self._held: dict[int, _Held] = {}
        self._written = 0  # number of the record that tells of the newest holds
        self._sent: deque[tuple[int, int, float]] = deque(maxlen=REMEMBERED)
        self.owner: Client | None = None
        self.used = (0, 0.0, 0.0)

    @property
    def possible(self) -> bool:
        """Can bodies be held here?"""
        return bool(self._plant.layout.bodies)

    def set(self, client: Client, frame: TouchFrame) -> None:
        """Hold a body by the pointer, from now on or at another place.

        Raises:
            InputError: there is no such body, or another page holds one.
            MailboxError: another process holds bodies, or the plant is gone.
        """
        self._take(client)
        if frame.body < 0:
            self._drop(POINTER)
        else:
            before = self._held.get(POINTER)
            fresh = self._read(frame)
            known = before is not None and _same_place(before.grip, fresh.grip)
            if known and before is not None:
                fresh = replace(fresh, mass=before.mass, since=before.since)
            self._held[POINTER] = fresh
            self._learn()
        self._write()
        self._sent.append((self._written, frame.sequence, frame.page_time))

    def _take(self, client: Client) -> None:
        if self.owner is not None and self.owner is not client:
            raise InputError("another page is holding a body", fix="Wait until it lets go.")
        if self.owner is None:
            self._sent.clear()
        self.owner = client

    def _read(self, frame: TouchFrame) -> _Held:
        if frame.body >= len(self._bodies):
            raise InputError(f"there is no body number {frame.body}", fix="Reload the page.")
        name = self._bodies[frame.body]
        if name not in self._plant.layout.bodies:
            raise InputError(f"body '{name}' cannot be held", fix="Grab another one.")
        far = FAR * self._size
        place = tuple(min(max(x, -far), far) for x in frame.target)
        firmness = min(max(frame.firmness, FIRMNESS[0]), FIRMNESS[1])
        most = FIRMNESS[1] * far  # pushes are lengths of the spring
        pushed = tuple(min(max(x, -most), most) for x in frame.push)
        return _Held(Grip(name, place, point=frame.point, force=pushed), firmness)

    def pin(self, client: Client) -> None:
        """Let the body that the pointer holds be held there, without the pointer.

        Raises:
            InputError: the page holds none, or there are as many pins as there can be.
        """
        if self.owner is not client or POINTER not in self._held:
            raise InputError("no body is held", fix="Drag one, and pin it there.")
        free = next((k for k in range(1, GRIPS) if k not in self._held), None)
        if free is None:
            raise InputError(f"{GRIPS - 1} bodies are pinned", fix="Remove one of the pins.")
        self._held[free] = replace(self._held.pop(POINTER), since=0)
        self._write()

    def let_go(self, client: Client, number: int | None = None) -> None:
        """Let go of one hold of a page, or of all."""
        if self.owner is client:
            for k in [*self._held] if number is None else [number]:
                self._drop(k)
            with contextlib.suppress(MailboxError):
                self._write()

    def _drop(self, number: int) -> None:
        self._held.pop(number, None)

    def close(self) -> None:
        """Let go of everything, whoever holds it."""
        if self.owner is not None:
            self.let_go(self.owner)

    def refresh(self) -> None:
        """Say all holds anew, with the mass of what was touched since the last time."""
        if self._held:
            self._learn()
            try:
                self._write()
            except MailboxError:
                self._held, self.owner = {}, None
        self._follow()

    def _learn(self) -> None:
        """See which mass the plant has found for what is held since lately."""
        if all(held.mass > 0.0 for held in self._held.values()):
            return
        pulls = self._plant.hand.newest()
        if pulls is None or pulls.hand < self._written:
            return
        for number, held in self._held.items():
            pull = pulls[number]
            if pull is not None and pull.mass > 0.0 and held.mass == 0.0:
                self._held[number] = replace(held, mass=pull.mass)

    def _spring(self, held: _Held) -> Grip:
        """A hold with the stiffness that belongs to its firmness."""
        rate_squared = max(QUICK**2, GRAVITY / (SAG * self._size))
        stiffness = held.firmness * held.mass * rate_squared
        damping = 2.0 * DAMPED * math.sqrt(stiffness * held.mass)
        pushed = tuple(stiffness * float(x) for x in held.grip.force)
        if any(pushed):
            return replace(held.grip, force=pushed)
        return replace(held.grip, stiffness=stiffness, damping=damping)

    def _write(self) -> None:
        hand = self._plant.hand
        if not self._held:
            self.owner = None
            hand.let_go()
            return
        for number in range(GRIPS):
            held = self._held.get(number)
            hand.put(number, None if held is None else self._spring(held))
        self._written = hand.write()
        for number, held in self._held.items():
            if not held.since:
                self._held[number] = replace(held, since=self._written)

    def _follow(self) -> None:
        """See which holds the loop has used, and when first."""
        if not self._sent:
            return
        for hand, stamp in self._plant.hand.uses():
            while self._sent and self._sent[0][0] <= hand:
                _, sequence, page_time = self._sent.popleft()
                self.used = (sequence, 1e-9 * stamp, page_time)

    def holds(self, pulls: Pulls | None) -> list[Hold]:
        """What is held, for the pages."""
        found: list[Hold] = []
        for number, held in sorted(self._held.items()):
            grip = self._spring(held)
            # what a hold before this one did is none of its own
            pull = pulls[number] if pulls is not None and pulls.hand >= held.since else None
            found.append({
                "grip": number, "body": self._bodies.index(grip.body),
                "point": _vector(grip.point), "target": _vector(grip.target),
                "pushes": any(grip.force), "firmness": held.firmness, "mass": held.mass,
                "stiffness": grip.stiffness,
                "force": pull.force if pull is not None else (0.0, 0.0, 0.0),
                "limited": pull.limited if pull is not None else 0,
            })  # fmt: skip
        return found


def _same_place(a: Grip, b: Grip) -> bool:
    return a.body == b.body and tuple(a.point) == tuple(b.point)


def _vector(values: Vector) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
