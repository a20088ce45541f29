"""Initial state of a run: coordinates and velocities that satisfy the loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError, ModelError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, reals
from inloop.plant.formulation.positions.kept_values import fewest, in_words, moved
from inloop.simulate.drives import Drives
from inloop.simulate.judging.degrees import degree_notes

CLOSE = 1e-6  # difference between positions that are considered equal, in units
Given = Mapping[str, float] | Array | None


def vector(plant: BarePlant, given: Given, default: Sequence[float], name: str) -> Array:
    """A vector of coordinates, velocities or efforts, from names, an array, or the default."""
    result = np.array(default, dtype=np.float64)
    if isinstance(given, Mapping):
        plant.equations.fill(result, by_name(given, name))
    elif given is not None:
        found = reals(given, name)
        if found.shape != result.shape:
            raise plant.equations.wrong_size(name, found.shape, len(result))
        result = found.copy()
    bad = np.flatnonzero(~np.isfinite(result))
    if len(bad):
        whose = (plant.positions if name == "q" else plant.coordinates)[int(bad[0])]
        raise InputError(f"{name} of '{whose}' is {result[bad[0]]}", fix="Give finite numbers.")
    return plant.configuration.normalized(result) if name == "q" else result


def first_internal_states(plant: BarePlant, u: Array) -> Array:
    """States of laws and drives at t = 0; a filtered drive rests at its input."""
    z = plant.first_states
    index = {state.name: k for k, state in enumerate(plant.mechanism.states)}
    for drive in plant.mechanism.drives:
        if drive.states:
            z[index[drive.states[0].name]] = u[plant.inputs.index(drive.inputs[0].name)]
    return z


@dataclass(frozen=True)
class Start:
    """Initial state of a run.

    Attributes:
        q, qd: coordinates and velocities that satisfy the loops.
        notes: differences from the initial values of the model, as text.
    """

    q: Array
    qd: Array
    notes: tuple[str, ...] = ()


def start_of(
    plant: BarePlant,
    q: Given,
    qd: Given,
    drives: Drives | None,
    u: Array | None = None,
    z: Array | None = None,
) -> Start:
    """Initial state of a run, at t = 0.

    Values given by name are kept; initial values of the model are kept as far as possible.

    Args:
        plant: the compiled mechanism.
        q: coordinates, by name or as a vector, or None.
        qd: velocities.
        drives: motion of the driven joints, which overrides their initial values.
        u: inputs.
        z: states of laws and drives.

    Raises:
        InputError: given values contradict the loops or the drives, or the equations of the
            plant do not hold at the position.
    """
    rest = plant.mechanism.first_qd
    motion = None if drives is None else drives.at(plant, 0.0, u, z)
    if motion is not None:
        _check_finite(plant, motion)
    at, notes = first_position(plant, q, None if motion is None else motion[0])
    _refuse_singular(plant, at)
    _refuse_locked(plant, at)
    speeds = vector(plant, qd, rest, "qd")
    led: tuple[str, ...] = ()
    if motion is not None:
        _check_driven(plant, "qd", qd, speeds, motion[1])
        speeds[list(plant.formulation.driven_indices)] = motion[1]
        led = _led_elsewhere(plant, *motion[:2])
    qd_first, more = _fitting_velocities(plant, at, speeds, qd)
    degrees = degree_notes(plant, at, _written_positions(plant, q))
    return Start(at, qd_first, (*degrees, *led, *notes, *more))


def _written_positions(plant: BarePlant, q: Given) -> list[int]:
    """Coordinates whose initial position the user wrote, by name or in the model."""
    if q is not None and not isinstance(q, Mapping):
        return []
    named = [k for name in q or () for k in plant.equations.places(name, plant.n)]
    declared = (k for k in plant.formulation.positions.declared if k < plant.n)
    driven = plant.formulation.driven_indices
    return [k for k in dict.fromkeys([*named, *declared]) if k not in driven]


def first_position(
    plant: BarePlant, q: Given, driven: Array | None = None
) -> tuple[Array, tuple[str, ...]]:
    """A closed position, and notes on differences from the initial values of the model.

    Args:
        plant: the compiled mechanism.
        q: coordinates to keep, by name; a closed position; or None.
        driven: positions of the driven joints, which q must not contradict; without them, these
            joints are at q, or at their initial values.
    """
    positions = plant.formulation.positions
    at = vector(plant, q, plant.mechanism.first_q, "q")
    by_names = list(q) if isinstance(q, Mapping) else []
    given = {k for name in by_names for k in plant.equations.places(name, plant.nq)}
    # coordinates neither given nor declared start at the assembled position
    open_ends = [k for k in range(plant.nq) if q is None or isinstance(q, Mapping)]
    home, declared = positions.home(), set(positions.declared)
    for k in open_ends:
        if k not in given and k not in declared:
            at[k] = home[k]
    # a given quaternion is kept by fixing the three rotations of its joint
    named = {k for name in by_names for k in plant.equations.places(name, plant.n)}
    places = list(plant.formulation.driven_indices)
    if driven is not None:
        _check_driven(plant, "q", q, at, driven)
        at[places] = driven
    if q is not None and not isinstance(q, Mapping):
        return _closed_vector(plant, at), ()
    must = list(dict.fromkeys([*places, *sorted(named)]))
    reached = positions.lead(at, must)
    try:
        kept = positions.keep(at, must, near=reached)
    except ModelError as error:
        raise _contradicts(plant, at, named, error) from error
    changed = [k for k in kept.changed if k not in named]
    notes = moved(plant.equations, at, kept.found.q, changed)
    return kept.found.q, (*notes, *_branch(plant, kept.found.q, must, reached is not None))


def _branch(plant: BarePlant, q: Array, must: Sequence[int], on_the_way: bool) -> tuple[str, ...]:
    """Note on the branch on which the loops were closed, if that is not obvious.

    Args:
        plant: the compiled mechanism.
        q: initial position.
        must: coordinates that were given.
        on_the_way: they were reached from the assembled position without leaving its branch.
    """
    partition, positions = plant.formulation.partition, plant.formulation.positions
    # more values than degrees of freedom determine the branch
    if not must or len(must) > len(partition.independent) + len(partition.driven):
        return ()
    if positions.singular_at(positions.home()):
        why = "the initial position is singular, and branches meet there"
    elif not on_the_way:
        why = "it cannot be reached from the initial position without opening the loops"
    else:
        return ()
    others = [k for k in range(plant.n) if k not in must]
    where = ", ".join(
        f"'{n}' at {value}" for n, value in in_words(plant.equations, q, others).items()
    )
    return (
        f"{why}: the run starts with {where}; give one of these as well to choose another branch",
    )


def _closed_vector(plant: BarePlant, q: Array) -> Array:
    """A full position, closed to the last bit; the given one must be closed up to rounding."""
    positions = plant.formulation.positions
    gap = positions.gap(q, CLOSE)
    if gap is not None:
        raise InputError(
            f"q does not close the loops of model '{plant.name}': loop '{gap.loop}' is open by "
            f"{gap.size:.3g} {gap.unit}".rstrip(),
            fix="Close it with plant.formulation.assemble(q).q, or give a few joints by name.",
        )
    partition = plant.formulation.partition
    return positions.keep(q, partition.driven, partition.independent).found.q


def _contradicts(
    plant: BarePlant, at: Array, named: Collection[int], error: ModelError
) -> InputError:
    """The error for given positions that the loops cannot meet, with a minimal conflicting set."""
    why = error

    def contradict(which: list[int]) -> bool:
        nonlocal why
        try:
            plant.formulation.positions.keep(at, which, ())
        except ModelError as told:
            why = told
            return True
        return False

    driven = list(plant.formulation.driven_indices)
    blamed = fewest([*driven, *sorted(set(named) - set(driven))], contradict)
    words = in_words(plant.equations, at, blamed).items()
    given = ", ".join(f"'{name}' at {value}" for name, value in words)
    return InputError(
        f"q cannot be met: {why.mistakes[0].what}" + (f", with {given} as given" if given else ""),
        fix="Give at most as many joints as there are degrees of freedom, at positions "
        "they can reach.",
    )


def _refuse_singular(plant: BarePlant, q: Array) -> None:
    positions = plant.formulation.positions
    told = positions.singular_at(q)
    if not told:
        return
    near, free = positions.mobility.regular.q, plant.formulation.partition.independent
    beside = ", ".join(f'"{plant.coordinates[k]}": {near[k]:.3g}' for k in free)
    raise InputError(
        f"model '{plant.name}' would start at {told}",
        fix=f"Start next to it, on the branch you want, for example q={{{beside}}}, or "
        "change the initial values.",
    )


def _refuse_locked(plant: BarePlant, q: Array) -> None:
    """Reject a branch on which the loops need rows that were dropped."""
    told = plant.formulation.locked_at(q)
    if told:
        raise InputError(
            f"model '{plant.name}' would start on {told}",
            fix="Write this position into the model, as guess= or initial= of its joints: it is "
            "then assembled on this branch.",
        )


def _check_finite(plant: BarePlant, motion: Array) -> None:
    """Check the motions of drives at t = 0: √t, for instance, begins with an infinite velocity."""
    for what, values in zip(("position", "velocity", "acceleration"), motion, strict=True):
        for k, value in zip(plant.formulation.driven_indices, values, strict=True):
            if not np.isfinite(value):
                raise InputError(
                    f"the drive of '{plant.coordinates[k]}' starts with {what} {value:g}",
                    fix="Give it a motion whose position, velocity and acceleration are finite.",
                )


def _check_driven(plant: BarePlant, what: str, given: Given, at: Array, first: Array) -> None:
    """Check that values given for a driven joint agree with its drive."""
    units = plant.coordinate_sizes
    for k, led in zip(plant.formulation.driven_indices, first, strict=True):
        name = plant.coordinates[k]
        said = given is not None and (not isinstance(given, Mapping) or name in given)
        if said and abs(at[k] - led) > CLOSE * max(units[k], abs(led)):
            raise InputError(
                f"{what} starts '{name}' at {at[k]:g}, its drive at {led:g}",
                fix=f"Leave it out of {what}: a driven joint follows its drive or its input.",
            )


def _led_elsewhere(plant: BarePlant, first: Array, rates: Array) -> tuple[str, ...]:
    """Notes on declared values of driven joints that differ from their drives."""
    told, names, units = [], plant.coordinates, plant.coordinate_sizes
    places = plant.formulation.driven_indices
    for k, position, rate in zip(places, first, rates, strict=True):
        joint = plant.mechanism.bodies[k].joint
        words, leads = ("at", "with velocity"), (position, rate)
        for word, declared, initial, led in zip(
            words, joint.declared, joint.initial, leads, strict=True
        ):
            if declared and abs(led - initial) > CLOSE * max(units[k], abs(led)):
                told.append(
                    f"'{names[k]}' starts {word} {led:.6g}, declared {initial:.6g}: it is driven"
                )
    return tuple(told)


def _fitting_velocities(
    plant: BarePlant, q: Array, speeds: Array, qd: Given
) -> tuple[Array, tuple[str, ...]]:
    """Velocities that satisfy the loops and the given ones, and notes on those not kept."""
    bodies, names = plant.mechanism.bodies, plant.coordinates
    given = list(names) if qd is not None and not isinstance(qd, Mapping) else list(qd or ())
    of_given = (k for name in given for k in plant.equations.places(name, plant.n))
    must = [*plant.formulation.driven_indices, *of_given]
    declared = [k for k, b in enumerate(bodies) if b.joint.declared[1] and k not in must]
    # a declared zero yields to motion: joints are mostly declared with both values
    moving = [k for k in declared if speeds[k] != 0.0]
    if qd is None:
        must += moving
    wanted = dict.fromkeys([*moving, *declared])
    said, wished = ({k: float(speeds[k]) for k in group} for group in (must, wanted))
    found = plant.formulation.keep_velocities(q, said, wished)
    if found.contradicted:
        raise _contradicting_speeds(plant, q, said, found.qd, found.contradicted)
    # beside larger ones, small velocities that do not fit pass as the rounding of data
    rounded = (k for k in {**said, **wished} if abs(found.qd[k] - speeds[k]) > 0.1 * abs(speeds[k]))
    told = (
        f"'{names[k]}' starts with velocity {found.qd[k]:.6g}, declared {speeds[k]:.6g}"
        for k in dict.fromkeys([*found.changed, *(k for k in rounded if speeds[k] != 0.0)])
    )
    return found.qd, tuple(told)


def _contradicting_speeds(
    plant: BarePlant, q: Array, must: Mapping[int, float], found: Array, bad: Sequence[int]
) -> InputError:
    names, formulation = plant.coordinates, plant.formulation
    first = bad[0]

    def contradict(which: list[int]) -> bool:
        said = {k: must[k] for k in [*which, first]}
        return bool(formulation.keep_velocities(q, said, {}).contradicted)

    others = fewest([k for k in must if k not in bad], contradict)
    least = CLOSE * max(map(abs, must.values()))
    given = ", ".join(f"'{names[k]}' at {must[k]:.6g}" for k in others)
    missed = ", ".join(
        f"'{names[k]}' has {found[k] if abs(found[k]) > least else 0.0:.6g}, not {must[k]:.6g}"
        for k in bad[:4]
    )
    free = ", ".join(
        name for name in formulation.independent if name not in {names[k] for k in bad}
    )
    return InputError(
        f"the velocities given for model '{plant.name}' contradict the loops: "
        + (f"with {given} " if given else "")
        + missed,
        fix=f"Give velocities of independent coordinates only: {free}."
        if free
        else "Leave them out: loops, locks and drives leave no velocity free.",
    )
