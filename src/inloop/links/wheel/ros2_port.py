"""A wheel on one machine and the plant on another, connected by `inloop link ros2` topics.

The plant's machine publishes joint states, in which the effort of a driven joint is that of its
drive: a hand feels the opposite. Angle, pedals and switches are sent as commands by name.
"""

from __future__ import annotations

import math
import time

from inloop.links.joints import age_of, namespace_of
from inloop.links.ros2 import NEWEST, fresh, join_domain, topic_reader, topic_writer
from inloop.links.ros2_messages import JointState
from inloop.links.wheel.profile import PEDALS

OLD = 0.1  # older states are not felt [s]


class Ros2Port:
    """The plant interface of a wheel, over ROS 2; see `Driven`.

    Attributes:
        others: inputs by names of pedals and switches; the plant must have all of them, because it
            rejects commands for unknown ones.
    """

    def __init__(
        self, name: str, steering: str, others: dict[str, str], *, domain: int | None = None,
        namespace: str | None = None,
    ) -> None:  # fmt: skip
        """Join a domain.

        Args:
            name: of the plant.
            steering: input that follows the angle of the wheel, "<joint>.q" [rad].
            others: inputs by names of pedals and switches.
            domain: DDS domain; default: ROS_DOMAIN_ID.
            namespace: namespace of the topics; default: the plant's name.
        """
        self._participant, inside = join_domain(domain), namespace_of(name, namespace)
        states, commands = f"{inside}/joint_states", f"{inside}/command"
        self._states = topic_reader(self._participant, states, JointState, NEWEST)
        self._commands = topic_writer(self._participant, commands, JointState)
        self.steering, self.others = steering, others
        self._joint = steering.removesuffix(".q")
        self._torque, self._stamp = math.nan, 0

    def torque(self) -> float | None:
        """The last torque shown by the plant; None if nothing was received for a while."""
        for state in fresh(self._states):
            if self._joint in state.name:
                self._torque = -float(state.effort[state.name.index(self._joint)])
                stamp = state.header.stamp
                self._stamp = stamp.sec * 10**9 + stamp.nanosec
        if self._stamp == 0 or age_of(self._stamp, time.time_ns()) > 1e9 * OLD:
            return None
        return self._torque

    def lead(self, values: dict[str, float]) -> None:
        """Inputs by the names "steering" and those of pedals and switches."""
        named = {"steering": self.steering, **self.others}
        self._send({named[name]: value for name, value in values.items() if name in named})

    def _send(self, inputs: dict[str, float]) -> None:
        message = JointState(name=list(inputs), effort=list(inputs.values()))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
        self._commands.write(message)

    def reset(self) -> None:
        """Does nothing: there is no such topic."""

    def rest(self) -> None:
        """Release the pedals."""
        self._send({name: 0.0 for what, name in self.others.items() if what in PEDALS})
