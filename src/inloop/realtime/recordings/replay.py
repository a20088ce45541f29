"""Replay the steps of a recording in the same native loop, and compare every bit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from inloop.errors import FileFormatError, InputError, SimulationError
from inloop.native import Status
from inloop.native.library import Reals
from inloop.plant import BarePlant
from inloop.realtime.loop import Loop
from inloop.realtime.mailboxes.layout import Layout, names
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.outputs import Outputs
from inloop.realtime.observed import Observes, signals_of_plant
from inloop.realtime.recordings.recording import Recording, Sample
from inloop.realtime.run import digest_of, start
from inloop.simulate.controlled.compiled import inputs_led_by_plant

FORMULATION = ("formulation", "damping", "solves")  # facts of a plant
STEP_TAKES = 10.0  # [s] maximum
MOST_REHEARSED = 1e8  # steps before a replay
# why a successful step was late or its inputs old does not concern the plant
GOOD = {Status.OK, Status.OVERRUN, Status.INPUT_STALE, Status.CONTACT_INEXACT}


@dataclass(frozen=True)
class Difference:
    """The first number that differs.

    Attributes:
        sequence: of the record.
        t: simulated time [s].
        name: of the output.
        recorded, replayed: the two values.
    """

    sequence: int
    t: float
    name: str
    recorded: float
    replayed: float


@dataclass(frozen=True)
class Replay:
    """Result of a replay.

    Attributes:
        samples: number of records in the file.
        steps: number of steps replayed and compared.
        gaps: number of gaps in the records; the replay continued with the state after them.
        different: number of steps with at least one differing bit.
        first: the first difference.
        complete: whether the recording is complete.
        observed: number of steps at which estimates of the observer were compared, too.
    """

    samples: int
    steps: int
    gaps: int
    different: int
    first: Difference | None
    complete: bool
    observed: int = 0

    @property
    def identical(self) -> bool:
        """Whether every step gave the same bits."""
        return self.different == 0 and self.steps > 0


def replay(recording: Recording, plant: BarePlant, *, observer: Observes | None = None) -> Replay:
    """Feed the recorded inputs and parameters to the same plant.

    Args:
        recording: of a run.
        plant: the same mechanism.
        observer: the observer of the loop; without it estimates are not compared. They are compared
            from each record that was set, such as the start, to the next gap.

    Raises:
        InputError: the plant is a different one, or the recording cannot be replayed.
    """
    facts = recording.facts
    _check(facts, plant)
    first = next(iter(recording), None)
    if first is None:
        raise InputError(f"{recording.path.name} holds no samples", fix="Record for longer.")
    _check_names(recording, plant)
    given = dict(zip(names(recording.layout.inputs), first.inputs.tolist(), strict=True))
    # inputs written by the plant's controller follow from the rest
    for name in inputs_led_by_plant(plant.by_mode or {plant.name: plant}):
        given.pop(name, None)
    joints = [name for name in plant.coordinates if f"{name}.tau" in given]
    efforts = {name: given.pop(f"{name}.tau") for name in joints}
    q, qd = _beginning(first, plant)
    pace = _Pace.of(facts)
    failures = ("DIVERGED", "LOOP_OPEN", "CHATTERING", "CONTROLLER_FAILED")
    policies = dict.fromkeys(failures, "hold")
    with start(
        plant,
        name=f"replay-{os.getpid()}-{id(recording):x}",
        mode="lock-step",
        rate=pace.rate,
        method=facts["method"],
        substeps=pace.substeps,
        q=q,
        qd=qd,
        tau=efforts,
        inputs=given,
        policies=policies,
        telemetry=0.1,
        rehearse=pace.rehearse,
        observer=observer,
    ) as loop:
        told = observer is not None
        if _shape(loop.mailbox.layout, told) != _shape(recording.layout, told):
            raise _other_quantities(recording)
        return _Replayer(loop, recording).run()


@dataclass(frozen=True)
class _Pace:
    """Settings of the steps.

    Attributes:
        rate: steps per second of the clock [Hz].
        substeps: integrator steps per period.
        rehearse: simulated time before the start [s].
    """

    rate: float
    substeps: int
    rehearse: float

    @classmethod
    def of(cls, facts: dict[str, str]) -> _Pace:
        """From the facts of a recording.

        Raises:
            FileFormatError: they are invalid, or would take forever.
        """
        try:
            rehearse = float(facts.get("rehearse", "0"))
            found = cls(float(facts["rate"]), int(facts["substeps"]), rehearse)
            if not 0.0 <= found.rate * found.substeps * found.rehearse <= MOST_REHEARSED:
                raise ValueError(found)
        except (ValueError, OverflowError):
            raise FileFormatError(
                "the recording does not say how its steps were made",
                fix="The recording is damaged.",
            ) from None
        return found


def _check_names(recording: Recording, plant: BarePlant) -> None:
    """The same digest means the same names, unless the file is inconsistent."""
    layout = recording.layout
    efforts = [f"{name}.tau" for name in plant.coordinates]
    if names(layout.coordinates) != list(plant.coordinates) or (
        names(layout.inputs)[: len(efforts)] != efforts
    ):
        raise _other_quantities(recording)


def _shape(layout: Layout, told: bool) -> tuple[list[list[str]], int]:
    """Names of all quantities, an observer's or not, and the length of the state."""
    kept = layout.signals if told else layout.signals[: signals_of_plant(layout)]
    groups = replace(layout, signals=kept).groups
    return [names(group) for group in groups], layout.stepper_states


def _other_quantities(recording: Recording) -> FileFormatError:
    return FileFormatError(
        f"{recording.path.name} holds other quantities than the plant it names",
        fix="The recording is damaged.",
    )


def _beginning(first: Sample, plant: BarePlant) -> tuple[Reals | None, Reals | None]:
    """Start of the run, so that a rehearsal finds the same choices of coordinates."""
    if plant.by_mode:
        return None, None  # no rehearsal, and the first sample may be of any mode
    q, qd = np.split(first.values[1 : 1 + 2 * plant.n].copy(), 2)
    turning = 1 + 2 * plant.n + len(plant.mechanism.states)
    return np.concatenate([q, first.values[turning : turning + plant.nq - plant.n]]), qd


def _check(facts: dict[str, str], plant: BarePlant) -> None:
    missing = [n for n in ("digest", "rate", "method", "substeps") if n not in facts]
    if missing:
        raise InputError(
            f"the recording lacks {', '.join(missing)}", fix="Record with inloop record."
        )
    digest = digest_of(plant)
    if facts["digest"] != digest:
        raise InputError(
            f"the recording is of model {facts['digest']}, this one is {digest}",
            fix="Give the mechanism with the options that it was recorded with.",
        )
    _check_formulation(facts, plant.formulation.facts)
    if "motions" in facts:
        raise InputError(
            f"functions of time moved joints {facts['motions']}, which a recording does not hold",
            fix="Give the motion to m.drive, or drive the joints by inputs.",
        )
    if facts.get("extrapolate") == "True":
        raise InputError(
            "the run extrapolated its inputs, which a recording holds only at full steps",
            fix="Record a run without extrapolate=True.",
        )


def _check_formulation(then: Mapping[str, str], now: Mapping[str, str]) -> None:
    """The same model in another formulation makes other steps."""
    if "formulation" not in then:  # older recordings do not say
        return
    for name in dict.fromkeys([*FORMULATION, *now]):
        if then.get(name) != now.get(name):
            found = {"recorded": then.get(name, "not given"), "here": now.get(name, "not given")}
            raise InputError(
                f"{name} of the plant was {found['recorded'][:40]}, here it is {found['here']}",
                fix="Compile it as it was recorded: formulation=, damping=, solves=.",
            )


class _Replayer:
    """Steps a plant and compares."""

    def __init__(self, loop: Loop, recording: Recording) -> None:
        self._loop, self._recording = loop, recording
        self._box: Mailbox = loop.mailbox
        layout = recording.layout
        self._own = layout.cuts[3] + signals_of_plant(layout)
        self._all = loop.mailbox.layout.cuts[4]
        # an observer that ran before the first record has a different state
        self._observes = False
        self._names = recording.layout.output_names
        self._before: int | None = None
        self.steps = self.gaps = self.different = self.observed = 0
        self.first: Difference | None = None

    def run(self) -> Replay:
        samples = 0
        self._box.read()
        for sample in self._recording:
            samples += 1
            self._follow(sample)
        complete = self._recording.complete
        counts = (samples, self.steps, self.gaps, self.different)
        return Replay(*counts, self.first, complete, self.observed)

    def _follow(self, sample: Sample) -> None:
        """Advance the plant to the next record of the file."""
        sequence = sample.counts["sequence"]
        gap = self._before is not None and sequence != self._before + 1
        begins = self._before is None or gap
        self._before = sequence
        self.gaps += gap
        self._set_parameters(sample.parameters)
        if begins or sample.was_set:
            if sample.state is None:
                raise InputError(
                    f"record {sequence} has no state to go on from", fix="The file is damaged."
                )
            # lock-step: commands to a waiting plant are executed at once
            self._box.restore(sample.state)
            self._await()
            self._observes = bool(sample.was_set) and self._all > self._own
            return
        if sample.hand is not None:
            self._box.hand.write(sample.hand.grips)
        elif self._box.hand.holds:
            self._box.hand.let_go()
        self._box.write(sample.inputs)
        self._compare(sample, self._await())

    def _await(self) -> Outputs:
        found = self._box.wait(STEP_TAKES)
        if found is None:
            raise SimulationError(f"a step took longer than {STEP_TAKES:g} s")
        return found

    def _set_parameters(self, values: Reals | None) -> None:
        if values is None or not len(values):
            return
        changed = dict(zip(names(self._recording.layout.parameters), values.tolist(), strict=True))
        # the plant rejected them then, and rejects them now
        with contextlib.suppress(InputError):
            self._box.parameters.set(changed)

    def _compare(self, sample: Sample, found: Outputs) -> None:
        self.steps += 1
        self.observed += self._observes
        size = self._all if self._observes else self._own
        values, recorded = found.values[:size], sample.values[:size]
        # compare bits, so that -0.0 differs from 0.0
        other = np.flatnonzero(values.view(np.int64) != recorded.view(np.int64))
        same_status = sample.counts["status"] == found.status or (
            sample.counts["status"] in GOOD and found.status in GOOD
        )
        if not len(other) and same_status and sample.counts["step"] == found.step:
            return
        self.different += 1
        if self.first is None:
            k = int(other[0]) if len(other) else -1
            name = self._names[k] if k >= 0 else "status"
            pair = (
                (float(sample.values[k]), float(values[k]))
                if k >= 0
                else (float(sample.counts["status"]), float(found.status))
            )
            sequence, t = sample.counts["sequence"], float(sample.values[0])
            self.first = Difference(sequence, t, name, *pair)
