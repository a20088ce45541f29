"""Export of a plant as an FMU (FMI 2.0 or 3.0), for co-simulation and model exchange."""

from __future__ import annotations

import hashlib
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from inloop.codegen.c_plant import PlantTable
from inloop.codegen.quoting import c_string
from inloop.errors import InputError
from inloop.io.fmi import binaries
from inloop.io.fmi.dependencies import dependencies_of
from inloop.io.fmi.description import Facts, build_description, describe
from inloop.io.fmi.documentation import icon_files, index_page
from inloop.io.fmi.starts import depends_on_time, start_values
from inloop.io.fmi.tangent import tangent_of
from inloop.io.fmi.variables import variables_of, whole_outputs
from inloop.model.describe import describe as in_words
from inloop.pictures.icon import icon
from inloop.plant import BarePlant
from inloop.plant.arguments import file_path, real
from inloop.plant.keywords import checked_call
from inloop.plant.leaving.exported import ExportedPlant
from inloop.plant.leaving.needed_sources import needed_sources
from inloop.simulate.export import plant_in_c
from inloop.simulate.fixed_steps import method_for_export
from inloop.simulate.results.whole_files import replacing
from inloop.simulate.schedules import METHODS

VERSIONS = ("3.0", "2.0")
FACTS = "fmu_facts.c"
# fixed time stamp: the same plant yields the same bytes
LONG_AGO = (1980, 1, 1, 0, 0, 0)


@checked_call
def export_fmu(
    plant: BarePlant,
    file: str | Path,
    *,
    version: str = "3.0",
    method: str | None = None,
    step: float = 1e-3,
    t_end: float = 1.0,
    platforms: Sequence[str] | None = None,
    portable: bool = False,
) -> Path:
    """Export the plant as an FMU that contains its libraries and all its sources.

    Co-simulation reproduces `plant.simulate` with the same method and step bit for bit. Model
    exchange is supported unless only the plant's own integrators can advance it: with hard
    contacts, or with six coordinates for each body.

    Args:
        plant: the compiled mechanism; its current parameters become start values.
        file: path of the FMU, ending in .fmu.
        version: version of the standard: "3.0" or "2.0".
        method: integrator of co-simulation; default: selected by a rehearsal up to t_end.
        step: step size [s]; communication steps are multiples of it.
        t_end: stop time of the default experiment [s].
        platforms: such as "x86_64-linux", "aarch64-linux", "x86_64-windows", or "here"; default:
            all for which a compiler is found.
        portable: compile for all processors of this architecture, not only for this machine; then
            rounding may differ from `plant.simulate` in the last bits.

    Returns:
        Path of the FMU.
    """
    path = file_path(file, "the file of an FMU")
    step, t_end = real(step, "step"), real(t_end, "t_end")
    if version not in VERSIONS:
        raise InputError(f"FMI {version!r} is unknown", fix=f"Use {' or '.join(VERSIONS)}.")
    if path.suffix != ".fmu":
        raise InputError(f"'{path.name}' is not the name of an FMU", fix="End it with .fmu.")
    if not (0.0 < step <= t_end and math.isfinite(t_end)):
        what = f"{t_end} s in steps of {step} s make no sense"
        raise InputError(what, fix="Use 0 < step <= t_end.")
    wanted = binaries.wanted_platforms(platforms)
    method = method_for_export(plant, method, step, t_end)
    exported = plant_in_c(plant, method, step)
    content = _Content(plant, exported, method, step, t_end, version)
    members = content.files()
    for platform in wanted:
        members[content.place_of(platform)] = content.library(platform, portable)
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        replacing(path) as unfinished,
        zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), data, zipfile.ZIP_DEFLATED)
    return path


def why_not_exchanged(plant: BarePlant, table: PlantTable) -> str:
    """Why importers cannot integrate the equations of the plant; "" if they can."""
    plants = plant.by_mode or {plant.name: plant}
    if any(each.mechanism.hard_contacts for each in plants.values()):
        return (
            "this FMU has no model exchange: hard contacts are solved for impulses over whole steps"
        )
    if any(choice.redundant for mode in table.modes for choice in mode.choices):
        return (
            "this FMU has no model exchange: with six coordinates per body, only its own "
            "integrator keeps the constraints"
        )
    return ""


class _Content:
    """Content of an FMU."""

    def __init__(
        self,
        plant: BarePlant,
        exported: ExportedPlant,
        method: str,
        step: float,
        t_end: float,
        version: str,
    ) -> None:
        self._plant, self._exported, self._version = plant, exported, version
        self._method, self._step = method, step
        table = exported.table
        self._refusal = why_not_exchanged(plant, table)
        self._tangent = None if self._refusal else tangent_of(plant, table)
        variables = variables_of(table, _docs(plant), exchanged=not self._refusal)
        self._token = self._make_token()
        self._sources = self._all_sources()
        self._facts = Facts(
            name=table.name,
            token=self._token,
            about=_about(plant, self._refusal, f"co-simulation by {method} in steps of {step:g} s"),
            variables=variables,
            dependencies=dependencies_of(plant, table, variables),
            modes=[mode.name for mode in table.modes],
            step=step,
            t_end=t_end,
            exchanged=not self._refusal,
            derivatives=not self._refusal,
            has_events=any(mode.events for mode in table.modes),
            sources=sorted(name for name in self._sources if name.endswith(".c")),
        )

    def files(self) -> dict[str, bytes | str]:
        """All files except the libraries."""
        words = f"{in_words(self._plant.mechanism)}\n"
        at = None if self._plant.by_mode else np.array(self._exported.table.modes[0].q)
        icons = icon_files(icon(self._plant, at), self._version)
        picture = next((f"../{name}" for name in icons), "")
        found: dict[str, bytes | str] = {
            "modelDescription.xml": describe(self._facts, self._version),
            "resources/description.txt": words,
            "documentation/index.html": index_page(self._facts, words, picture),
            **icons,
        }
        if self._version == "3.0":
            found["sources/buildDescription.xml"] = build_description(self._facts)
        return found | {f"sources/{name}": text for name, text in self._sources.items()}

    def place_of(self, platform: str) -> str:
        """Path of the library of a platform in the FMU."""
        folder = binaries.folder_of(platform, self._version)
        return f"binaries/{folder}/{binaries.library_name(self._facts.name, platform)}"

    def library(self, platform: str, portable: bool) -> bytes:
        """The library for a platform."""
        if platform == binaries.HERE and not portable:
            more = [] if self._tangent is None else [self._tangent.code.library.path]
            return binaries.build_here(self._exported, self._facts_in_c(), more, self._version)
        target = binaries.found_targets().get(platform) or binaries.Target(platform, ("cc",))
        return binaries.build_for(target, self._sources, self._facts.name)

    def _make_token(self) -> str:
        """A hash of everything the library is made of, unique to it."""
        shown = (self._exported.files, self._method, self._step, self._version)
        digest = hashlib.sha256(repr(shown).encode()).hexdigest()
        return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"

    def _all_sources(self) -> dict[str, str]:
        wrapper = binaries.wrapper_files(self._version)
        tangent = {} if self._tangent is None else self._tangent.code.files
        own = {**self._exported.files, **tangent, **wrapper, **self._facts_in_c()}
        return needed_sources(self._exported.table, own, methods=(self._method,))

    def _facts_in_c(self) -> Mapping[str, str]:
        """C file with the fmu_facts of the plant."""
        name = self._exported.table.name
        whole = ", ".join(map(str, (*whole_outputs(self._exported.table), 0)))
        given = (start is not None for start in start_values(self._exported.table))
        starts = ", ".join(map(str, (*map(int, given), 0)))
        timed = int(depends_on_time(self._exported))
        refusal = c_string(self._refusal).strip() if self._refusal else "NULL"
        tangent = "" if self._tangent is None else self._tangent.text
        has_tangent = "&tangent" if tangent else "NULL"
        method, step = int(METHODS[self._method]), repr(self._step)
        text = f"""/* What the FMU is made of; see fmu.h. */
#include "fmu.h"

const il_plant *{name}_plant(void);

static const int64_t whole[] = {{{whole}}};
static const int64_t starts[] = {{{starts}}};
{tangent}
const fmu_facts fmu_exported = {{
    {c_string(self._token).strip()}, {name}_plant, {method}, {step},
    {refusal}, whole, starts, {timed}, {has_tangent}
}};
"""
        return {FACTS: text}


def _docs(plant: BarePlant) -> dict[str, str]:
    """Descriptions of parameters and inputs, from the model."""
    docs = {p.name: p.doc for p in plant.parameters.declared}
    for each in (plant.by_mode or {plant.name: plant}).values():
        docs |= {item.name: item.doc for item in each.mechanism.inputs}
    return docs


def _about(plant: BarePlant, *more: str) -> str:
    doc = " ".join(plant.mechanism.doc.split())
    return ". ".join(part[0].upper() + part[1:] for part in (doc.rstrip("."), *more) if part)
