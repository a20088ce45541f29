"""What the links to ROS 1 and ROS 2 have in common: joint states out, as long as a plant runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from inloop.errors import MailboxError
from inloop.links.joints import JointPort, JointState, namespace_of
from inloop.realtime.closing import Closing


class JointLink(Closing):
    """Publishes the joint states of a running plant; use it in a `with` statement.

    Attributes:
        port: joints and counts.
        namespace: of the topics.
    """

    def __init__(
        self,
        name: str,
        *,
        wait: float = 0.0,
        namespace: str | None = None,
        rate: float | None = None,
    ) -> None:
        """Attach to a plant.

        Args:
            name: of the running plant.
            wait: seconds to wait for it to start.
            namespace: of the topics; the plant's name by default.
            rate: of messages at most [Hz]; one for each record by default.
        """
        self.namespace = namespace_of(name, namespace)
        self.find_transport()
        self.port = JointPort(name, rate, wait)

    def run(self, seconds: float = math.inf, on_ready: Callable[[], None] | None = None) -> None:
        """Until the plant ends.

        Args:
            seconds: at most.
            on_ready: called when the topics are there.

        Raises:
            LinkError: the transport has failed.
        """
        end = time.monotonic() + seconds
        self.await_topics()
        if on_ready is not None:
            on_ready()
        while time.monotonic() < end:
            self.look_around()
            try:
                state = self.port.next()
            except MailboxError:
                if not self.port.gone:
                    raise
                return
            if state is not None:
                self.publish(state)

    def find_transport(self) -> None:
        """Raise LinkError unless there is what carries messages; before the plant is looked for."""

    def await_topics(self) -> None:
        """Return when others can find the topics."""

    def look_around(self) -> None:
        """Between two messages; raise here what went wrong elsewhere."""

    def publish(self, state: JointState) -> None:
        """Send one message."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the mailbox."""
        self.port.close()
