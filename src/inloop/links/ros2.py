"""ROS 2, wire-compatible: topics, types and serialization of ROS 2 over DDS (cyclonedds).

    NAME/joint_states         sensor_msgs/msg/JointState        out
    NAME/command              sensor_msgs/msg/JointState        in: name and effort
    NAME/efforts              std_msgs/msg/Float64MultiArray    in: of all joints
    NAME/parameters/<name>    std_msgs/msg/Float64              in

ROS 2 prefixes topic names with "rt/". ROS itself is not needed here; the node graph
(ros_discovery_info) is not published, so `ros2 topic` sees the topics, but `ros2 node` no node.

The age of efforts counts from the stamp in their header or, if that is 0 or missing, from the time
at which DDS sent them: the clocks of both machines must agree, as usual in ROS.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from inloop.errors import LinkError
from inloop.links.joint_link import JointLink
from inloop.links.joints import JointState, age_of

try:
    from cyclonedds.core import (
        DDSException,
        InstanceState,
        Policy,
        Qos,
        ReadCondition,
        SampleState,
        ViewState,
        WaitSet,
    )
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.internal import InvalidSample
    from cyclonedds.pub import DataWriter
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic
    from cyclonedds.util import duration

    from inloop.links import ros2_messages as messages
except ImportError as error:
    raise LinkError(
        f"ROS 2 links need cyclonedds: {error}", fix="Install it: pip install 'inloop[ros2]'"
    ) from error

# defaults of rmw: reliable, volatile, keep last 10
RELIABLE = Qos(
    Policy.Reliability.Reliable(duration(milliseconds=100)),
    Policy.History.KeepLast(10),
    Policy.DataRepresentation(use_cdrv0_representation=True),
)
# accepts reliable and other publishers; only the newest command counts
NEWEST = Qos(
    Policy.Reliability.BestEffort,
    Policy.History.KeepLast(1),
    Policy.DataRepresentation(use_cdrv0_representation=True),
)
_LISTEN = 0.1  # interval at which the thread checks for its end [s]


class Ros2Link(JointLink):
    """A DDS participant for a running plant."""

    def __init__(self, name: str, *, domain: int | None = None, **options: Any) -> None:
        """Join a domain.

        Args:
            name: of the running plant.
            domain: DDS domain; default: ROS_DOMAIN_ID.
            options: as for `JointLink`.
        """
        self._domain = domain
        super().__init__(name, **options)
        self._writer = topic_writer(
            self._participant, f"{self.namespace}/joint_states", messages.JointState
        )
        self._message = messages.JointState(name=self.port.names)
        self._readers: list[tuple[Any, Callable[[Any], None]]] = []
        self._subscribe("command", messages.JointState, NEWEST, self._on_command)
        self._subscribe("efforts", messages.Float64MultiArray, NEWEST, self._on_efforts)
        for topic in self.port.parameters:
            self._subscribe(
                f"parameters/{topic}",
                messages.Float64,
                RELIABLE,
                functools.partial(self._on_parameter, topic),
            )
        self._stop = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def find_transport(self) -> None:
        """Join the domain."""
        self._participant = join_domain(self._domain)

    def look_around(self) -> None:
        """Raise errors of the listening thread here."""
        if self._error is not None:
            raise self._error

    def publish(self, state: JointState) -> None:
        """Publish it on the topic."""
        message = self._message
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
        message.position, message.velocity = state.position, state.velocity
        message.effort = state.effort
        try:
            self._writer.write(message)
        except DDSException:
            # a reader that does not keep up, or is dead
            self.port.counts.unsent += 1

    def _on_command(self, message: Any) -> None:
        stamp = message.header.stamp
        self.port.command(message.name, message.effort, _age(message, stamp.sec, stamp.nanosec))

    def _on_efforts(self, message: Any) -> None:
        self.port.efforts(message.data, _age(message))

    def _on_parameter(self, topic: str, message: Any) -> None:
        self.port.parameter(topic, message.data)

    def _subscribe(self, name: str, kind: Any, qos: Qos, call: Callable[[Any], None]) -> None:
        reader = topic_reader(self._participant, f"{self.namespace}/{name}", kind, qos)
        self._readers.append((reader, call))

    def _listen(self) -> None:
        try:
            waiting = WaitSet(self._participant)
            everything = SampleState.Any | ViewState.Any | InstanceState.Any
            conditions = [ReadCondition(reader, everything) for reader, _ in self._readers]
            for condition in conditions:
                waiting.attach(condition)
            while not self._stop.is_set():
                waiting.wait(duration(seconds=_LISTEN))
                for reader, call in self._readers:
                    for message in fresh(reader):
                        call(message)
        except Exception as error:
            self._error = error

    def close(self) -> None:
        """Leave the domain."""
        self._stop.set()
        self._thread.join()
        self._readers.clear()
        del self._writer, self._participant
        super().close()


def topic_writer(participant: DomainParticipant, topic: str, kind: Any) -> Any:
    """A writer for messages of a type, with ROS 2 default reliability."""
    return DataWriter(
        participant, Topic(participant, f"rt{topic}", kind, qos=RELIABLE), qos=RELIABLE
    )


def topic_reader(participant: DomainParticipant, topic: str, kind: Any, qos: Qos) -> Any:
    """A reader for messages of a type."""
    return DataReader(participant, Topic(participant, f"rt{topic}", kind, qos=qos), qos=qos)


def fresh(reader: Any) -> list[Any]:
    """Messages received since the last call, without the empty ones of ending peers."""
    return [message for message in reader.take(N=10) if not isinstance(message, InvalidSample)]


def _age(message: Any, seconds: int = 0, nanoseconds: int = 0) -> int:
    """Time since a message was sent [ns]: by its header or, if that is missing, by DDS."""
    stamp = seconds * 10**9 + nanoseconds
    found = getattr(message, "sample_info", None)
    source = found.source_timestamp if found is not None else 0
    return age_of(stamp if stamp > 0 else source, time.time_ns())


def join_domain(domain: int | None) -> DomainParticipant:
    """A participant of a DDS domain; default: ROS_DOMAIN_ID."""
    number = os.environ.get("ROS_DOMAIN_ID", "0") if domain is None else str(domain)
    try:
        return DomainParticipant(int(number))
    except (DDSException, ValueError) as error:
        raise LinkError(
            f"DDS domain {number} cannot be joined: {error}",
            fix="Choose another with --domain, from 0 to 232, or see CYCLONEDDS_URI.",
        ) from error
