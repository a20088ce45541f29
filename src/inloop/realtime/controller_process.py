"""A Python controller for a real-time plant, in a process of its own.

The process is forked before the plant starts: functions of scripts and notebook cells, and
closures, work unchanged, and a controller cannot delay the loop. Objects that do not survive a fork
cannot be used: threads that were started before, and libraries that hold a device, such as those
for GPUs.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import traceback
import warnings
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NamedTuple

from inloop.errors import MailboxError, SimulationError
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.outputs import Flag, Outputs
from inloop.realtime.report import Report
from inloop.simulate.controlled.law import (
    Controller,
    SampledController,
    check_controller,
    name_of,
)
from inloop.simulate.controlled.sampled import Sampled, SampledNames

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

LOOK_EVERY = 0.05  # [s] while waiting for the first answer
ENDS_WITHIN = 1.0  # [s] after the plant, and again after SIGTERM
STARTS_WITHIN = 60.0  # [s] for a plant that has reported that it runs
READY, DONE = "ready", "done"


class _Failure(NamedTuple):
    """A failure in a controller: an error in picklable form."""

    what: str
    where: str
    fix: str
    trace: str


class ControllerProcess:
    """A controller that waits for a plant, answers its outputs, and ends with it.

    Attributes:
        name: name of the function or class.
        failure: its failure, if any.
    """

    def __init__(
        self, controller: Controller, *, steps: int = 1, led: Mapping[str, str] | None = None
    ) -> None:
        """Fork; the process waits until `attend`.

        Args:
            controller: a function of time and outputs that returns inputs by name, or an object
                with `__call__` and, if it has states, `reset()`.
            steps: periods of the plant between two calls; in between its answer is held.
            led: inputs that are written by something else, and by what.
        """
        check_controller(controller)
        self.name = name_of(controller)
        self.failure: SimulationError | None = None
        self._told = self._ready = self._done = False
        context = multiprocessing.get_context("fork")
        self._pipe, its = context.Pipe()
        arguments = (self._pipe, its, controller, steps, dict(led or {}))
        self._process: ForkProcess = context.Process(target=_live, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # forked next to other threads: nothing that belongs to them is used in the child
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        its.close()

    def attend(self, plant: str) -> None:
        """Let it attach to a plant, and wait for its first answer.

        Args:
            plant: name of the running plant.

        Raises:
            SimulationError: the controller failed in its first call.
            MailboxError: the plant has ended in the meantime.
        """
        with contextlib.suppress(OSError):  # it may have died, which is found out below
            self._pipe.send(plant)
        while not self._ready:
            self.check()
            if self._done:
                raise MailboxError(f"plant '{plant}' has ended", fix="Start it again.")
            self._listen(LOOK_EVERY)

    def check(self) -> None:
        """Check whether it is still running.

        Raises:
            SimulationError: it has failed; raised once.
        """
        self._listen(0.0)
        if self.failure is not None and not self._told:
            self._told = True
            raise self.failure

    def tell(self, report: Report) -> None:
        """Raise its failure, with the report on the run, unless already raised."""
        if self.failure is not None:
            self.failure.report = report  # type: ignore[attr-defined]
            if not self._told:
                self._told = True
                raise self.failure

    def end(self) -> None:
        """Terminate it, unless it has ended with its plant."""
        with contextlib.suppress(OSError, ValueError):
            self._pipe.send(None)
        self._process.join(ENDS_WITHIN)
        for insist in (self._process.terminate, self._process.kill):
            if self._process.is_alive():
                insist()
                self._process.join(ENDS_WITHIN)
        # its last message; being terminated is not a failure
        while self._read(0.0):
            pass
        self._pipe.close()

    def _listen(self, seconds: float) -> None:
        """Process its messages, or its end."""
        over = self.failure is not None or self._done
        # a process that has ended may have sent a message before
        if not over and not (self._read(seconds) or self._process.is_alive() or self._read(0.0)):
            self._process.join()
            code = self._process.exitcode or 0
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            self.failure = SimulationError(
                f"the process of controller '{self.name}' {how}",
                fix="See what it has printed; it must not end by itself.",
            )

    def _read(self, seconds: float) -> bool:
        """Read one message; False if there is none."""
        try:
            message = self._pipe.recv() if self._pipe.poll(seconds) else None
        except (EOFError, OSError):
            return False
        if isinstance(message, _Failure):
            self.failure = SimulationError(message.what, message.where, message.fix)
            self.failure.add_note(message.trace)
        self._ready, self._done = self._ready or message == READY, self._done or message == DONE
        return message is not None


# in the process of the controller


def _live(
    theirs: Connection, pipe: Connection, controller: Controller, steps: int, led: dict[str, str]
) -> None:
    """Wait for the name of the plant, serve it, report a failure."""
    theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the plant, which ends the rest
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(EOFError, OSError):
        plant = pipe.recv()
        if plant is None:
            return
        with attach(plant, wait=STARTS_WITHIN) as box:
            failure = _serve(box, pipe, controller, steps, led)
            pipe.send(failure or DONE)
            if failure is not None:
                # a plant must not continue without its controller
                with contextlib.suppress(MailboxError):
                    box.stop()


def _serve(
    box: Mailbox, pipe: Connection, controller: Controller, steps: int, led: dict[str, str]
) -> _Failure | None:
    """Answer all outputs until the plant ends; returns the failure of the controller, if any."""
    try:
        service = Service(box, controller, steps, led)
        service.answer(box.read())
        pipe.send(READY)
        while True:
            outputs = box.wait(1.0)
            if outputs is not None:
                service.answer(outputs)
    except (SimulationError, MailboxError) as error:
        if isinstance(error, MailboxError) and box.gone:
            return None
        (mistake,) = error.mistakes
        trace = "".join(traceback.format_exception(error.__cause__ or error))
        return _Failure(mistake.what, mistake.where, mistake.fix, trace)


class Service:
    """A controller at a mailbox: each record is answered, the first of each sample by a call.

    Attributes:
        law: the controller.
    """

    def __init__(
        self, box: Mailbox, controller: Controller, steps: int, led: dict[str, str]
    ) -> None:
        self._box, self._steps = box, steps
        self.law = SampledController(controller, box.inputs, box.read().inputs.copy(), led)
        self._names = SampledNames(len(box.coordinates), [*box.layout.output_names, *box.inputs])
        self._last, self._next = 0, 0

    def answer(self, outputs: Outputs) -> None:
        """Write the result of the controller, or that of the last sample.

        The controller is reset when the plant was reset or set to another state.
        """
        if outputs.flags & Flag.SET or outputs.step < self._last:
            self.law.reset()
            self._next = outputs.step
        self._last = outputs.step
        # a missed sample is made up at once, later ones stay multiples of the period
        if outputs.step >= self._next:
            self._next = (outputs.step // self._steps + 1) * self._steps
            self.law.sample(Sampled(self._names, outputs.values))
        self._box.write(self.law.held)
