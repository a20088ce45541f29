"""The mailbox in terms of robot messages: joints by name, efforts in, parameters by name.

Common part of ROS 1 and ROS 2, independent of the transport.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inloop.errors import InloopError, InputError
from inloop.realtime import Outputs, attach

LONGEST_WAIT = 0.1  # [s]


@dataclass(frozen=True)
class JointState:
    """All joints at one time, in the order of their names.

    Attributes:
        position: [rad or m].
        velocity: [rad/s or m/s].
        effort: applied effort [N·m or N], for a driven joint that of its drive; else 0.
    """

    position: list[float]
    velocity: list[float]
    effort: list[float]


@dataclass
class MessageCounts:
    """Message counters of a link.

    Attributes:
        published: joint states published.
        unsent: messages that the transport did not accept in time.
        commands: messages written to the mailbox.
        parameters: parameter changes.
        refused: invalid messages, which were ignored.
    """

    published: int = 0
    unsent: int = 0
    commands: int = 0
    parameters: int = 0
    refused: int = 0

    def data(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


class JointPort:
    """Reads joint states from a mailbox, writes efforts and parameters to it.

    One thread may call `next` and `parameter_values` while another one calls the rest.

    Attributes:
        names: of the joints.
        parameters: topic → parameter name, for names that topics support.
        counts: of messages.
    """

    def __init__(self, name: str, rate: float | None = None, wait: float = 0.0) -> None:
        if rate is not None and not 0.0 < rate <= 1e5:
            raise InputError(f"a rate of {rate:g} Hz makes no sense", fix="Use up to 100000.")
        with contextlib.ExitStack() as stack:
            # states are read by one thread, commands come in another
            box, self._inbox = (stack.enter_context(attach(name, wait)) for _ in range(2))
            self._mailboxes = stack.pop_all()
        self.names = list(box.coordinates)
        self.parameters = {topic_name(name): name for name in box.parameters}
        self.counts = MessageCounts()
        self._box = box
        self._pace = Pace(0.0 if rate is None else 1.0 / rate)
        index = box.layout.index
        self._efforts = [
            index.get(f"{name}.effort", index.get(f"{name}.tau")) for name in self.names
        ]
        self._inputs = set(box.inputs)

    def next(self) -> JointState | None:
        """The newest state when the next message is due; None if there is none for a while.

        Due times are those of the plant's clock.

        Raises:
            MailboxError: the plant has ended.
        """
        clock = self._box.clock
        if not clock.sleep_until(self._pace.due, LONGEST_WAIT):
            return None
        outputs = self._box.wait(LONGEST_WAIT)
        if outputs is None:
            return None
        self._pace.sent(clock.now)
        self.counts.published += 1
        return self._state(outputs)

    @property
    def due(self) -> float:
        """When the next message is due, on the plant's clock [s]."""
        return self._pace.due

    @property
    def gone(self) -> bool:
        """Whether the plant has ended."""
        return self._box.gone

    def close(self) -> None:
        """Release the mailbox."""
        self._mailboxes.close()

    def _state(self, outputs: Outputs) -> JointState:
        values = outputs.values
        effort = [0.0 if k is None else float(values[k]) for k in self._efforts]
        return JointState(outputs.q.tolist(), outputs.qd.tolist(), effort)

    def command(self, names: Sequence[str], efforts: Sequence[float], age: int = 0) -> None:
        """Set efforts of some joints, or other inputs, by name; the others are unchanged.

        Args:
            names: of joints or inputs.
            efforts: their values.
            age: time since the message was sent [ns]; 0 if unknown.
        """
        if len(names) != len(efforts) or not names:
            self.counts.refused += 1
            return
        given = zip(names, efforts, strict=True)
        inputs = {n if n in self._inputs else f"{n}.tau": float(e) for n, e in given}
        try:
            self._inbox.answer(0, inputs, max(1, self._inbox.clock.now_ns - age))
        except InloopError:
            self.counts.refused += 1
        else:
            self.counts.commands += 1

    def efforts(self, values: Sequence[float], age: int = 0) -> None:
        """Set efforts of all joints, in the order of their names; `age` as for `command`."""
        if len(values) != len(self.names):
            self.counts.refused += 1
            return
        self.command(self.names, values, age)

    def parameter(self, topic: str, value: float) -> None:
        """Change one parameter."""
        try:
            self._inbox.parameters[self.parameters[topic]] = value
        except (InloopError, KeyError):
            self.counts.refused += 1
        else:
            self.counts.parameters += 1

    def parameter_values(self) -> dict[str, float]:
        """Current values by topic."""
        values = dict(self._box.parameters)
        return {topic: values[name] for topic, name in self.parameters.items()}


class Pace:
    """Rate limiter: limited messages per second, and no burst after a delay.

    Attributes:
        due: time of the next message [s].
    """

    def __init__(self, period: float) -> None:
        self._period, self.due = period, 0.0

    def sent(self, now: float) -> None:
        """A message was sent [s]; a late one may be compensated by an early one."""
        self.due = max(self.due + self._period, now)


def age_of(stamp: int, now: int) -> int:
    """Time since a message was sent [ns].

    Args:
        stamp: time stamp of the sender, on the shared clock [ns]; 0: none.
        now: current time of that clock [ns].
    """
    return max(0, now - stamp) if stamp > 0 else 0


def topic_name(name: str) -> str:
    """A valid ROS name: letters, digits and '_', not starting with a digit; '.' becomes '/'."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) for part in name.split(".") if part]
    return "/".join(part if part[:1].isalpha() else f"n{part}" for part in parts)


def namespace_of(name: str, given: str | None) -> str:
    """Namespace of the topics: as given, or the plant's name. Starts with '/', ends without."""
    if given is None:
        return f"/{topic_name(name)}"
    inner = given.strip("/")
    if inner and not re.fullmatch(r"[A-Za-z]\w*(/[A-Za-z]\w*)*", inner, re.ASCII):
        raise InputError(
            f"{given!a} is not a ROS namespace", fix="Use letters, digits and '_', such as /robot."
        )
    return f"/{inner}" if inner else ""
