"""A plant as one unit of C: the table of all its modes and choices, linked with their code."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inloop.codegen.c_controller import emit_own_c
from inloop.codegen.c_plant import (
    ChoiceRow,
    ControllerRow,
    EventRow,
    ModeRow,
    PlantTable,
    Preparation,
    Quantity,
    emit_plant,
)
from inloop.errors import BuildError, InputError
from inloop.formalisms.sensing import SENSOR_OUTPUTS, needs_motion
from inloop.formalisms.size import size_of
from inloop.formalisms.stepping import steps
from inloop.formalisms.stepping.contact_rows import CONTACT_ROWS
from inloop.model.controllers.controller import Controller
from inloop.native import (
    POINTER,
    BuildOptions,
    NativeLibrary,
    build_library,
    model_options,
    runtime_headers,
)
from inloop.native.shipping import LibraryText
from inloop.plant import labels
from inloop.plant.controlling import controller_function, controller_of, controller_row
from inloop.plant.engine import NativeEngine
from inloop.plant.formulation.terms import TERMS, roles
from inloop.plant.quantities.inputs_outputs import (
    Plants,
    input_places,
    input_quantities,
    output_places,
    output_quantities,
)
from inloop.plant.stepping import contact_table
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.formalisms.loops.partition import Partition
    from inloop.model import Event
    from inloop.plant.bare_plant import BarePlant

DIRECTIONS = {"falls": -1, "rises": 1, "either": 0}


@dataclass(frozen=True)
class PlantUnit:
    """The library of a plant that runs.

    Attributes:
        table: what it was made of.
        library: all generated code of the plant.
        address: of the il_plant.
        engines: the libraries whose code it holds.
        own_code: C files of the user, by name.
        sources: C files of the table, by name.
        function: name in C of what tells the address.
    """

    table: PlantTable
    library: NativeLibrary
    address: int
    engines: tuple[NativeEngine, ...]
    own_code: Mapping[str, str]
    sources: Mapping[str, str]
    function: str

    @property
    def texts(self) -> tuple[LibraryText, ...]:
        """All C text of the plant, for machines of another kind: what it is linked with first."""
        groups: dict[Path, list[NativeEngine]] = {}
        for engine in self.engines:
            groups.setdefault(engine.library.path, []).append(engine)
        options, own = model_options(), {**self.sources, **self.own_code}
        apart = dict.fromkeys(self.own_code, "own")
        return (
            *(_text_of(engines) for engines in groups.values()),
            LibraryText(own, runtime_headers(), options.flags, options.extra_flags, apart),
        )


def _text_of(engines: list[NativeEngine]) -> LibraryText:
    """The text of functions that share a library."""
    options = engines[0].options
    sources = {name: text for engine in engines for name, text in engine.sources.items()}
    headers = {name: text for engine in engines for name, text in engine.headers.items()}
    spaces = {name: engine.unit.prefix for engine in engines for name in engine.sources}
    return LibraryText(sources, headers, options.flags, options.extra_flags, spaces)


def plant_unit(plants: Plants) -> PlantUnit:
    """The unit of a plant with all choices and integrators that have been built so far."""
    first = next(iter(plants.values()))
    with first.equations.building:
        # all that a table tells is there once a plant is compiled, but for what is built later
        key = tuple((name, _built_later(plant)) for name, plant in plants.items())
        if key not in first.units:
            first.units[key] = _build(plants)
        return first.units[key]


def _built_later(plant: BarePlant) -> int:
    """How much of what runs use has been built: choices of coordinates, code of integrators."""
    count = 0
    for known in plant.formulation.known:
        suffix = plant.formulation.with_partition(known).code.suffix
        kinds = (steps.PREDICTOR, steps.JACOBIAN, CONTACT_ROWS)
        names = [f"{kind}{suffix}" for kind in kinds]
        count += 1 + sum(plant.equations.is_built(name) for name in names)
    return count


def _build(plants: Plants) -> PlantUnit:
    made = _Maker(plants)
    table = made.table()
    prefix = f"{common_name(plants)}_unit"
    first = next(iter(plants.values()))
    about = labels.about(first.mechanism, first.parameters.declared)
    sources = emit_plant(table, prefix, about)
    linked = tuple(dict.fromkeys(engine.library.path for engine in made.engines))
    options = model_options(linked=linked)
    library = NativeLibrary(_built(sources, made.own_code, options, controller_of(plants)))
    function = f"{prefix}_plant"
    address = library.function(function, returns=POINTER)()
    return PlantUnit(table, library, address, made.engines, made.own_code, sources, function)


def _built(
    sources: Mapping[str, str],
    own_code: Mapping[str, str],
    options: BuildOptions,
    own: Controller | None,
) -> Path:
    """The library of a unit; what the compiler says of a user's file is told as that."""
    files, apart = {**sources, **own_code}, dict.fromkeys(own_code, "own")
    try:
        return build_library(files, runtime_headers(), options=options, spaces=apart)
    except BuildError as error:
        if own is None or own.code is None:
            raise
        (mistake,) = error.mistakes
        raise BuildError(
            f"controller '{own.name}' cannot be compiled: {mistake.what}",
            own.code.where,
            "Correct the C file; docs/controllers.md shows the prototype of its function.",
        ) from error


def common_name(plants: Plants) -> str:
    """Name of the mechanism that modes belong to."""
    name = next(iter(plants.values())).name
    return name.removesuffix(f"_{next(iter(plants))}") if len(plants) > 1 else name


class _Maker:
    """Collects what a unit is linked with while its table is made."""

    def __init__(self, plants: Plants) -> None:
        self._plants = plants
        self._engines: dict[int, NativeEngine] = {}
        self._numbers = {name: k for k, name in enumerate(plants)}
        self.own_code: Mapping[str, str] = {}  # C files of the user
        # one mode alone goes on for ever
        events = [event for plant in plants.values() for event in plant.mechanism.events]
        modes = {mode for e in events for mode in (e.to, e.settles_in, e.impact) if mode}
        self._with_events = any(p.has_events for p in plants.values()) and modes <= set(plants)

    @property
    def engines(self) -> tuple[NativeEngine, ...]:
        """Libraries of the functions that the table names."""
        return tuple(self._engines.values())

    def table(self) -> PlantTable:
        """The whole plant."""
        plants = self._plants
        first = next(iter(plants.values()))
        inputs, outputs = input_quantities(plants), output_quantities(plants)
        names = [x.name for x in outputs], [x.name for x in inputs]
        return PlantTable(
            name=common_name(plants),
            parameters=tuple(
                Quantity(p.name, p.unit, p.default, *(p.range or (-math.inf, math.inf)))
                for p in first.parameters.declared
            ),
            inputs=inputs,
            outputs=outputs,
            modes=tuple(self._mode(name, inputs, outputs) for name in plants),
            controller=self._controller(*names),
            kept=self._kept(),
        )

    def _kept(self) -> tuple[Program, ...]:
        """Formulas of parameters with bounds, once for modes that share their bodies."""
        each = {id(p.mechanism.bodies): p.equations.kept for p in self._plants.values()}
        return tuple(kept.formulas.program() for kept in each.values() if kept)

    def _controller(self, outputs: list[str], inputs: list[str]) -> ControllerRow | None:
        """The controller of the plant; it is the same in all modes."""
        controller = controller_of(self._plants)
        if controller is None:
            return None
        first = next(iter(self._plants.values()))
        if controller.code is not None:
            prefix, places = f"{common_name(self._plants)}_unit", list(first.parameters)
            self.own_code, *names = emit_own_c(
                controller.code.text,
                controller.code.function,
                prefix,
                [places.index(name) for name in controller.gains],
            )
            named = names[0], Preparation(names[1], len(controller.gains))
            return controller_row(controller, outputs, inputs, *named)
        function = controller_function(first, controller)
        named = self._named(first, function, f"{function}_sampled")
        return controller_row(controller, outputs, inputs, *named)

    def _mode(self, name: str, inputs: Iterable[Quantity], outputs: Iterable[Quantity]) -> ModeRow:
        plant = self._plants[name]
        formulation, mechanism = plant.formulation, plant.mechanism
        events = mechanism.events if self._with_events else ()
        drives, prepare_drives, observe, prepare_observe = "", Preparation(), "", Preparation()
        if formulation.driven:
            drives, prepare_drives = self._named(plant, "drives", "drives_motions")
        if mechanism.law_outputs:
            observe, prepare_observe = self._named(plant, "law_outputs", "law_outputs_formula")
        sense, prepare_sense, senses_motion = "", Preparation(), False
        if mechanism.sensors:
            formula = f"{SENSOR_OUTPUTS}_formula"
            sense, prepare_sense = self._named(plant, SENSOR_OUTPUTS, formula)
            senses_motion = needs_motion(plant.program(SENSOR_OUTPUTS))
        limit = sys.float_info.max
        bounds = [plant.bounds[c] for c in plant.coordinates]
        return ModeRow(
            name=name,
            n=plant.n,
            states=len(mechanism.states),
            inputs=len(plant.inputs),
            rows=len(formulation.rows),
            turned=mechanism.turned,
            choices=tuple(self._choice(plant, known) for known in formulation.known),
            events=tuple(self._event(plant, k, e) for k, e in enumerate(events)),
            **self._formulas(plant),
            drives=drives,
            prepare_drives=prepare_drives,
            observe=observe,
            prepare_observe=prepare_observe,
            observed=len(mechanism.law_outputs),
            sense=sense,
            prepare_sense=prepare_sense,
            sensed=len(mechanism.sensor_signals),
            senses_motion=senses_motion,
            input_places=input_places(plant, inputs),
            output_places=output_places(plant, outputs),
            q=_floats(formulation.positions.first.q),
            qd=_floats(mechanism.first_qd),
            z=_floats(plant.first_states),
            most=tuple(min(limit, float(pair[side])) for side in (0, 1) for pair in bounds),
            units=_floats(size_of(mechanism).units),
            **self._free(plant),
        )

    def _free(self, plant: BarePlant) -> dict[str, Any]:
        """What lets a mode choose independent coordinates while it runs."""
        formulation = plant.formulation
        if not formulation.chooses_freely:
            return {}
        terms, prepare = self._named(plant, TERMS, "terms")
        return {
            "terms": terms,
            "prepare_terms": prepare,
            "row_sizes": _floats(formulation.rows.first_sizes),
            "roles": tuple(int(role) for role in roles(formulation, plant.n)),
        }

    def _choice(self, plant: BarePlant, known: Partition) -> ChoiceRow:
        """One choice of independent coordinates, with the integrators built for it."""
        formulation = plant.formulation.with_partition(known)
        suffix = formulation.code.suffix
        rates, prepare = self._named(plant, formulation.motion_function, "rates")
        prefix = rates.removesuffix("_rates")
        carried = formulation.carried
        found: dict[str, object] = {
            "independent": carried.independent,
            "dependent": carried.dependent,
            "driven": carried.driven,
            "rows": carried.rows,
            "autonomous": formulation.code.autonomous,
        }
        found |= {kind: f"{prefix}_{kind}" for kind in formulation.code.beside_rates}
        found |= self._implicit(plant, suffix)
        found |= self._contacts(plant, suffix)
        project = f"project{suffix}"
        if plant.equations.is_built(project):
            found["project"], found["prepare_project"] = self._named(
                plant, project, f"{project}_formula"
            )
        return ChoiceRow(prepare=prepare, rates=rates, **found)  # type: ignore[arg-type]

    def _implicit(self, plant: BarePlant, suffix: str) -> dict[str, object]:
        found: dict[str, object] = {}
        predictor, jacobian = f"{steps.PREDICTOR}{suffix}", f"{steps.JACOBIAN}{suffix}"
        if plant.equations.is_built(predictor):
            predict, prepare = self._named(plant, predictor, "predict")
            kept = len(plant.program(predictor).outputs[-1].exprs)
            correct = predict.removesuffix("predict") + "correct"
            found |= {"prepare_steps": prepare, "predict": predict, "correct": correct}
            found["kept"] = kept
            if plant.mechanism.hard_contacts:
                found["respond"] = predict.removesuffix("predict") + "respond"
        if plant.equations.is_built(jacobian):
            found["jacobian"], found["prepare_jacobian"] = self._named(plant, jacobian, "jacobian")
        return found

    def _contacts(self, plant: BarePlant, suffix: str) -> dict[str, object]:
        """Hard contacts of a choice."""
        function = f"{CONTACT_ROWS}{suffix}"
        if not plant.equations.is_built(function):
            return {}
        rows, prepare = self._named(plant, function, "contacts")
        table = contact_table(plant.mechanism, plant.program(function), rows)
        return {"prepare_contacts": prepare, "contacts": table}

    def _formulas(self, plant: BarePlant) -> dict[str, Any]:
        """What events of a mode read and set, whatever its independent coordinates."""
        if not self._with_events:
            return {}
        energy, prepare = self._named(plant, "mode_energy", "mode_energy_formula")
        prefix = energy.removesuffix("mode_energy_formula")
        events = plant.mechanism.events
        programs = plant.equations.native_engine("mode_energy").unit.programs
        return {
            "prepare_events": prepare,
            "indicators": f"{prefix}indicators_formula" if events else "",
            "energy": energy,
            "next": tuple(f"{prefix}to_{event.name}_formula" for event in events),
            "settled": tuple(
                f"{prefix}settle_{event.name}_formula" if event.settles_in is not None else ""
                for event in events
            ),
            "widest": max(sum(len(o.exprs) for o in p.outputs) for p in programs),
        }

    def _event(self, plant: BarePlant, k: int, event: Event) -> EventRow:
        """What ends a mode."""
        settles = -1 if event.settles_in is None else self._numbers[event.settles_in]
        impact, places = -1, tuple[int, ...]()
        if event.impact is not None:
            impact = self._numbers[event.impact]
            places = restitution_places(plant, k, event, self._plants[event.impact])
        return EventRow(
            name=event.name,
            direction=DIRECTIONS[event.direction],
            target=self._numbers[event.to],
            settles_in=settles,
            impact=impact,
            restitutions=places,
            tolerance=event.tolerance or 0.0,
        )

    def _named(self, plant: BarePlant, function: str, kind: str) -> tuple[str, Preparation]:
        """Name in C of something that belongs to a function, and how it is prepared."""
        engine = plant.equations.native_engine(function)
        self._engines[id(engine)] = engine
        prefix = engine.unit.prefix
        count = len(engine.unit.prepare.outputs[0].exprs)
        return f"{prefix}_{kind}", Preparation(f"{prefix}_prepare", count)


def restitution_places(
    plant: BarePlant, k: int, event: Event, impact: BarePlant
) -> tuple[int, ...]:
    """Where `indicators` tells the restitution of each row of an impact.

    Args:
        plant: the mode that the event ends.
        k: number of the event in it.
        event: the event.
        impact: the mode whose constraints the velocities run into.

    Raises:
        InputError: a restitution belongs to no row, or to one that is not in use.
    """
    own, first = rows_named(impact, event), first_of_rows(plant, k)
    rows = impact.formulation.rows.names
    common = len(plant.mechanism.events) + k
    return tuple(first + own[row] if row in own else common for row in rows)


def first_of_rows(plant: BarePlant, k: int) -> int:
    """Where `indicators` begins to tell restitutions of single rows of an event."""
    events = plant.mechanism.events
    return 2 * len(events) + sum(len(event.row_restitution) for event in events[:k])


def rows_named(impact: BarePlant, event: Event) -> dict[str, int]:
    """Of rows in use that have a restitution of their own, which one of the event it is.

    Raises:
        InputError: a restitution belongs to no row, or to one that is not in use.
    """
    mode = impact.mechanism.mode
    every, used = impact.formulation.rows.names, impact.formulation.row_names
    found: dict[str, int] = {}
    for number, (name, _) in enumerate(event.row_restitution):
        meant = [row for row in every if name in (row, row.rpartition(".")[0])]
        lost = [row for row in meant if row not in used]
        if not meant:
            raise InputError(
                f"event '{event.name}': mode '{mode}' has no constraint '{name}', for which a "
                "restitution is given",
                fix=f"It has: {', '.join(used) or 'none'}.",
            )
        if lost:
            raise InputError(
                f"event '{event.name}': row '{lost[0]}' is redundant in mode '{mode}', so it "
                "cannot have its own restitution",
                fix=f"Give restitutions only for: {', '.join(used)}.",
            )
        found |= dict.fromkeys(meant, number)
    return found


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
