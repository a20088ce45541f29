"""The processes around a running plant: its controller, its recorder, injected faults."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any

import inloop as il
from inloop.cli.commands.record import check_target
from inloop.cli.controllers import controller_command, find_controller, known_controllers
from inloop.errors import near_names
from inloop.gallery import Exhibit
from inloop.realtime import Fault, Injector, Loop, Options, read_fault
from inloop.realtime.controller_process import ControllerProcess
from inloop.realtime.run import periods_between

READY_WITHIN = 30.0  # [s]
ENDS_WITHIN = 3.0  # [s] after the plant, then terminated
WRITTEN_WITHIN = 60.0  # [s] after the plant, for the rest of a recording
LOOK_EVERY = 0.01  # [s]
STDERR = 2


class SideProcesses:
    """Starts, kills and ends the processes around a plant; use it in a `with` statement.

    Args:
        args: command-line arguments.
        exhibit: the plant's exhibit in the gallery, if any.
        own: a controller function of the user's file.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        exhibit: Exhibit | None = None,
        own: Any = None,
    ) -> None:
        faults = [read_fault(text) for text in args.fault]
        self._kills = [f for f in faults if f.kind == "kill"]
        self._faults = [f for f in faults if f.kind != "kill"]
        self._args = args
        self._wanted = args.controller if args.controller != "none" else None
        program = self._wanted if own is None else None
        self._named = find_controller(program, exhibit) if program else None
        self._own = own
        self._function: ControllerProcess | None = None
        self._injector: Injector | None = None
        self._controller: subprocess.Popen[bytes] | None = None
        self._recorder: subprocess.Popen[bytes] | None = None
        self._warned = False
        self._directory = Path()
        self._stack = contextlib.ExitStack()
        self._command: list[str] = []
        self._check()

    def _check(self) -> None:
        if self._kills and self._wanted is None:
            raise il.InputError(
                "--fault kill:controller: there is no controller",
                fix="Add one, for example --controller pd.",
            )
        if self._kills and self._own is not None:
            raise il.InputError(
                f"--fault kill:controller: controller '{self._wanted}' is a function in the "
                "file and ends with its plant",
                fix="Use a controller that is a program, or let the function raise an exception.",
            )
        if self._args.settings and not (self._named is not None and self._named.settings):
            raise il.InputError(
                "--settings is only for controllers that read such a file",
                fix=f"Use --controller {' or '.join(known_controllers(settings=True))}.",
            )
        if self._faults and self._args.mode == "lock-step":
            raise il.InputError(
                "--fault cannot be combined with --mode lock-step: the plant waits for each answer",
                fix="Remove --mode lock-step.",
            )
        if self._args.overwrite and not self._args.record:
            raise il.InputError("--overwrite is only for recordings", fix="Add --record FILE.")
        if self._args.record:
            check_target(Path(self._args.record), self._args.overwrite)

    def hold_back(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options for a plant that waits until all processes are ready."""
        return {**options, "paused": True} if self._wanted or self._args.record else options

    def join(self, loop: Loop) -> None:
        """Start all processes, wait for the first answer of the controller, start the plant."""
        name, box = loop.name, loop.mailbox
        if self._faults:
            injector = Injector(name, self._faults, seed=self._args.seed)
            self._injector = self._stack.enter_context(injector)
        if self._args.record:
            self._start_recorder(name)
        # last of all: its inputs must not be stale when the plant starts
        if self._function is not None:
            self._function.attend(name if self._injector is None else self._injector.name)
        elif self._wanted:
            seen = name if self._injector is None else self._injector.name
            self._command = self._controller_command(seen)
            self._controller = self._begin(self._command)
            self._await("the controller", self._controller, lambda: box.writer is not None)
        if self._wanted or self._args.record:
            box.resume()

    def _start_recorder(self, name: str) -> None:
        """Start the recorder and wait until it is ready for the first record."""
        words = ["-m", "inloop.cli", "record", name, "--to", self._args.record]
        ours, its = os.pipe()
        try:
            words += ["--begun", str(its), *(["--overwrite"] if self._args.overwrite else [])]
            self._recorder = self._begin([sys.executable, *words], pass_fds=(its,))
            os.close(its)
            self._await("the recorder", self._recorder, lambda: select([ours], [], [], 0.0)[0])
            if not os.read(ours, 1):  # closed: it has ended without a message
                self._recorder.wait()
                self._await("the recorder", self._recorder, lambda: False)
        finally:
            os.close(ours)

    @property
    def recording_problem(self) -> str:
        """Problem with the recording, known at the end; "" for none."""
        code = None if self._recorder is None else self._recorder.returncode
        if not code:
            return ""
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"the recorder {ended}: {self._args.record} does not contain the whole run"

    def _await(self, who: str, process: subprocess.Popen[bytes], ready: Any) -> None:
        end = time.monotonic() + READY_WITHIN
        while not ready():
            if process.poll() is not None or time.monotonic() > end:
                code = process.poll()
                what = "gave no sign" if code is None else f"ended with exit code {code}"
                raise il.InputError(f"{who} {what}", fix="Read what it printed.")
            time.sleep(LOOK_EVERY)

    def _controller_command(self, name: str) -> list[str]:
        if self._named is not None:
            return controller_command(self._named, name, self._args.settings, self._directory)
        wanted = str(self._wanted)
        words = shlex.split(wanted)
        if shutil.which(words[0]) is None:
            near = near_names(wanted, known_controllers())
            raise il.InputError(
                f"there is neither a controller nor a program {wanted[:60]!a}",
                fix=f"Did you mean {near[0]}?"
                if near
                else "`inloop describe` lists the controllers; functions in your file work too.",
            )
        return [*words, name]

    def _begin(self, command: list[str], pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
        # Ctrl-C is for the plant, the others end with it; stdout is reserved for the plant's output
        return subprocess.Popen(
            command,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=STDERR,
            pass_fds=pass_fds,
        )

    def watch(self, loop: Loop) -> None:
        """Kill and restart the controller at the given times, until the plant ends."""
        due = sorted(self._kills, key=lambda fault: fault.begin)
        while not loop.wait(LOOK_EVERY if due else 0.5):
            self._warn_of_recorder()
            self._check_function()
            t = loop.mailbox.read().t
            due = [fault for fault in due if not self._follow(fault, t)]
        self._check_function()

    def _check_function(self) -> None:
        if self._function is not None:
            self._function.check()

    def _warn_of_recorder(self) -> None:
        """Warn immediately, and only once, that the rest is not recorded; the plant goes on."""
        if self._warned or self._recorder is None or self._recorder.poll() is None:
            return
        self._warned = True
        if self.recording_problem:
            print(f"warning: {self.recording_problem}", file=sys.stderr)

    def _follow(self, fault: Fault, t: float) -> bool:
        """Apply a fault at this time; return True when it is over."""
        process = self._controller
        assert process is not None
        if fault.begin <= t < fault.end and process.returncode is None:
            process.kill()
            process.wait()
        if t >= fault.end:
            self._controller = self._begin(self._command)
            return True
        return False

    def __enter__(self) -> SideProcesses:
        self._directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        if self._own is not None:
            options = Options(rate=self._args.rate)
            steps = periods_between(self._args.period, options)
            self._function = ControllerProcess(self._own, steps=steps)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            if self._function is not None:
                self._function.end()
            for process, patience in (
                (self._controller, ENDS_WITHIN),
                (self._recorder, WRITTEN_WITHIN),
            ):
                if process is not None:
                    _end(process, patience)


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait for a process, which notices the end of the plant; terminate it if it does not."""
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return
