"""A controller in Python beside a plant against the clock, in a process of its own.

The process is forked, before the plant starts: functions of a script, of a notebook cell and
closures are taken over as they are, and whatever a controller does, it cannot delay the loop. What
does not survive a fork does not work in it: threads that were started before, and libraries that
hold a device, such as those for GPUs.
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

LOOK_EVERY = 0.05  # [s] while somebody waits for the first answer
ENDS_WITHIN = 1.0  # [s] after the plant, and again after SIGTERM
STARTS_WITHIN = 60.0  # [s] for a plant that has said it runs
READY, DONE = "ready", "done"


class _Failure(NamedTuple):
    """What went wrong in a controller: an error as it can be sent."""

    what: str
    where: str
    fix: str
    trace: str


class ControllerProcess:
    """A controller that waits for a plant, answers its outputs, and ends with it.

    Attributes:
        name: of the function or class.
        failure: what went wrong in it, if something has.
    """

    def __init__(
        self, controller: Controller, *, steps: int = 1, led: Mapping[str, str] | None = None
    ) -> None:
        """Fork; it waits until `attend`.

        Args:
            controller: a function of time and outputs that returns inputs by name, or an object
                with `__call__` and, if it has states, `reset()`.
            steps: periods of the plant between two calls; between them its answer is held.
            led: inputs that follow something else, and by what.
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
            # of forks beside threads: nothing that belongs to another thread is used in there
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        its.close()

    def attend(self, plant: str) -> None:
        """Let it attach to a plant, and wait until its first answer is there.

        Args:
            plant: name of the running plant.

        Raises:
            SimulationError: the controller has failed in its first call.
            MailboxError: the plant has ended meanwhile.
        """
        with contextlib.suppress(OSError):  # it may have died: the next look tells
            self._pipe.send(plant)
        while not self._ready:
            self.check()
            if self._done:
                raise MailboxError(f"plant '{plant}' has ended", fix="Start it again.")
            self._listen(LOOK_EVERY)

    def check(self) -> None:
        """See whether it is still at work.

        Raises:
            SimulationError: it has failed; told once.
        """
        self._listen(0.0)
        if self.failure is not None and not self._told:
            self._told = True
            raise self.failure

    def tell(self, report: Report) -> None:
        """Raise what went wrong in it, with the report on the run, unless somebody was told."""
        if self.failure is not None:
            self.failure.report = report  # type: ignore[attr-defined]
            if not self._told:
                self._told = True
                raise self.failure

    def end(self) -> None:
        """End it, if it has not ended with its plant by itself."""
        with contextlib.suppress(OSError, ValueError):
            self._pipe.send(None)
        self._process.join(ENDS_WITHIN)
        for insist in (self._process.terminate, self._process.kill):
            if self._process.is_alive():
                insist()
                self._process.join(ENDS_WITHIN)
        # what it said last; that it was made to end is no failure
        while self._read(0.0):
            pass
        self._pipe.close()

    def _listen(self, seconds: float) -> None:
        """Take notice of what it says, or of its end."""
        over = self.failure is not None or self._done
        # who has ended may have said something before
        if not over and not (self._read(seconds) or self._process.is_alive() or self._read(0.0)):
            self._process.join()
            code = self._process.exitcode or 0
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            self.failure = SimulationError(
                f"the process of controller '{self.name}' {how}",
                fix="See what it has printed; it must not end by itself.",
            )

    def _read(self, seconds: float) -> bool:
        """One message, if there is one; False if there is none."""
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
    """Wait for the name of the plant, serve it, tell what went wrong."""
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
                # a plant without its controller must not go on
                with contextlib.suppress(MailboxError):
                    box.stop()


def _serve(
    box: Mailbox, pipe: Connection, controller: Controller, steps: int, led: dict[str, str]
) -> _Failure | None:
    """Answer all outputs until the plant ends; what went wrong in the controller, if it did."""
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
        """Write what the controller returns, or what it has returned at the last sample.

        A plant that was brought back to its start, or to another state, finds a controller that
        begins anew.
        """
        if outputs.flags & Flag.SET or outputs.step < self._last:
            self.law.reset()
            self._next = outputs.step
        self._last = outputs.step
        # a sample that was missed is made up at once, later ones stay multiples of the period
        if outputs.step >= self._next:
            self._next = (outputs.step // self._steps + 1) * self._steps
            self.law.sample(Sampled(self._names, outputs.values))
        self._box.write(self.law.held)
