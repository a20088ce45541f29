"""Arguments of a differentiated run, and whether such a run has derivatives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.plant import Array, BarePlant, Signal
from inloop.simulate.results.result import Result
from inloop.simulate.sensitivities.smooth_run import TABLEAUS

# largest difference between the run and its repetition, relative to the largest value
SAME = 1e-6
NEAR = 1e-2  # if the repetition has more accurate steps than the run
CHOSEN = 1e-4  # if the run has adaptive steps
TOUCHING = {"event_driven": SAME, "moreau": NEAR}  # methods of hard contacts


@dataclass(frozen=True)
class RunArguments:
    """Arguments of a run that affect its derivatives.

    Attributes:
        t_end, step, sample: as for `simulate` [s].
        q, qd: start values, by name or as vectors.
        tau, inputs: efforts and inputs.
        motions: motions of driven joints.
    """

    t_end: float
    step: float
    sample: float | None = None
    q: Mapping[str, float] | Array | None = None
    qd: Mapping[str, float] | Array | None = None
    tau: Mapping[str, float] | Array | None = None
    inputs: Mapping[str, float | Signal] | None = None
    motions: Mapping[str, Signal] | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> RunArguments:
        """From the arguments of `simulate`, including motions by names of joints."""
        if given.get("start") is not None:
            raise InputError(
                "derivatives of a run that continues another one are not available",
                fix="Leave out start=, and give q and qd of its last sample.",
            )
        known = {f.name for f in fields(cls)}
        own = {name: value for name, value in given.items() if name in known}
        return cls(**{"step": 1e-3, **own})


def refuse_steps(
    plant: BarePlant,
    result: Result,
    arguments: RunArguments,
    methods: Collection[str] = TABLEAUS,
) -> None:
    """Refuse runs whose steps have no derivatives here.

    Args:
        plant: the compiled mechanism.
        result: of the run.
        arguments: arguments of the run.
        methods: integrators with derivatives.

    Raises:
        InputError: says why.
    """
    why, fix = "", ""
    if result.method not in methods:
        why = f"was integrated by '{result.method}'"
        fix = f"Use a method that supports derivatives: {', '.join(methods)}."
    elif arguments.motions:
        why, fix = "was given motions of driven joints", "Declare them in the model: m.drive(...)."
    elif len(result.partitions) > 1:
        why = "passed a position where the choice of independent coordinates changed"
        fix = "End it before that, or start elsewhere."
    if why:
        raise InputError(f"sensitivities: the run of model '{plant.name}' {why}", fix=fix)


@dataclass(frozen=True)
class KeptValues:
    """Positions or velocities that a start keeps.

    Attributes:
        order: all coordinates that are not driven, kept ones first.
        firm: coordinates that were given or declared.
    """

    order: tuple[int, ...]
    firm: frozenset[int]


def kept_values(plant: BarePlant, arguments: RunArguments) -> dict[str, KeptValues]:
    """Coordinates whose positions "q" and whose velocities "qd" the start keeps."""
    formulation, n = plant.formulation, plant.n
    driven, free = list(formulation.driven_indices), list(formulation.partition.independent)

    def named(given: Mapping[str, float] | Array | None) -> list[int]:
        if given is None:
            return []
        if not isinstance(given, Mapping):
            return free
        return [k for name in given for k in plant.equations.places(name, n)]

    declared = [k for k in formulation.positions.declared if k < n]
    joints = [body.joint for body in plant.mechanism.bodies]
    declared_speeds = [k for k in range(n) if joints[k].declared[1]]
    moving = [k for k in declared_speeds if joints[k].initial[1] != 0.0]
    firm = {
        "q": [*named(arguments.q), *declared],
        "qd": [*named(arguments.qd), *moving, *declared_speeds],
    }
    return {
        kind: KeptValues(
            tuple(k for k in dict.fromkeys([*kept, *free, *range(n)]) if k not in driven),
            frozenset(kept),
        )
        for kind, kept in firm.items()
    }


@dataclass(frozen=True)
class Apart:
    """Difference between a run and its repetition.

    Attributes:
        signal: the signal with the largest difference.
        share: the difference, relative to the signal's largest value.
    """

    signal: str = ""
    share: float = 0.0


def _most_apart(result: Result) -> float:
    """Largest allowed difference between run and repetition, relative to the largest value."""
    if result.method in TOUCHING:
        return TOUCHING[result.method]
    if result.tolerance is not None:
        return CHOSEN
    return NEAR if TABLEAUS[result.method].implicit else SAME


def check_same(model: str, result: Result, repeated: Mapping[str, Array]) -> Apart:
    """Check that the repetition is the same as the run, or close to it if it has its own steps.

    Args:
        model: its name.
        result: of the run.
        repeated: samples of the repetition by name, of some or all positions and velocities.

    Raises:
        SimulationError: it differs.
    """
    most = Apart()
    for k, name in enumerate(result.coordinates):
        for kind, original in (("q", result.q[:, k]), ("qd", result.qd[:, k])):
            mine = repeated.get(f"{name}.{kind}")
            if mine is None:
                continue
            both = np.isfinite(original)
            size = max(1e-3, float(np.abs(original[both]).max(initial=0.0)))
            off = np.inf
            if mine.shape == original.shape:
                off = float(np.abs(mine - original)[both].max(initial=0.0))
            if not off <= most.share * size:
                most = Apart(f"{name}.{kind}", off / size)
    if not most.share <= _most_apart(result):
        raise SimulationError(
            f"derivatives of model '{model}' would belong to a different run: "
            f"'{most.signal}' differs by {most.share:.3g} of its largest value",
            fix="Use a shorter step or a shorter run, or stay away from singular positions.",
        )
    return most
