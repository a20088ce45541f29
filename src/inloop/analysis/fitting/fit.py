"""Fit live parameters, delays and initial states to recordings of a plant; test the residuals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from inloop.analysis.fitting.fitted import Comparison, Fitted
from inloop.analysis.fitting.notes import (
    at_bounds,
    fit_notes,
    missing_inputs,
    repeated,
    stray_columns,
    unidentified_in,
)
from inloop.analysis.fitting.recordings import (
    Measured,
    Recording,
    check_starts,
    chosen_outputs,
    listed,
    plants_of,
    read_recordings,
)
from inloop.analysis.fitting.residual_tests import ResidualTest, judge_residuals
from inloop.analysis.fitting.segments import LEAST, cut
from inloop.analysis.fitting.shooting import Shooting, Steps
from inloop.analysis.fitting.solving import GUESSED, Solution, solve
from inloop.analysis.fitting.unknowns import Unknowns, by_channel, choose_unknowns
from inloop.analysis.recorded_inputs import Held
from inloop.errors import InputError, SimulationError
from inloop.plant import BarePlant
from inloop.plant.arguments import name_list, real, whole
from inloop.plant.keywords import checked_call
from inloop.plant.quantities.inputs_outputs import output_units
from inloop.simulate.progress import searching

HORIZONS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)  # fractions of a recording, in stages
MOST_UNKNOWNS = 2  # minimum samples per unknown in such a stage
APPROACHING = 15  # maximum evaluations in such a stage
FAR = 10.0  # change of an unknown, in its size, that noise alone must not cause
AT_HOME = 1e-6  # tolerance of an initial position, in natural sizes
COARSE = 1e-5  # change of an unknown, in its size, below which step errors are not reported
# behavior of column inputs between samples
BETWEEN: dict[str, Held] = {"held": "from", "before": "until", "smooth": "smooth"}
OTHERWISE = {
    "smooth": "if they are smooth",
    "before": "if each row contains the inputs that led to it",
}
STEP = 1e-3  # default maximum step of the integrator [s]

Given = Recording | Sequence[Recording]


@checked_call
def fit(
    plant: BarePlant,
    recordings: Given,
    fit: str | Sequence[str],
    *,
    outputs: str | Sequence[str] | None = None,
    noise: Mapping[str, float] | None = None,
    delay: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    start: Literal["fit", "recorded"] = "fit",
    inputs: Literal["held", "before", "smooth"] = "held",
    segments: float | None = None,
    check: Given | None = None,
    step: float | None = None,
    method: str | None = None,
    most: int = 50,
    refuse: bool = True,
) -> Fitted:
    """Fit parameters of a plant to recorded motions.

    The plant is simulated with the recorded inputs, and its outputs are compared with the
    measurements. The search starts from the current parameters of the plant, which are not changed.
    Errors are treated as white noise of the outputs; inputs are treated as exact.

    Args:
        plant: the compiled mechanism.
        recordings: one or several: `il.read(...)`, results of simulations, or columns by name,
            including "t" [s].
        fit: names of live parameters, or patterns such as "friction.*"; "<output>.delay" fits
            the delay of an output.
        outputs: names of the plant's outputs to compare; default: its sensors, or positions of
            independent coordinates if there are none.
        noise: standard deviations of outputs, by name; otherwise estimated from the residuals.
        delay: delays of outputs, by name [s]: known, or the initial value if fitted; default: 0.
        bounds: (low, high) of unknowns, by name, within the ranges that the model declares.
        start: "fit": initial positions and velocities are fitted as well; "recorded": they are
            those of the first sample.
        inputs: for columns, the inputs between samples: "held": each value until the next sample;
            "before": the value of the next sample, if rows contain the inputs that led to them;
            "smooth": a curve through the samples. Other recordings contain this information.
        segments: length of segments for multiple shooting [s], for unstable and chaotic motion.
        check: recordings for validation: predicted with the fitted values, not used for the fit.
        step: maximum step of the integrator [s]; default: 1 ms. It is shortened to an integer
            fraction of the recordings' period.
        method: integrator with fixed steps; default: as in real time.
        most: maximum number of evaluations in each stage of the search.
        refuse: raise an error if most of the residuals are not noise.

    Raises:
        InputError: an argument is invalid.
        SimulationError: the plant cannot be run along the recordings.
        ResidualError: the model does not explain the recordings, whatever its parameters.
    """
    given = listed(recordings)
    chosen = chosen_outputs(plant, given[0], outputs)
    known, late = by_channel(noise, "noise", chosen), by_channel(delay, "delay", chosen)
    if start not in ("fit", "recorded"):
        raise InputError(f"start is {start!r}", fix='Write "fit" or "recorded".')
    if inputs not in BETWEEN:
        raise InputError(f"inputs is {inputs!r}", fix='Write "held", "before" or "smooth".')
    most = whole(most, "most")
    if most < 1:
        raise InputError(f"{most} evaluations make no sense", fix="Give 1 or more (most=).")
    if start == "recorded":
        check_starts(plant, given)
    runs, steps = _read(plant, given, chosen, step, method, BETWEEN[inputs])
    unknowns = choose_unknowns(plant, name_list(fit, "fit"), chosen, runs[0].period, late, bounds)
    options = (chosen, late, steps, start, segments)
    shooting = _shooting(plant, runs, unknowns, *options)
    with searching("fitting") as line:
        if segments is None:
            _approach(shooting, known, options, line.say)
        solution = solve(shooting, known, chosen, most, line.say)
        if _carried_away(unknowns, solution):
            solution = solve(shooting, known, chosen, most, line.say, held=GUESSED)
    tests, curves = _judged(shooting, solution, chosen, known, kept_back=False)
    notes = (*fit_notes(unknowns, solution, tests), *_coarse(shooting, solution))
    notes += stray_columns(plant, given)
    causes = at_bounds(unknowns, solution)
    if any(each.refused for each in tests):
        causes += missing_inputs(plant, given)
    for other in OTHERWISE if inputs == "held" else ():
        again, _ = _read(plant, given, chosen, step, method, BETWEEN[other])
        causes += _held(shooting, solution, again, other)
    validation: tuple[ResidualTest, ...] = ()
    if check is not None:
        others, _ = _read(plant, listed(check), chosen, step, method, BETWEEN[inputs])
        others = tuple(replace(each, name=f"check {k}") for k, each in enumerate(others, start=1))
        notes += repeated(runs, others)
        validation, more = _predicted(shooting, solution, others, segments, start, known)
        curves += more
    units = output_units(plants_of(plant))
    fitted = Fitted(
        plant.name, unknowns.labels, unknowns.units, unknowns.first, solution.values,
        solution.covariance, unidentified_in(unknowns.labels, solution.information), chosen,
        solution.noise, tests, validation, curves, (*causes, *notes), solution.evaluations,
        solution.derivatives, tuple(units.get(name, "") for name in chosen), causes,
    )  # fmt: skip
    if refuse:
        fitted.check()
    return fitted


def _read(
    plant: BarePlant,
    given: Sequence[Recording],
    outputs: Sequence[str],
    step: float | None,
    method: str | None,
    between: Held,
) -> tuple[tuple[Measured, ...], Steps]:
    longest = STEP if step is None else real(step, "step")
    if not longest > 0.0:
        raise InputError(f"steps of {step} s make no sense", fix="Use a positive number.")
    first = read_recordings(plant, given, outputs, 1, between)
    period = first[0].period
    for each in first:
        if not np.isclose(each.period, period, rtol=1e-3):
            raise InputError(
                f"{each.name} has a period of {each.period:g} s, {first[0].name} of {period:g} s",
                fix="Resample one of them, or fit them one by one.",
            )
    count = max(1, int(np.ceil(period / longest - 1e-6)))
    return read_recordings(plant, given, outputs, count, between), Steps(count, method)


def _shooting(
    plant: BarePlant,
    runs: tuple[Measured, ...],
    unknowns: Unknowns,
    outputs: tuple[str, ...],
    late: dict[str, float],
    steps: Steps,
    start: str,
    segments: float | None,
) -> Shooting:
    seconds = None if segments is None else real(segments, "segments")
    _check_turning(plant, seconds)
    _check_led(plant, runs, seconds)
    if seconds is not None and plant.by_mode:
        raise InputError(
            f"model '{plant.name}' has modes: its recordings cannot be cut into segments",
            fix="Leave segments out.",
        )
    period = runs[0].period
    if seconds is not None and not seconds > LEAST * period:
        raise InputError(
            f"segments of {segments} s make no sense",
            fix=f"Use more than {LEAST} periods of the recording, {LEAST * period:g} s.",
        )
    longest = [*late.values(), *unknowns.upper[len(unknowns.names) :]]
    early = int(np.ceil(max(longest, default=0.0) / period - 1e-9))
    for each in runs:
        if len(each) - early < len(unknowns) + 4:
            behind = f" behind a delay of {max(longest):g} s" if early else ""
            few = f"{len(each)} samples, too few for {len(unknowns)} unknowns"
            raise InputError(
                f"{each.name} has {few}{behind}",
                fix="Record for longer.",
            )
    parts = cut(runs, seconds, early)
    return Shooting(plant, runs, parts, unknowns, outputs, late, steps, start == "fit")


def _check_turning(plant: BarePlant, seconds: float | None) -> None:
    """Check that the initial attitudes of ball joints are free.

    Raises:
        InputError: loops, drives or modes may determine them, or segments would have to join them.
    """
    if plant.nq == plant.n:
        return
    if plant.by_mode or not plant.formulation.unconstrained:
        raise InputError(
            f"model '{plant.name}' has ball joints beside loops, drives or modes: their initial "
            "state cannot be fitted",
            fix="Declare the joint as three revolute joints.",
        )
    if seconds is not None:
        raise InputError(
            f"model '{plant.name}' has ball joints: its recordings cannot be cut into segments",
            fix="Leave segments out.",
        )


def _check_led(plant: BarePlant, runs: Sequence[Measured], seconds: float | None) -> None:
    """Check that positions left free by nonholonomic constraints start at those of the plant.

    Raises:
        InputError: a run would start elsewhere.
    """
    led, home = list(plant.formulation.led_positions), plant.formulation.home()
    for k in led:
        begins = np.array([run.q[0, k] for run in runs])
        away = np.abs(begins - home[k]) > AT_HOME * plant.coordinate_sizes[k]
        if seconds is not None or np.any(away):
            raise InputError(
                f"velocity constraints of model '{plant.name}' govern '{plant.coordinates[k]}', "
                "whose initial position is not fitted",
                fix="Leave out segments=, and give recordings that begin where the model starts.",
            )


def _approach(
    shooting: Shooting, known: Mapping[str, float], options: Any, tell: Callable[[str], None]
) -> None:
    """Move the initial values near the solution by fitting parts of growing length.

    Over a short time, a slightly wrong motion can neither get out of phase nor diverge. But a short
    part may determine little: the guesses of unknowns and of initial states count there as known
    within their sizes, so that noise cannot carry the search to where longer parts do not lead
    back.
    """
    unknowns = shooting.unknowns
    for part in HORIZONS:
        short = tuple(run.until(round(part * len(run))) for run in shooting.recordings)
        if min(map(len, short)) < MOST_UNKNOWNS * (len(unknowns) + shooting.nodes.shape[1]):
            continue
        stage = _shooting(shooting.plant, short, unknowns, *options)
        stage.nodes[:], stage.first = shooting.nodes, shooting.first
        try:
            solution = solve(stage, known, stage.outputs, APPROACHING, tell, held=GUESSED)
        except SimulationError:
            continue  # the next stage, or the search itself, reports why
        shooting.nodes[:], shooting.first = solution.nodes, solution.values


def _carried_away(unknowns: Unknowns, solution: Solution) -> bool:
    """Whether noise has carried an unknown that is not identified far from its guess."""
    lost = unidentified_in(unknowns.labels, solution.information)
    far = np.abs(solution.values - unknowns.first) > FAR * unknowns.scale
    return any(name in lost for name in np.array(unknowns.labels)[far])


def _coarse(shooting: Shooting, solution: Solution) -> tuple[str, ...]:
    """A note if steps half as long would lead to different values."""
    steps = Steps(2 * shooting.steps.per_period, shooting.method)
    moved = _moved(shooting, solution, shooting.recordings, steps)
    if not moved:
        return ()
    size = f"{1e3 * shooting.step_size:g} ms"
    return (f"steps of {size} are long: with half of them {moved} (step=)",)


def _held(
    shooting: Shooting, solution: Solution, otherwise: tuple[Measured, ...], how: str
) -> tuple[str, ...]:
    """A note if inputs held in a different way would lead to different values."""
    pairs = zip(otherwise, shooting.recordings, strict=True)
    if all(a.acting.shape == b.acting.shape and np.allclose(a.acting, b.acting) for a, b in pairs):
        return ()
    moved = _moved(shooting, solution, otherwise, shooting.steps)
    if not moved:
        return ()
    held = "inputs count as held from each sample on"
    return (f'{held}: {OTHERWISE[how]} {moved} (inputs="{how}")',)


def _moved(
    shooting: Shooting, solution: Solution, recordings: Sequence[Measured], steps: Steps
) -> str:
    """Text on the unknown that other runs would move by more than its deviation; "" if none."""
    unknowns = shooting.unknowns
    if not len(unknowns):
        return ""
    late = dict(zip(shooting.outputs, shooting.delay.tolist(), strict=True))
    other = Shooting(
        shooting.plant, recordings, shooting.segments, unknowns, shooting.outputs, late,
        steps, bool(shooting.free.any()),
    )  # fmt: skip
    new, used = (each.predict(solution.values, solution.nodes)[0] for each in (other, shooting))
    changes = [a - b for a, b in zip(new, used, strict=True)]
    if not all(np.all(np.isfinite(each)) for each in changes):
        return ""
    moved = np.abs(solution.led_by(changes))
    sure = np.sqrt(np.diag(solution.covariance))
    bad = (moved > sure) & (moved > COARSE * unknowns.scale)
    if not np.any(bad):
        return ""
    worst = int(np.argmax(np.where(bad, moved / sure, 0.0)))
    part = moved[worst] / sure[worst]
    return (
        f"{unknowns.labels[worst]} would move by {moved[worst]:.2g}, {part:.2g} standard deviations"
    )


def _judged(
    shooting: Shooting,
    solution: Solution,
    outputs: Sequence[str],
    known: Mapping[str, float],
    *,
    kept_back: bool,
) -> tuple[tuple[ResidualTest, ...], tuple[Comparison, ...]]:
    tests, curves = [], []
    for number, run in enumerate(shooting.recordings):
        own = [k for k, each in enumerate(shooting.segments) if each.recording == number]
        rows = np.vstack([solution.residuals[k] for k in own])
        first, stop = shooting.segments[own[0]].first, shooting.segments[own[-1]].stop
        measured = run.y[first:stop]
        curves.append(Comparison(run.name, run.t[first:stop], measured, measured - rows, kept_back))
        for c, name in enumerate(outputs):
            noise, given = float(solution.noise[c]), name in known
            tests.append(judge_residuals(rows[:, c], measured[:, c], run.name, name, noise, given))
    return tuple(tests), tuple(curves)


def _predicted(
    shooting: Shooting,
    solution: Solution,
    others: tuple[Measured, ...],
    segments: float | None,
    start: str,
    known: Mapping[str, float],
) -> tuple[tuple[ResidualTest, ...], tuple[Comparison, ...]]:
    """Predict validation recordings with the fitted values; only initial states are fitted."""
    unknowns, outputs = shooting.unknowns, tuple(shooting.outputs)
    fixed = {name: float(shooting.delay[c]) for c, name in enumerate(outputs)}
    fixed |= dict(zip(unknowns.channels, solution.values[len(unknowns.names) :], strict=True))
    nothing = np.zeros(0)
    none = Unknowns((), (), (), nothing, nothing, nothing, nothing)
    settled = dict(zip(unknowns.names, solution.values, strict=False))
    before = dict(shooting.plant.parameters)
    try:
        shooting.plant.parameters.update(settled)
        again = _shooting(
            shooting.plant, others, none, outputs, fixed, shooting.steps, start, segments
        )
        levels = dict(zip(outputs, solution.noise, strict=True))
        predicted = solve(again, levels, outputs, 20, lambda _: None, exact=False)
    finally:
        shooting.plant.parameters.update(before)
    return _judged(again, predicted, outputs, known, kept_back=True)
