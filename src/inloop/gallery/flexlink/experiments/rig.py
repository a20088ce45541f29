"""The flexible link on its test bench: a controller, faults between both, and the records.

The plant always runs in the native loop behind its mailbox. The controller is a separate program
that uses only the mailbox, in real time or in lock-step; or, where many runs are compared, it
answers the mailbox in this process, in lock-step, with faults in between.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import inloop as il
from inloop.gallery.flexlink.controllers.card import Card
from inloop.gallery.flexlink.controllers.program import Controller, Terminal
from inloop.gallery.flexlink.controllers.signals import COMMAND, ENCODER, STRAIN, Reference

RATE = 1000.0  # [Hz]
STABLE = 2.2  # step times fastest pole, well within the stability limit of RK4
READY_WITHIN = 60.0  # [s]
FALLEN = np.pi / 3  # distance from the start beyond which the link has fallen [rad]

Reals = npt.NDArray[np.float64]
_numbers = itertools.count()


@dataclass(frozen=True)
class Trace:
    """A run.

    Attributes:
        t: [s].
        angle: true angle of the hub [rad].
        encoder, strain: measured values [rad], [V].
        command: command of the motor [V].
        torque: of the motor [N·m].
        report: deadlines and overruns of the loop.
    """

    t: Reals
    angle: Reals
    encoder: Reals
    strain: Reals
    command: Reals
    torque: Reals
    report: il.realtime.Report

    @property
    def fell(self) -> bool:
        """Whether the link has fallen over."""
        return bool(np.max(np.abs(self.angle - self.angle[0])) > FALLEN)

    @property
    def standing(self) -> Trace:
        """The part before it fell over."""
        fallen = np.abs(self.angle - self.angle[0]) > FALLEN
        end = int(np.argmax(fallen)) if np.any(fallen) else len(fallen)
        return replace(
            self,
            **{name: getattr(self, name)[:end] for name in vars(self) if name != "report"},
        )

    def figures(self, reference: Reference) -> il.control.StepFigures:
        """Overshoot, rise and settling within 5 % of its first step."""
        seen = self.t < reference.at + reference.turn
        return il.control.step_figures(
            self.t[seen], self.angle[seen], start=reference.first, goal=reference.second,
            at=reference.at, band=0.05,
        )  # fmt: skip


def in_lock_step(
    plant: il.Plant,
    controller: Controller,
    reference: Reference,
    seconds: float,
    faults: Sequence[str] = (),
    seed: int = 1,
) -> Trace:
    """Let a controller of this process answer every output.

    Args:
        plant: the link.
        controller: in its initial state.
        reference: its reference.
        seconds: simulated time.
        faults: between plant and controller, written as for `inloop run --fault`.
        seed: of the sensor noise.
    """
    with _started(plant, reference.first, seconds, mode="lock-step") as loop:
        terminal = Terminal(controller, reference, Card(plant.parameters, seed))
        with contextlib.suppress(il.MailboxError):
            _answer(loop.mailbox, terminal, [il.realtime.read_fault(text) for text in faults])
        return _trace(loop)


def with_program(
    plant: il.Plant,
    module: str,
    words: Sequence[str],
    reference: Reference,
    seconds: float,
    mode: str = "clock",
    clock: il.ScriptedClock | None = None,
) -> Trace:
    """Let a program control the plant through its mailbox.

    Args:
        plant: the link.
        module: of the controller, in `inloop.gallery.flexlink.controllers`.
        words: its options.
        reference: its reference.
        seconds: simulated time.
        mode: "clock" or "lock-step".
        clock: used instead of the system's; each period then waits for the program.
    """
    options: dict[str, Any] = {"mode": mode, "paused": True, "clock": clock}
    with _started(plant, reference.first, seconds, **options) as loop:
        command = [
            sys.executable, "-m", f"inloop.gallery.flexlink.controllers.{module}", *words,
            *reference.words, loop.name,
        ]  # fmt: skip
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            _await_first_command(loop, process)
            loop.mailbox.resume()
            if clock is not None:
                _advance_with(loop)
            loop.wait()
            return _trace(loop)
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _started(
    plant: il.Plant, angle: float, seconds: float, **options: Any
) -> Iterator[il.realtime.Loop]:
    name = f"{plant.name}-{os.getpid()}-{next(_numbers)}"
    rest = plant.equilibrium(q=plant.vector(hub=angle), fixed=["hub"])
    # axial modes of the rod reach 7.5 kHz, more if it is short or stiff
    fastest = float(np.max(np.abs(plant.linearize(q=rest.q).eigenvalues)))
    substeps = math.ceil(fastest / (STABLE * RATE))
    common: dict[str, Any] = {"rate": RATE, "substeps": substeps, "telemetry": seconds + 1.0}
    if options["mode"] == "lock-step":
        common["stale_after"] = None
    with il.start(plant, name=name, seconds=seconds, q=rest.q, **common, **options) as loop:
        yield loop


def _await_first_command(loop: il.realtime.Loop, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_WITHIN
    while loop.mailbox.writer is None:
        if process.poll() is not None or time.monotonic() > end:
            raise il.SimulationError(
                "the controller of the flexible link gave no command", fix="Check its output."
            )
        time.sleep(0.01)


def _advance_with(loop: il.realtime.Loop) -> None:
    """Advance a scripted clock period by period, each after the controller has answered."""
    while loop.running:
        if not loop.mailbox.answered(READY_WITHIN):
            raise il.SimulationError(
                "the controller of the flexible link gave no answer", fix="Check its output."
            )
        loop.clock.advance(loop.options.period / loop.options.speed)


def _trace(loop: il.realtime.Loop) -> Trace:
    """All records of a run that has ended."""
    box = loop.mailbox
    box.rewind()
    names = ("hub.q", ENCODER, STRAIN, COMMAND, "motor.torque")
    rows = np.array([(out.t, *(out[name] for name in names)) for out in iter(box.next, None)])
    t, angle, encoder, strain, command, torque = rows.T
    return Trace(t, angle, encoder, strain, command, torque, loop.close())


def _answer(
    box: il.realtime.Mailbox, terminal: Terminal, faults: Sequence[il.realtime.Fault]
) -> None:
    """Answer every output, through faults of sensors and actuators, until the plant has ended."""
    names, inputs = box.layout.output_names, np.zeros(len(box.inputs))
    sensors, actuators = il.realtime.split_faults(faults, box.layout)
    sensed = il.realtime.Corruption(sensors, names, 1)
    acted = il.realtime.Corruption(actuators, box.inputs, 2)
    encoder, strain, place = names.index(ENCODER), names.index(STRAIN), box.inputs.index(COMMAND)
    outputs = box.read()
    while True:
        t = outputs.t
        seen = sensed.apply(t, outputs.values[: len(names)])
        if seen is not None:
            inputs[place] = terminal.command(t, seen[encoder], seen[strain])
        acting = acted.apply(t, inputs.copy())
        box.write(inputs if acting is None else acting)
        following = box.wait(1.0)
        outputs = outputs if following is None else following


def figures_of(trace: Trace, reference: Reference) -> Mapping[str, float]:
    """The figures of a run by name."""
    step = trace.figures(reference)
    return {
        "overshoot [%]": 100.0 * step.overshoot,
        "rise 10-90 % [s]": step.rise,
        "settling within 5 % [s]": step.settling,
        "peak torque [N m]": float(np.max(np.abs(trace.torque))),
        "peak strain [V]": float(np.max(np.abs(trace.strain))),
        "error at the end [deg]": float(np.degrees(step.error)),
    }
