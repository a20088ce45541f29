"""ROS 1: joint states out, efforts and parameters in, over a node in a process of its own.

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
from types import TracebackType
from typing import Any

from inloop.errors import LinkError, MailboxError
from inloop.links import ros1_node
from inloop.links.joints import JointPort, JointState, namespace_of

PACKAGES = "python3-rospy python3-rosmaster python3-sensor-msgs python3-std-msgs"
SYSTEM_PYTHON = "/usr/bin/python3"
_READY_WITHIN = 20.0  # [s]
_LOOK_AT_PARAMETERS = 0.5  # [s]


class Ros1Link:
    """A ROS node for a running plant; use it in a `with` statement.

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
        python: str = SYSTEM_PYTHON,
    ) -> None:
        self.namespace = namespace_of(name, namespace)
        self._ready = threading.Event()
        find_rospy(python)
        find_master()
        self.port = JointPort(name, rate, wait)
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
        self._shown = self.port.parameter_values()
        self._tell(
            {"namespace": self.namespace, "joints": self.port.names, "parameters": self._shown}
        )

    def run(
        self, seconds: float = float("inf"), on_ready: Callable[[], None] | None = None
    ) -> None:
        """Until the plant ends.

        Args:
            seconds: at most.
            on_ready: called when the topics are there.

        Raises:
            LinkError: the node has died.
        """
        end = time.monotonic() + seconds
        self._await_ready()
        if on_ready is not None:
            on_ready()
        look = 0.0
        while time.monotonic() < end:
            try:
                state = self.port.next()
            except MailboxError:
                if not self.port.gone:
                    raise
                return
            if state is not None:
                self._publish(state)
            if time.monotonic() >= look:
                look = time.monotonic() + _LOOK_AT_PARAMETERS
                self._show_parameters()

    def _publish(self, state: JointState) -> None:
        self._tell([state.position, state.velocity, state.effort])

    def _show_parameters(self) -> None:
        values = self.port.parameter_values()
        changed = {name: value for name, value in values.items() if value != self._shown[name]}
        if changed:
            self._shown = values
            self._tell(changed)

    def _await_ready(self) -> None:
        end = time.monotonic() + _READY_WITHIN
        while not self._ready.wait(0.05):
            if self._node.poll() is not None or time.monotonic() > end:
                raise _dead(self.namespace)

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
            "command": port.command,
            "efforts": port.efforts,
            "parameter": port.parameter,
        }
        for line in self._answers:
            word, *values = json.loads(line)
            calls[word](*values)

    def close(self) -> None:
        """End the node."""
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
        self.port.close()

    def __enter__(self) -> Ros1Link:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


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
    """Raise LinkError unless a ROS master answers; rospy would wait for one for ever."""
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
