"""Processes of Python that have imported inloop before they begin.

A fresh Python spends nearly all of its time on importing inloop and NumPy, again and again for
each process that a test starts. One process imports them once and divides (`fork`): each part is a
process of its own, with its own number, streams, environment and signals, which runs a program or
the command line as a fresh one would. Tests of how Python itself starts or imports use fresh ones.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

MOST = 1 << 17  # of a request [B]
SPARE = 1 << 10  # no process of a test opens more files
# what commands import when they are called
LATER = (
    "inloop.cli.main", "inloop.cli.commands.run", "inloop.cli.commands.run_realtime",
    "inloop.cli.commands.studio", "inloop.cli.commands.studio_catalog", "inloop.cli.commands.link",
    "inloop.cli.commands.monitor", "inloop.cli.commands.record", "inloop.cli.commands.control",
    "inloop.studio.server.server", "inloop.codegen.c_plant", "inloop.gallery",
)  # fmt: skip


class WarmPython(subprocess.Popen):
    """A process of Python, as `subprocess.Popen` begins it, that finds inloop imported.

    Args:
        words: after the name of Python: `-m inloop.cli WORDS` or `-c TEXT WORDS`.
        options: of `subprocess.Popen`: the streams, `text`, `env` and `cwd`.
    """

    def __init__(self, words: list[str], **options: Any) -> None:
        super().__init__([sys.executable, *words], **options)

    def _execute_child(self, args: Any, *others: Any) -> None:  # type: ignore[override]
        names = ("executable", "preexec_fn", "close_fds", "pass_fds", "cwd", "env")
        given = dict(zip(names, others, strict=False))
        assert not given["preexec_fn"] and not given["pass_fds"]
        # pipes follow startupinfo, creationflags and shell, each by the end that the child has
        pipes = others[9:15]
        theirs = [pipes[0], pipes[3], pipes[5]]
        files = [
            own if their == -1 else their for own, their in zip((0, 1, 2), theirs, strict=True)
        ]
        told, tells = os.pipe()
        request = {
            "words": list(args[1:]),
            "folder": str(given["cwd"] or Path.cwd()),
            "environment": dict(os.environ if given["env"] is None else given["env"]),
        }
        text = json.dumps(request).encode()
        assert len(text) < MOST
        socket.send_fds(source(), [text], [*files, tells])
        os.close(tells)
        self._told = os.fdopen(told, "rb", buffering=0)
        number = self._told.read(8)
        assert number, "the process that divides has ended"
        self.pid = int(number)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self._ended(0.0)

    def _wait(self, timeout: float | None) -> int:
        code = self._ended(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        """Its exit code, as soon as it has one and has been waited for."""
        if self.returncode is None:
            with selectors.DefaultSelector() as ready:
                ready.register(self._told, selectors.EVENT_READ)
                if not ready.select(timeout):
                    return None
            answer = self._told.read(8)
            self._told.close()
            assert answer, "the process that divides has ended"
            self.returncode = os.waitstatus_to_exitcode(int(answer))
        return self.returncode


def run(
    words: list[str], timeout: float | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """What a process says until its end, as `subprocess.run` with captured text."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with WarmPython(words, text=True, encoding="utf-8", **pipes, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@functools.cache
def source() -> socket.socket:
    """The process that has imported inloop and divides; it ends with this one."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for each in (ours, its):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * MOST)
    # with more threads than one it could not divide
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, __file__, str(its.fileno())],
        pass_fds=(its.fileno(),), env=environment, stdin=nowhere, stdout=nowhere,
    )  # fmt: skip
    its.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# the process that divides


def divide(channel: socket.socket) -> dict[str, Any] | None:
    """Answer requests until nobody can ask any more; in each new process: its request."""
    begun: dict[int, int] = {}  # where to tell of the end of each process
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who wait
    signal.set_wakeup_fd(wakes)
    with selectors.DefaultSelector() as ready:
        ready.register(channel, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fd == woken:
                    os.read(woken, 4096)
                    reap(begun)
                    continue
                text, files, _, _ = socket.recv_fds(channel, MOST, 4)
                if not text:
                    return None
                request: dict[str, Any] = json.loads(text)
                *streams, tells = files
                process = os.fork()
                if not process:
                    enter(streams)
                    return request
                for each in streams:
                    os.close(each)
                os.write(tells, f"{process:8d}".encode())
                begun[process] = tells


def reap(begun: dict[int, int]) -> None:
    """Tell of processes that have ended."""
    while begun:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        with contextlib.suppress(BrokenPipeError):  # nobody waits for it
            os.write(begun[process], f"{status:8d}".encode())
        os.close(begun.pop(process))


def enter(streams: list[int]) -> None:
    """Be a process with these streams and nothing of the one that divides."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, each in enumerate(streams):
        os.dup2(each, number)
    os.closerange(3, SPARE)
    # those of the one that divides knew that their files could be moved in
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    for name in LATER:
        importlib.import_module(name)
    request = divide(socket.socket(fileno=int(sys.argv[1])))
    if request is None:
        return
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    kind, text, *words = request["words"]
    sys.path[0] = request["folder"] if kind == "-m" else ""
    sys.argv = [kind, *words]
    own = types.ModuleType("__main__")
    own.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = own
    if kind == "-c":
        exec(compile(text, "<string>", "exec"), own.__dict__)
    else:
        assert kind == "-m" and text in ("inloop", "inloop.cli")
        command_line = importlib.import_module("inloop.cli.main")
        sys.exit(command_line.main())


if __name__ == "__main__":
    main()
