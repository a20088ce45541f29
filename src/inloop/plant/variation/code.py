"""Compiled functions of a run with derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.codegen.c import emit_grids
from inloop.codegen.quoting import c_comment, identifier
from inloop.codegen.tangent.lanes import emit_with_lanes
from inloop.codegen.tangent.placing import StateLayout, emit_evaluation, emit_placing
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

LANES = (1, 2, 4, 8)  # directions of one pass
WITH_LANES = {"tangent": ("dx", "dg", "dy"), "observation": ("dx", "dg", "dy")}


@dataclass(frozen=True)
class VariationCode:
    """A library that gives the rates of a state and their derivatives.

    Attributes:
        library: what holds the functions.
        prefix: first part of their names.
        states: names of x.
        varied: names of what is varied beside the state.
        observed: names of what is told of a motion.
        layout: where the entries of x belong.
        lanes: directions of one call.
        operations: of each program.
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

    def prepare(self, parameters: Array) -> Array:
        """Quantities that depend on the parameters only."""
        pre = np.zeros(max(self.prepared, 1))
        function = self.library.function(f"{self.prefix}_prepare", POINTER, POINTER, returns=None)
        given = np.ascontiguousarray(parameters, dtype=np.float64)
        function(given.ctypes.data, pre.ctypes.data)
        return pre


def variation_code(
    plant: BarePlant, roles: Roles, varied: Sequence[str], directions: int
) -> VariationCode:
    """The compiled derivatives of a plant, built when they are first asked for.

    Args:
        plant: the mechanism.
        roles: of its coordinates.
        varied: names of what is varied beside the state.
        directions: how many there will be; at most 8 of them share a pass.

    Raises:
        BuildError: there is no compiler with vectors.
    """
    lanes = next((k for k in LANES if k >= directions), LANES[-1])
    key = (roles, tuple(varied), lanes)
    with plant.equations.building:
        if key not in plant.variations:
            plant.variations[key] = _build(plant, roles, varied, lanes)
    return plant.variations[key]


def _build(plant: BarePlant, roles: Roles, varied: Sequence[str], lanes: int) -> VariationCode:
    if runs_as_python():
        raise BuildError(
            "derivatives of runs need a C compiler",
            fix="Install gcc or clang; see docs/install.md.",
        )
    source = RunPrograms(plant, roles, varied)
    programs = [p for p in (source.newton(), source.drives()) if p is not None]
    programs += [source.tangent(), source.observation()]
    prepare, done, _ = run_passes(programs, source.derivation.parameters)
    prefix = identifier(f"{plant.name}_variation")
    files = _files(prefix, prepare, done, source.layout, lanes, plant)
    files |= variation_sources()
    headers = {**runtime_headers(), **variation_headers()}
    what = f"derivatives of {plant.name}"
    library = compiled(what, files, headers, replace(model_options(), together=False))
    counts = {p.name: p.operations()["total"] for p in done}
    return VariationCode(
        library, prefix, source.states, tuple(varied), source.observed.names, source.layout, lanes,
        len(prepare.exprs), counts,
    )  # fmt: skip


def _files(
    prefix: str,
    prepare: Program,
    programs: Sequence[Program],
    layout: StateLayout,
    lanes: int,
    plant: BarePlant,
) -> dict[str, str]:
    """One file for each program, and one that calls them."""
    head = [
        c_comment(about(plant.mechanism, plant.parameters.declared)),
        f"#define IL_DIRECTIONS {lanes}",
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
        blocks = WITH_LANES.get(program.name, ())
        function = emit_with_lanes(program, prefix, blocks)
        declared.append(f"{function.declaration};")
        exported = program is prepare
        text = [
            *head,
            f"{'IL_EXPORT ' if exported else ''}{function.declaration};",
            "",
            function.text,
        ]
        files[f"{function.name}.c"] = "\n".join(text)
    by_name = {p.name: p for p in programs}
    parts = [
        emit_placing(layout, prefix, by_name.get("newton"), by_name.get("drives")),
        emit_evaluation(layout, prefix, "slopes", by_name["tangent"], ("y", "dy")),
        emit_evaluation(layout, prefix, "observe", by_name["observation"], ("y", "dy")),
    ]
    files[f"{prefix}_calls.c"] = "\n".join([*head, *declared, "", *parts])
    return files
