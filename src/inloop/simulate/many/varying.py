"""The quantities that a design varies, by name: parameters, inputs, starts and efforts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from inloop.designs.design import Design
from inloop.designs.distributions import Distribution
from inloop.errors import InputError, name_hint
from inloop.plant import BarePlant
from inloop.plant.arguments import useless

NEGLIGIBLE = 1e-12  # fraction of a distribution that may lie outside the range of a parameter
KINDS = ("parameters", "inputs", "q", "qd", "tau")


def with_design(plant: BarePlant, design: Design | None, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of many runs, with the columns of a design added.

    Args:
        plant: the compiled mechanism.
        design: the varied values; None: none.
        given: the arguments in `KINDS`, as given by the user.

    Raises:
        InputError: the plant does not have a name, it is given twice, or its distribution exceeds
            the range of the parameter.
    """
    if design is None:
        return given
    if not isinstance(design, Design):
        raise useless(design, "vary", "Give a design, such as il.designs.monte_carlo(...).")
    arguments: dict[str, Any] = {
        kind: dict(value) if isinstance(value, Mapping) else value for kind, value in given.items()
    }
    for name, column in design.columns.items():
        kind, key = _place(plant, name)
        if name in design.distributions and kind == "parameters":
            _check_range(plant, name, design.distributions[name])
        into = arguments[kind] = {} if arguments[kind] is None else arguments[kind]
        if not isinstance(into, dict):
            raise InputError(
                f"'{name}' is varied, but {kind} is given as an array", fix="Give it by name."
            )
        if key in into:
            raise InputError(
                f"'{name}' is varied, but {kind} also contains '{key}'", fix="Give it once."
            )
        into[key] = column
    return arguments


def _place(plant: BarePlant, name: str) -> tuple[str, str]:
    """The argument that contains a quantity, and its name there."""
    for known, kind, key in _quantities(plant):
        if known == name:
            return kind, key
    raise InputError(
        f"model '{plant.name}' has no '{name}' to vary",
        fix=name_hint(name, [known for known, _, _ in _quantities(plant)])
        + ' Other numbers of a model become parameters with live=["rod.mass"], for '
        "example.",
    )


def _quantities(plant: BarePlant) -> Iterator[tuple[str, str, str]]:
    """Name, argument and name there of all quantities to vary; the first of each name applies."""
    yield from ((name, "parameters", name) for name in plant.parameters)
    plants = list(plant.by_mode.values()) or [plant]
    inputs = dict.fromkeys(name for each in plants for name in each.inputs)
    yield from ((name, "inputs", name) for name in inputs)
    # driven joints are not free
    driven = {name for each in plants for name in each.formulation.driven}
    for kind in ("q", "qd", "tau"):
        for name in plant.coordinates:
            if name not in driven or kind == "tau":
                yield f"{name}.{kind}", kind, name


def _check_range(plant: BarePlant, name: str, distribution: Distribution) -> None:
    """Refuse a distribution outside the parameter's range, even if no drawn value is invalid."""
    ranges = {each.name: each.range for each in plant.parameters.declared}
    low, high = ranges[name] or (-math.inf, math.inf)
    beyond = distribution.probability(low) if math.isfinite(low) else 0.0
    beyond += 1.0 - distribution.probability(high) if math.isfinite(high) else 0.0
    reaches = distribution.low < low or distribution.high > high
    if reaches and beyond > NEGLIGIBLE:
        raise InputError(
            f"'{name}' must be from {low:g} to {high:g}, but a fraction {beyond:.2g} of "
            f"{distribution} lies outside",
            fix=f"Truncate it, for example normal(mean, deviation, {low:g}, {high:g}), or "
            "choose another distribution.",
        )
