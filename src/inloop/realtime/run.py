"""Start a plant in real time: `il.start(plant)`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.keywords import checked_call, spelled_out
from inloop.realtime.checks import is_finite, is_text, need, need_mapping, need_state, shown
from inloop.realtime.controller_process import ControllerProcess
from inloop.realtime.elements import element_facts
from inloop.realtime.loop import Loop
from inloop.realtime.mailboxes.outputs import Snapshot, check_snapshot
from inloop.realtime.observed import Observes, following
from inloop.realtime.options import LONGEST, Options, OptionValues
from inloop.realtime.wiring import wire
from inloop.simulate.choice import method_at_start
from inloop.simulate.controlled.compiled import check_step, refuse_second
from inloop.simulate.controlled.law import Controller, check_controller
from inloop.simulate.controlled.pace import EXACT
from inloop.simulate.controlled.run import inputs_led
from inloop.simulate.rehearsal import rehearse as rehearse_run
from inloop.simulate.schedules import METHODS
from inloop.simulate.start import Given

LONGEST_RUN = 1e9  # [s]


class StartOptions(OptionValues, total=False):
    """Keywords of `start`, for type checkers."""

    name: str | None
    seconds: float | None
    q: Given
    qd: Given
    tau: Given
    inputs: Mapping[str, float] | None
    motions: Mapping[str, Callable[[Any], Any]] | None
    about: Mapping[str, str] | None
    rehearse: float
    controller: Controller | None
    period: float | None
    observer: Observes | None
    snapshot: Snapshot | None


@checked_call
@spelled_out(Options)
def start(
    plant: BarePlant,
    *,
    name: str | None = None,
    seconds: float | None = None,
    q: Given = None,
    qd: Given = None,
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    motions: Mapping[str, Callable[[Any], Any]] | None = None,
    about: Mapping[str, str] | None = None,
    rehearse: float = 3.0,
    controller: Controller | None = None,
    period: float | None = None,
    observer: Observes | None = None,
    snapshot: Snapshot | None = None,
    **options: Unpack[OptionValues],
) -> Loop:
    """Start a plant in real time, in a native thread, and return immediately.

    Use the loop in a `with` statement: then neither a thread nor shared memory is left behind, even
    on SIGTERM. Otherwise close it when done.

    Args:
        plant: the compiled mechanism, with its current parameters; change them through the mailbox
            while it runs.
        name: name under which others attach; default: the model's name.
        seconds: simulated time after which to end; None: never.
        q: initial coordinates, by name or as a vector.
        qd: initial velocities.
        tau: joint efforts until a controller writes some [N·m or N].
        inputs: other inputs by name until a controller writes some.
        motions: functions of time for driven joints, by name.
        about: facts to store in recordings, by name.
        rehearse: simulate a mechanism with loops for this long first, so that the choices of
            independent coordinates that it needs are compiled before it runs [s]. Others are solved
            at run time, with steps that take a few times as long. A mechanism with modes keeps its
            first choices.
        controller: a function of time and outputs that returns inputs by name, or an object with
            `__call__` and, if it has states, `reset()`; called in a process of its own. The plant
            starts after its first answer, and ends if it raises an exception.
        period: time between two calls of the controller [s], a multiple of the plant's period;
            default: one period.
        observer: `il.observer(...)`, which runs in C inside the loop: after each step it processes
            the record, and its estimates, "observer.<name>", are signals of the same record. It
            keeps the parameters with which it was created.
        snapshot: continue from there, e.g. from `outputs.snapshot` of an earlier run of the same
            plant; `reset` still returns to the start given by `q` and `qd`.
        options: those of `Options`.
    """
    chosen = Options(**options)
    inputs, motions, about = inputs or {}, motions or {}, about or {}
    _check(q=q, qd=qd, tau=tau)
    need_mapping("inputs", inputs, is_finite, "Give finite numbers by name.")
    need_mapping("motions", motions, callable, "Give functions of time by name.")
    need_mapping("about", about, is_text, "Give texts by name.")
    good = is_finite(rehearse) and 0.0 <= rehearse <= LONGEST
    need(good, f"rehearse = {shown(rehearse)} s", f"Use 0 to {LONGEST:g}.")
    steps = _steps_of(seconds, chosen)
    need(controller is not None or period is None, "a period without a controller", "Give both.")
    per_sample = periods_between(period, chosen)
    plants = plant.by_mode or {plant.name: plant}
    if controller is not None:
        check_controller(controller)
        refuse_second(plants)
    step = chosen.period / chosen.substeps
    check_step(plants, step, fix="Use another rate, or other substeps.")
    if chosen.method is None:
        chosen = replace(chosen, method=method_at_start(plant, q, qd, inputs, step))
    assert chosen.method is not None
    begin: dict[str, Any] = {"q": q, "qd": qd, "tau": tau, "motions": motions}
    if plant.formulation.partition.dependent and not plant.by_mode and rehearse > 0.0:
        rehearse = rehearse if seconds is None else min(rehearse, seconds)
        t_end, own = max(rehearse, step), {n: x for n, x in inputs.items() if n in plant.inputs}
        rehearse_run(plant, t_end=t_end, step=step, method=chosen.method, inputs=own, **begin)
    method = METHODS[chosen.method]
    wiring = wire(plant, period=chosen.period, step=step, method=method, inputs=inputs, **begin)
    facts = {**_facts(plant, chosen), "rehearse": repr(rehearse), **about}
    facts |= _facts_of_elements(plant, motions, wiring.has_loops)
    if snapshot is not None:
        check_snapshot(snapshot, wiring.layout, name or wiring.layout.model)
        wiring = replace(wiring, first=np.append(snapshot.x, float(snapshot.step)))
    layout, follower = replace(wiring.layout, about=tuple(facts.items())), None
    if observer is not None:
        layout, follower = following(observer, layout, inside=True)
    wiring, name = replace(wiring, layout=layout, follower=follower), name or layout.model
    if controller is None:
        return Loop(plant, wiring, chosen, name, steps)
    # forked before there are threads or locked memory
    led = inputs_led(plants, motions)
    process = ControllerProcess(controller, steps=per_sample, led=led)
    try:
        loop = Loop(plant, wiring, replace(chosen, paused=True), name, steps)
    except BaseException:
        process.end()
        raise
    loop.begin_with(process, paused=chosen.paused)
    return loop


def _steps_of(seconds: float | None, options: Options) -> int:
    """Number of periods of a run; 0 where it has no end."""
    if seconds is None:
        return 0
    good = is_finite(seconds) and 0.0 < seconds <= LONGEST_RUN
    need(good, f"a run of {shown(seconds)} s", f"Use a number up to {LONGEST_RUN:g}, or None.")
    return max(1, round(seconds * options.rate))


def periods_between(period: float | None, options: Options) -> int:
    """Number of plant periods between two calls of its controller.

    Args:
        period: time between the calls [s]; None: one period of the plant.
        options: how the plant runs.

    Raises:
        InputError: it is not a multiple of the plant's period.
    """
    if period is None:
        return 1
    need(is_finite(period) and period > 0.0, f"period = {shown(period)}", "Use a number > 0.")
    count = round(period * options.rate)
    if count < 1 or abs(count - period * options.rate) > EXACT * count:
        raise InputError(
            f"period = {period:g} s of a controller is not a whole number of periods of the "
            f"plant, which are {options.period:g} s",
            fix=f"Use period={max(1, count) * options.period:g}, or another rate.",
        )
    return count


def _check(**states: Given) -> None:
    for name, value in states.items():
        need_state(name, value)


def digest_of(plant: BarePlant) -> str:
    """Hash of all numbers and laws of a model; for one with modes, over all of them."""
    if not plant.by_mode:
        return plant.digest
    text = " ".join(each.digest for each in plant.by_mode.values())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _facts(plant: BarePlant, options: Options) -> dict[str, str]:
    """Facts needed, besides inputs and parameters, to reproduce the steps."""
    return {
        "digest": digest_of(plant),
        "rate": repr(options.rate),
        "method": options.method or "",
        "substeps": str(options.substeps),
        "extrapolate": str(options.extrapolate),
        "mode": options.mode,
        **plant.formulation.facts,
    }


def _facts_of_elements(plant: BarePlant, motions: Collection[str], closed: bool) -> dict[str, str]:
    """Facts about what the model has, for whoever reads a recording.

    Args:
        plant: the compiled mechanism.
        motions: driven joints that were given functions of time.
        closed: there are loops.
    """
    facts = {"motions": ", ".join(motions)} if motions else {}
    if closed:
        facts["loops"] = "closed"
    if plant.equations.kept:
        facts["formulas"] = plant.equations.kept.in_words
    if plant.by_mode:
        facts["modes"] = " ".join(plant.by_mode)
    return facts | element_facts(plant.by_mode or {plant.name: plant})
