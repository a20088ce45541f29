"""ROS 1: joint states out, efforts and parameters in, through a node in its own process.

/NAME/joint_states         sensor_msgs/JointState        out
/NAME/command              sensor_msgs/JointState        in: name and effort
/NAME/efforts              std_msgs/Float64MultiArray    in: of all joints
/NAME/parameters/<name>    std_msgs/Float64              in; values are on the parameter server
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
import xmlrpc.client
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inloop.errors import LinkError
from inloop.links import ros1_node
from inloop.links.joint_link import JointLink
from inloop.links.joints import JointState

PACKAGES = "python3-rospy python3-rosmaster python3-sensor-msgs python3-std-msgs"
SYSTEM_PYTHON = "/usr/bin/python3"
_READY_WITHIN = 120.0  # [s]: rospy may take long on a loaded machine
_LOOK_AT_PARAMETERS = 0.5  # [s]


class Ros1Link(JointLink):
    """A ROS node for a running plant."""

    def __init__(self, name: str, *, python: str = SYSTEM_PYTHON, **options: Any) -> None:
        """Start the node.

        Args:
            name: of the running plant.
            python: a Python interpreter with rospy.
            options: as for `JointLink`.
        """
        self._python, self._ready = python, threading.Event()
        super().__init__(name, **options)
        ours, theirs = os.pipe()
        self._answers = os.fdopen(ours)
        command = [python, ros1_node.__file__, str(theirs)]
        try:
            self._node = subprocess.Popen(
                command, stdin=subprocess.PIPE, pass_fds=(theirs,), text=True, bufsize=1
            )
        finally:
            os.close(theirs)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._shown, self._looked = self.port.parameter_values(), 0.0
        self._tell(
            {"namespace": self.namespace, "joints": self.port.names, "parameters": self._shown}
        )

    def find_transport(self) -> None:
        """Check for a Python with rospy, and a master."""
        find_rospy(self._python)
        find_master()

    def publish(self, state: JointState) -> None:
        """Let the node send it."""
        self._tell([state.position, state.velocity, state.effort])

    def look_around(self) -> None:
        """Update changed values on the parameter server."""
        if time.monotonic() - self._looked >= _LOOK_AT_PARAMETERS:
            self._looked = time.monotonic()
            self._show_parameters()

    def _show_parameters(self) -> None:
        values = self.port.parameter_values()
        changed = {name: value for name, value in values.items() if value != self._shown[name]}
        if changed:
            self._shown = values
            self._tell(changed)

    def await_topics(self) -> None:
        """Wait until the node reports that it is ready."""
        end = time.monotonic() + _READY_WITHIN
        while not self._ready.wait(0.05):
            if self._node.poll() is not None:
                raise _dead(self.namespace)
            if time.monotonic() > end:
                raise LinkError(
                    f"the ROS node of {self.namespace} is not ready after {_READY_WITHIN:g} s",
                    fix="See whether the ROS master hangs: `rosnode list`.",
                )

    def _tell(self, data: Any) -> None:
        assert self._node.stdin is not None
        try:
            self._node.stdin.write(json.dumps(data) + "\n")
        except BrokenPipeError:
            raise _dead(self.namespace) from None

    def _listen(self) -> None:
        port = self.port
        calls: dict[str, Callable[..., None]] = {
            "ready": self._ready.set,
            "command": lambda names, efforts, sent: port.command(names, efforts, _since(sent)),
            "efforts": lambda values, sent: port.efforts(values, _since(sent)),
            "parameter": port.parameter,
        }
        for line in self._answers:
            word, *values = json.loads(line)
            calls[word](*values)

    def close(self) -> None:
        """Stop the node."""
        with contextlib.suppress(BrokenPipeError):
            assert self._node.stdin is not None
            self._node.stdin.close()
        try:
            self._node.wait(5.0)
        except subprocess.TimeoutExpired:
            self._node.kill()
            self._node.wait()
        self._thread.join()
        self._answers.close()
        super().close()


def _since(sent: int) -> int:
    """Time since a CLOCK_MONOTONIC time reported by the node [ns]."""
    return max(0, time.monotonic_ns() - sent)


def _dead(namespace: str) -> LinkError:
    return LinkError(f"the ROS node of {namespace} has died", fix="See its messages above.")


def find_rospy(python: str) -> None:
    """Raise LinkError unless this Python can import what the node needs."""
    check = "import rospy, sensor_msgs.msg, std_msgs.msg"
    if Path(python).is_file():
        result = subprocess.run([python, "-c", check], capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return
        what = f"{python} has no ROS 1: {result.stderr.strip().splitlines()[-1]}"
    else:
        what = f"there is no Python at {python}"
    raise LinkError(
        what, fix=f"Install ROS 1 (Debian: {PACKAGES}), or name its Python with --python."
    )


def find_master() -> None:
    """Raise LinkError unless a ROS master answers; rospy would wait for one forever."""
    place = os.environ.get("ROS_MASTER_URI", "http://localhost:11311")
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(5.0)
    try:
        with xmlrpc.client.ServerProxy(place) as master:
            master.getPid("/inloop")
    except (OSError, xmlrpc.client.Error) as error:
        raise LinkError(
            f"no ROS master answers at {place}: {error}",
            fix="Start one with `rosmaster --core` (or roscore), or set ROS_MASTER_URI.",
        ) from error
    finally:
        socket.setdefaulttimeout(before)
