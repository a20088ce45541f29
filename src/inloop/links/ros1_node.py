"""The node of a ROS 1 link: rospy on one side, two pipes on the other.

It runs under the system's Python, which has rospy, not that of inloop, and so needs only the
standard library and ROS. Lines of JSON come in on stdin and go out on the file descriptor given by
the first argument; it ends when stdin is closed.

    in   {"namespace": …, "joints": […], "parameters": {topic: value}}    first
         [position, velocity, effort]                                     publish a joint state
         {topic: value}                                                   present parameters
    out  ["ready"], ["command", names, efforts, sent], ["efforts", values, sent],
         ["parameter", topic, value]

`sent` is CLOCK_MONOTONIC [ns]: from the stamp in the header or, if that is 0 or missing, the time
of arrival.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from typing import Any


class Answers:
    """Lines to the parent; written by several rospy threads."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "w", buffering=1)
        self._lock = threading.Lock()

    def send(self, *words: Any) -> None:
        """Send one line; the end of the parent is detected at stdin."""
        try:
            with self._lock:
                self._file.write(json.dumps(words) + "\n")
        except (BrokenPipeError, ValueError):
            pass


def main() -> None:
    """Publish input from stdin, forward subscribed messages."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is for the parent, which then closes stdin
    # a queue of None publishes at once, in this thread
    warnings.simplefilter("ignore", SyntaxWarning)
    import rospy
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64, Float64MultiArray

    answers = Answers(int(sys.argv[1]))
    about = json.loads(sys.stdin.readline())
    inside = about["namespace"]
    rospy.init_node("inloop" + inside.replace("/", "_"), disable_signals=True)

    def subscribe(topic: str, kind: Any, call: Any) -> None:
        rospy.Subscriber(inside + "/" + topic, kind, call, queue_size=1, tcp_nodelay=True)

    def sent(stamp: int) -> int:
        age = rospy.Time.now().to_nsec() - stamp if stamp > 0 else 0
        return max(1, time.monotonic_ns() - max(0, age))

    def on_efforts(message: Any) -> None:
        answers.send("efforts", message.data, sent(0))

    def on_command(message: Any) -> None:
        stamp = message.header.stamp.to_nsec()
        answers.send("command", message.name, message.effort, sent(stamp))

    subscribe("efforts", Float64MultiArray, on_efforts)
    subscribe("command", JointState, on_command)
    for topic in about["parameters"]:
        subscribe(
            "parameters/" + topic,
            Float64,
            lambda message, topic=topic: answers.send("parameter", topic, message.data),
        )
    states = rospy.Publisher(
        inside + "/joint_states", JointState, queue_size=None, tcp_nodelay=True
    )
    show_parameters(rospy, inside, about["parameters"])
    answers.send("ready")
    message = JointState(name=about["joints"])
    for line in sys.stdin:
        data = json.loads(line)
        if isinstance(data, dict):
            show_parameters(rospy, inside, data)
            continue
        message.position, message.velocity, message.effort = data
        message.header.stamp = rospy.Time.now()
        states.publish(message)
    rospy.signal_shutdown("the link has ended")


def show_parameters(rospy: Any, inside: str, values: dict[str, float]) -> None:
    """Put values on the ROS parameter server, for readers."""
    for topic, value in values.items():
        rospy.set_param(inside + "/parameters/" + topic, value)


if __name__ == "__main__":
    main()
