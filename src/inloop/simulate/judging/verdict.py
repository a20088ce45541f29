"""Whether a run is trustworthy: its energy balance, and its step compared with its stiffness.

Both checks use the samples after a run, so they do not slow it down. The energy balance uses all
samples; for a run with contacts, all steps (contact_power.py), unless they are too many to keep. It
always detects a run that gained or lost more than a fraction of the energy exchanged, and from when
on; errors that conserve energy pass. Stiffness is checked at a few samples only: the first, the
last, and those in between where forces do most work. So it may miss what is stiff for a short time,
which the energy balance then has to detect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.native import AdaptiveSteps, FixedSteps, Method
from inloop.plant import Array, BarePlant
from inloop.plant.parameters import value_now
from inloop.plant.stepping import has_pushing_laws, has_steps
from inloop.simulate.inputs import InputsOverTime
from inloop.simulate.judging.balance import ROUNDING, Balance, balance, exchanged, largest
from inloop.simulate.judging.hard_contacts import inexact_contacts
from inloop.simulate.judging.stiffness import (
    SAFE,
    Fastest,
    find_unstable,
    motion_size,
    stiffest_law,
)
from inloop.simulate.results.samples import Samples
from inloop.simulate.schedules import samples_every_step, step_of, tolerance_of

UNSTABLE = "UNSTABLE"  # status of a run that was completed, but is not trustworthy
TOLERATED = 0.03  # error of the energy balance, relative to the energy exchanged
TOLERATED_ALONE = 2e-3  # if no force does work and the method is of high order
WRONG = 0.1  # error above which nothing of the run is trustworthy
LOST = 0.5  # the same if steps do not resolve the forces
RESOLVED = 0.3  # largest uncertainty of the work, relative to the error, for a known loss
KNOWN = 0.02  # uncertainty of the work, relative to the energy exchanged, for sparse samples
LOOKS = 4  # number of samples between the first and the last one
NEARLY_SINGULAR = 1e-3  # minimum eigenvalue of the mass matrix scaled to a unit diagonal

L_STABLE = (Method.IMPLICIT, Method.RODAS, Method.ALPHA)

Schedule = FixedSteps | AdaptiveSteps


@dataclass(frozen=True)
class Stretch:
    """A part of a run with one mechanism.

    Attributes:
        plant: the compiled mechanism.
        found: samples of this part.
        power: power of everything except inertia and potential energy [W], shape (N,).
        inputs: inputs of the run.
    """

    plant: BarePlant
    found: Samples
    power: Array
    inputs: InputsOverTime


@dataclass(frozen=True)
class Verdict:
    """The assessment of a run.

    Attributes:
        work: work done on the mechanism [J], shape (N,); NaN if samples do not resolve it.
        doubts: as text; empty if there are none.
        wrong: the run is not trustworthy.
    """

    work: Array
    doubts: tuple[str, ...] = ()
    wrong: bool = False


def judge(
    stretches: Sequence[Stretch],
    energy: Array,
    schedule: Schedule,
    events: Sequence[tuple[float, float]] = (),
    *,
    jumping: bool = False,
) -> Verdict:
    """Assess a run afterwards.

    Args:
        stretches: all samples, in order.
        energy: kinetic and potential [J], shape (N, 2).
        schedule: schedule of the run.
        events: times [s] and energy losses [J] of events, in order.
        jumping: inputs jump at samples, so that the power in between is unknown.
    """
    t = np.concatenate([part.found.t for part in stretches])
    if schedule.method == Method.EVENT_DRIVEN:
        return Verdict(np.full(len(t), np.nan), inexact_contacts(stretches))
    if schedule.method == Method.MOREAU:
        # impulses dissipate energy between two samples
        explicit = (*_explicit_laws(stretches, schedule), *_explicit_damping(stretches, schedule))
        doubts = (*inexact_contacts(stretches), *explicit)
        return Verdict(np.full(len(t), np.nan), doubts)
    balanced = balance(t, np.concatenate([part.power for part in stretches]), events)
    off, work, sudden = None, balanced.work, _sudden(stretches)
    fastest, settled = None, False
    if schedule.method not in L_STABLE:
        fastest = _fastest(stretches, schedule)
    elif not sudden:
        # such a method immediately settles smooth laws that are faster than its steps
        settled = _fastest(stretches, schedule) is not None
    if settled or jumping or not _tells(stretches, energy, balanced, schedule):
        work = np.full(len(t), np.nan)
    else:
        alone = not any(np.any(part.power) for part in stretches)
        high = schedule.method in (Method.RK4, Method.DOPRI, Method.RODAS)
        tolerated = TOLERATED_ALONE if alone and high else TOLERATED
        off = _imbalance(energy, balanced, tolerated, fastest is None)
    told = []
    if settled and schedule.method == Method.ALPHA and isinstance(schedule, FixedSteps):
        told.append(_unresolved(stretches, schedule))
    if fastest is not None and isinstance(schedule, FixedSteps):
        told.append(_unstable(fastest, schedule, sudden))
    if off is not None:
        told.append(_unbalanced(stretches, t, off, schedule))
    wrong = off is not None and off.share > (WRONG if off.resolved else LOST)
    wrong = wrong or (fastest is not None and (off is not None or bool(np.isnan(work[-1]))))
    return Verdict(work, tuple(told), wrong)


def _tells(
    stretches: Sequence[Stretch], energy: Array, balanced: Balance, schedule: Schedule
) -> bool:
    """Whether samples resolve the work: at every step, or where the power is smooth."""
    if schedule.method == Method.EULER:
        # its velocities are those at times between its positions
        return not any(np.any(part.power) for part in stretches)
    if samples_every_step(schedule):
        return True
    # contacts between two samples are not seen
    if _sudden(stretches):
        return False
    with np.errstate(all="ignore"):
        return bool(balanced.doubt[-1:].sum() <= KNOWN * exchanged(energy, balanced.work))


def _sudden(stretches: Sequence[Stretch]) -> bool:
    return any(part.plant.mechanism.touches for part in stretches)


def _fastest(stretches: Sequence[Stretch], schedule: Schedule) -> Fastest | None:
    """The fastest perturbation that fixed explicit steps cannot follow, if any."""
    if isinstance(schedule, AdaptiveSteps):
        return None
    longest: dict[BarePlant, Stretch] = {}
    for part in stretches:
        mechanism = part.plant.mechanism
        if mechanism.laws or mechanism.flexible_links:
            known = longest.setdefault(part.plant, part)
            if len(part.found.t) > len(known.found.t):
                longest[part.plant] = part
    found = []
    for part in longest.values():
        looks = _looks(part.power)
        at, size = part.found.rows(looks), motion_size(part.plant, part.found, looks)
        u = part.inputs.over(at.t)
        method = Method.RK4 if schedule.method in L_STABLE else schedule.method
        found.append(find_unstable(part.plant, at, u, size, method, schedule.step))
    return max((f for f in found if f is not None), key=lambda f: f.product, default=None)


def _explicit_laws(stretches: Sequence[Stretch], schedule: Schedule) -> tuple[str, ...]:
    """Doubts about laws too fast for hard-contact steps that treat them explicitly."""
    explicit = [
        part
        for part in stretches
        if has_pushing_laws(part.plant.mechanism)
        and not has_steps(part.plant, part.plant.formulation)
    ]
    fastest = _fastest(explicit, schedule) if explicit else None
    if fastest is None:
        return ()
    law = f"law '{fastest.law}'" if fastest.law else "a law"
    bodies = explicit[0].plant.formulation.method is not None
    who = "Redundant coordinates" if bodies else "Ball joints with loops or drives"
    return (
        f"{law} acts on '{fastest.joint}' within few steps: |λ h| = "
        f"{fastest.product:.2g} at t = {fastest.t:.6g} s. {who} treat laws explicitly: "
        "hard contacts that carry them are off by half of this. Use steps of "
        f"{fastest.step:.1g} s, or a motor (joint_force) instead of the drive.",
    )


def _explicit_damping(stretches: Sequence[Stretch], schedule: Schedule) -> tuple[str, ...]:
    """Doubts about the damping per mass of flexible links, which is explicit like inertia."""
    limit, step = SAFE[Method.MOREAU], step_of(schedule) or 0.0
    plants = {part.plant: None for part in stretches if part.plant.mechanism.hard_contacts}
    rates = {
        link.name: value_now(link.alpha, plant.mechanism, plant.parameters)
        for plant in plants
        for link in plant.mechanism.flexible_links
    }
    return tuple(
        f"damping per mass of flexible link '{name}' acts within few steps: alpha h = "
        f"{rate * step:.2g}. Steps with hard contacts treat it explicitly: contacts that carry the "
        f"link are off by half of this. Use steps of {limit / rate:.1g} s, or damping per "
        "stiffness (beta)."
        for name, rate in rates.items()
        if rate * step > limit
    )


def _looks(power: Array) -> list[int]:
    """The first and the last sample, and those in between with the largest power."""
    last = len(power) - 1
    ends = np.linspace(0, last + 1, LOOKS + 1).astype(int)
    size = np.nan_to_num(np.abs(power))
    busiest = [b + int(np.argmax(size[b:e])) for b, e in pairwise(ends) if e > b]
    return sorted({0, last, *busiest})


@dataclass(frozen=True)
class _Imbalance:
    """Where and how much the energy balance is off.

    Attributes:
        first: first sample at which it is.
        worst: sample after which it changes most.
        error: error at the end [J].
        share: largest error, relative to the energy exchanged.
        resolved: samples resolve the work well enough to distinguish gain from loss.
    """

    first: int
    worst: int
    error: float
    share: float
    resolved: bool


def _imbalance(
    energy: Array, balanced: Balance, tolerated: float, stable: bool
) -> _Imbalance | None:
    """How much the energy balance is off, if more than tolerated.

    Args:
        energy: kinetic and potential [J], shape (N, 2).
        balanced: work done, and its uncertainty.
        tolerated: fraction of the energy exchanged.
        stable: steps are short enough for all perturbations; otherwise nothing is resolved.
    """
    with np.errstate(all="ignore"):
        total = energy[:, 0] + energy[:, 1]
        error = total - total[0] - balanced.work
    good = np.isfinite(error)
    if good.sum() < 2:
        return None
    # nearly all runs are finite everywhere: avoid copies
    known = slice(None) if good.all() else good
    error = np.where(good, error, 0.0)
    size, scale = np.abs(error), exchanged(energy[known], balanced.work[known])
    if size.max() <= max(tolerated * scale, ROUNDING * largest(energy[known])):
        return None
    seen = np.maximum.accumulate(np.maximum(energy[:, 0], np.abs(balanced.work)))
    first = int(np.argmax(size > tolerated * seen))
    worst = int(np.argmax(np.abs(np.diff(error))))
    resolved = stable and bool(balanced.doubt[good][-1] < RESOLVED * size.max())
    share = float(size.max() / scale) if scale > 0.0 else math.inf
    return _Imbalance(first, worst, float(error[good][-1]), share, resolved)


def _unstable(fastest: Fastest, schedule: FixedSteps, sudden: bool) -> str:
    other = 'method="rodas" with tolerance=1e-6' if sudden else 'method="implicit"'
    name = schedule.method.name.lower()
    law = fastest.law
    what = f"stiffest there is '{law}'" if law else f"in joint '{fastest.joint}'"
    return (
        f"t = {fastest.t:.6g} s: a step of {schedule.step:.4g} s is too long for {name}: |λ h| = "
        f"{fastest.product:.3g} is beyond its limit of {fastest.limit:g}; {what}. Use step <= "
        f"{fastest.step:.2g}, or {other}."
    )


def _unresolved(stretches: Sequence[Stretch], schedule: FixedSteps) -> str:
    """Generalized alpha does not settle fast modes at once: it damps them over several steps."""
    fastest = _fastest(stretches, schedule)
    assert fastest is not None
    what = f"'{fastest.law}'" if fastest.law else f"joint '{fastest.joint}'"
    return (
        f"t = {fastest.t:.6g} s: fast motions in {what} are not resolved by steps of "
        f"{schedule.step:.4g} s, but are damped out over a few of them; their energy is "
        f"not balanced. Use step <= {fastest.step:.2g} if that matters."
    )


def _unbalanced(stretches: Sequence[Stretch], t: Array, off: _Imbalance, schedule: Schedule) -> str:
    share = f"by up to {100.0 * off.share:.3g} % of the energy exchanged"
    share = share if math.isfinite(off.share) else "where no energy is exchanged"
    if off.resolved:
        kind = "gained" if off.error > 0.0 else "lost"
        what = f"the energy balance is off {share}, {abs(off.error):.3g} J {kind} so far"
    else:
        what = f"steps do not resolve the forces, whose work is uncertain {share}"
    told = f"t = {t[off.first]:.6g} s: from here on {what}{_suspect(stretches, off)}."
    if isinstance(schedule, AdaptiveSteps):
        return f"{told} Use a tolerance below {tolerance_of(schedule):g}."
    if schedule.method == Method.ALPHA:
        return f"{told} Use step < {schedule.step:.2g}."
    return f'{told} Use step < {schedule.step:.2g}, or method="rodas" with tolerance=1e-6.'


def _suspect(stretches: Sequence[Stretch], off: _Imbalance) -> str:
    """The likely cause: joints that are nearly in line, or the stiffest law."""
    part, k = _find(stretches, max(0, off.first - 1))
    aligned = _nearly_in_line(part.plant, part.found.q[k])
    if aligned:
        return f"; joints {aligned} are nearly in line at t = {part.found.t[k]:.6g} s"
    part, k = _find(stretches, off.worst)
    # of the nearby samples the one with the largest power
    around = np.nan_to_num(np.abs(part.power[max(0, k - 2) : k + 3]))
    k = max(0, k - 2) + int(np.argmax(around))
    at, inputs = part.found.rows([k]), part.inputs.over(part.found.t[k : k + 1])
    law = stiffest_law(part.plant, at, inputs[0])
    return f"; stiffest where it changes most is '{law}'" if law else ""


def _find(stretches: Sequence[Stretch], k: int) -> tuple[Stretch, int]:
    """The part that contains sample k of the run, and the index of the sample in it."""
    for part in stretches:
        if k < len(part.found.t):
            return part, k
        k -= len(part.found.t)
    return part, len(part.found.t) - 1


def _nearly_in_line(plant: BarePlant, q: Array) -> str:
    """Two joints of a tree that move the bodies nearly alike, so that M is nearly singular."""
    rigid = plant.formulation.unconstrained and not plant.mechanism.flexible_links
    if not rigid or not np.isfinite(q).all():
        return ""
    M = plant.evaluate("mass_matrix", ready=True, q=q)["M"]
    size = np.sqrt(np.diag(M))
    values, vectors = np.linalg.eigh(M / np.outer(size, size))
    if not values[0] < NEARLY_SINGULAR:
        return ""
    pair = np.sort(np.argsort(-np.abs(vectors[:, 0]))[:2])
    return " and ".join(f"'{plant.coordinates[k]}'" for k in pair)
