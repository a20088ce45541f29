"""Common part of the links to ROS 1 and ROS 2: publish joint states while a plant runs."""

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
        namespace: namespace of the topics.
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
            wait: maximum time to wait for the plant to start [s].
            namespace: namespace of the topics; default: the plant's name.
            rate: maximum message rate [Hz]; default: one for each record.
        """
        self.namespace = namespace_of(name, namespace)
        self.find_transport()
        self.port = JointPort(name, rate, wait)

    def run(self, seconds: float = math.inf, on_ready: Callable[[], None] | None = None) -> None:
        """Run until the plant ends.

        Args:
            seconds: maximum time [s].
            on_ready: called when the topics are available.

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
        """Raise LinkError unless the transport is available; called before the plant is sought."""

    def await_topics(self) -> None:
        """Return when others can find the topics."""

    def look_around(self) -> None:
        """Called between two messages; raises errors of other threads here."""

    def publish(self, state: JointState) -> None:
        """Send one message."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the mailbox."""
        self.port.close()
