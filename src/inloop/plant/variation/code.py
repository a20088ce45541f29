"""Compiled functions of a run with derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.codegen.c import emit_grids
from inloop.codegen.quoting import c_comment, identifier
from inloop.codegen.tangent.lanes import emit_with_lanes
from inloop.codegen.tangent.placing import (
    StateLayout,
    emit_evaluation,
    emit_placing,
    emit_pull,
)
from inloop.errors import BuildError
from inloop.formalisms.variation.balance import Roles
from inloop.native import (
    POINTER,
    NativeLibrary,
    model_options,
    runs_as_python,
    runtime_headers,
    variation_headers,
    variation_sources,
)
from inloop.plant.backlog import compiled
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.labels import about
from inloop.plant.passes import run_passes
from inloop.plant.variation.programs import RunPrograms
from inloop.symbolic import Program

LANES = (1, 2, 4, 8)  # directions per pass
EVALUATIONS = {
    "tangent": "slopes", "observation": "observe", "rates": "plain_slopes", "touching": "touch",
    "corners": "look_at_corners",
}  # fmt: skip
PULLS = ("pulled_rates", "pulled_signals")
WITH_LANES = dict.fromkeys(("tangent", "observation", "touching"), ("dx", "dg", "dy"))


@dataclass(frozen=True)
class VariationCode:
    """A library that computes the rates of a state and their derivatives.

    Attributes:
        library: the library with the functions.
        prefix: first part of their names.
        states: names of x.
        varied: names of the varied quantities besides the state.
        observed: names of the observed signals.
        layout: layout of x.
        lanes: directions per call; 0: there are only rates and functions of the backward pass.
        prepared: number of prepared quantities.
        operations: operation counts of each program.
        files: the generated C.
        switches: laws that compare numbers or take a sign, so that forces may jump.
        corners: laws whose slopes may jump.
        corner_owners: index of the law of each corner.
    """

    library: NativeLibrary
    prefix: str
    states: tuple[str, ...]
    varied: tuple[str, ...]
    observed: tuple[str, ...]
    layout: StateLayout
    lanes: int
    prepared: int
    operations: dict[str, int]
    files: dict[str, str]
    switches: tuple[str, ...]
    corners: tuple[str, ...] = ()
    corner_owners: tuple[int, ...] = ()

    def prepare(self, parameters: Array) -> Array:
        """Quantities that depend only on the parameters."""
        pre = np.zeros(max(self.prepared, 1))
        function = self.library.function(f"{self.prefix}_prepare", POINTER, POINTER, returns=None)
        given = np.ascontiguousarray(parameters, dtype=np.float64)
        function(given.ctypes.data, pre.ctypes.data)
        return pre


def variation_code(
    plant: BarePlant, roles: Roles, varied: Sequence[str], directions: int, implicit: bool = False
) -> VariationCode:
    """The compiled derivatives of a plant, built at the first request.

    Args:
        plant: the mechanism.
        roles: roles of its coordinates.
        varied: names of the varied quantities besides the state.
        directions: number of directions; at most 8 of them share a pass.
        implicit: for implicit steps, which need rates without derivatives and whole Jacobians.

    Raises:
        BuildError: there is no compiler with vectors.
    """
    lanes = next((k for k in LANES if k >= directions), LANES[-1])
    key: tuple[object, ...] = (roles, tuple(varied), lanes)
    if implicit:
        lanes = LANES[-1]
        key = (roles, tuple(varied), "implicit")
    with plant.equations.building:
        if key not in plant.variations:
            plant.variations[key] = _build(plant, roles, varied, lanes, implicit)
    return plant.variations[key]


def touched_code(plant: BarePlant, roles: Roles, varied: Sequence[str]) -> VariationCode:
    """The same for a plant with hard contacts, with contact forces among the states.

    Args:
        plant: the mechanism; its contacts are declared.
        roles: roles of its coordinates.
        varied: names of the varied quantities besides the state.

    Raises:
        BuildError: there is no compiler with vectors.
    """
    key = (roles, tuple(varied), "touched")
    with plant.equations.building:
        if key not in plant.variations:
            _require_compiler()
            source = RunPrograms(plant, roles, varied)
            programs = [source.touching(), source.observation()]
            names = source.observed.names
            plant.variations[key] = _compiled(plant, source, programs, varied, names, LANES[-1])
    return plant.variations[key]


def backward_code(
    plant: BarePlant,
    roles: Roles,
    varied: Sequence[str],
    signals: Sequence[str],
    implicit: bool = False,
) -> VariationCode:
    """The same in reverse mode: gradients of weighted sums of rates or signals by x and varied.

    Args:
        plant: the mechanism.
        roles: roles of its coordinates.
        varied: names of the varied quantities besides the state.
        signals: names of the weighted signals.
        implicit: for implicit steps, which need whole Jacobians.

    Raises:
        InputError: a signal has no derivatives.
        BuildError: there is no compiler.
    """
    key = (roles, tuple(varied), "backward", tuple(signals), implicit)
    with plant.equations.building:
        if key not in plant.variations:
            _require_compiler()
            source = RunPrograms(plant, roles, varied)
            programs = [source.rates(), source.pulled_rates()]
            programs += [source.pulled_signals(signals)] if signals else []
            programs += [source.tangent()] if implicit else []
            lanes = LANES[-1] if implicit else 0
            code = _with_corners(plant, source, programs, varied, signals, lanes)
            plant.variations[key] = code
    return plant.variations[key]


def _build(
    plant: BarePlant, roles: Roles, varied: Sequence[str], lanes: int, implicit: bool
) -> VariationCode:
    _require_compiler()
    source = RunPrograms(plant, roles, varied)
    programs = [source.tangent(), source.observation()]
    programs += [source.rates()] if implicit else []
    return _with_corners(plant, source, programs, varied, source.observed.names, lanes)


def _with_corners(
    plant: BarePlant,
    source: RunPrograms,
    own: Sequence[Program],
    varied: Sequence[str],
    observed: Sequence[str],
    lanes: int,
) -> VariationCode:
    """Compile with functions that detect corners of laws."""
    bent, corners = source.corner_values(), source.corners
    programs = [*own, bent] if bent is not None else own
    code = _compiled(plant, source, programs, varied, observed, lanes)
    return replace(code, corners=corners.laws, corner_owners=corners.owners)


def _require_compiler() -> None:
    if runs_as_python():
        raise BuildError(
            "derivatives of runs need a C compiler",
            fix="Install gcc or clang; see docs/install.md.",
        )


def _compiled(
    plant: BarePlant,
    source: RunPrograms,
    own: Sequence[Program],
    varied: Sequence[str],
    observed: Sequence[str],
    lanes: int,
) -> VariationCode:
    programs = [p for p in (source.newton(), source.drives()) if p is not None]
    prepare, done, _ = run_passes([*programs, *own], source.derivation.parameters)
    prefix = identifier(f"{plant.name}_variation")
    files = _files(prefix, prepare, done, source.layout, lanes, plant)
    headers = {**runtime_headers(), **variation_headers()}
    what = f"derivatives of {plant.name}"
    options = replace(model_options(), together=False)
    library = compiled(what, files | variation_sources(), headers, options)
    return VariationCode(
        library, prefix, source.states, tuple(varied), tuple(observed), source.layout, lanes,
        len(prepare.exprs), {p.name: p.operations()["total"] for p in done}, files,
        source.switches,
    )  # fmt: skip


def _files(
    prefix: str,
    prepare: Program,
    programs: Sequence[Program],
    layout: StateLayout,
    lanes: int,
    plant: BarePlant,
) -> dict[str, str]:
    """One file per program, and one that calls them."""
    head = [
        c_comment(about(plant.mechanism, plant.parameters.declared)),
        f"#define IL_DIRECTIONS {max(lanes, 1)}",
        "#include <string.h>",
        '#include "il_export.h"',
        '#include "il_scalar.h"',
        '#include "il_lanes.h"',
        '#include "il_variation.h"',
        "",
    ]
    files = emit_grids([prepare, *programs])
    declared = []
    for program in (prepare, *programs):
        function = emit_with_lanes(program, prefix, WITH_LANES.get(program.name, ()))
        declared.append(f"{function.declaration};")
        export = "IL_EXPORT " if program is prepare else ""
        text = [*head, f"{export}{function.declaration};", "", function.text]
        files[f"{function.name}.c"] = "\n".join(text)
    by_name = {p.name: p for p in programs}
    parts = [emit_placing(layout, prefix, by_name.get("newton"), by_name.get("drives"))]
    for name, function_name in EVALUATIONS.items():
        if name in by_name:
            outputs = [out.name for out in by_name[name].outputs]
            parts.append(emit_evaluation(layout, prefix, function_name, by_name[name], outputs))
    for name in PULLS:
        if name in by_name:
            parts.append(emit_pull(layout, prefix, name.replace("pulled", "pull"), by_name[name]))
    files[f"{prefix}_calls.c"] = "\n".join([*head, *declared, "", *parts])
    return files
