"""`export_page`: a plant as one HTML file that runs it, without server, network or compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inloop.errors import InputError
from inloop.io.page.facts import greeting, plant_facts
from inloop.io.page.page_file import page_text
from inloop.io.page.plant_code import page_code
from inloop.io.page.wasm import build_wasm
from inloop.plant import BarePlant
from inloop.realtime.elements import element_facts
from inloop.realtime.options import RATES
from inloop.realtime.wiring import Wiring, wire
from inloop.simulate.controlled.compiled import check_step
from inloop.simulate.fixed_steps import REHEARSED, method_for_export
from inloop.simulate.rehearsal import rehearse
from inloop.simulate.results.whole_files import replacing
from inloop.simulate.schedules import METHODS
from inloop.studio.drawing.stage import Stage, make_stage

MET = 3.0  # [s], rehearsal in which choices of coordinates are found


@dataclass(frozen=True)
class CarriedPlant:
    """A plant prepared for a page.

    Attributes:
        title: one-line title.
        wasm: the compiled plant.
        facts: data about the plant for the page.
        meshes: packed meshes of its drawing, by name.
    """

    title: str
    wasm: bytes
    facts: Mapping[str, Any]
    meshes: Mapping[str, bytes]


def export_page(
    plant: BarePlant,
    file: str | Path,
    *,
    rate: float = 1000.0,
    substeps: int = 1,
    method: str | None = None,
    speed: float = 1.0,
    stage: Stage | None = None,
    name: str = "",
) -> Path:
    """Write a page that contains the plant, with its current parameters.

    Args:
        plant: the compiled mechanism.
        file: path of the page, preferably ending in .html.
        rate: steps per simulated second [Hz].
        substeps: integrator steps per period.
        method: integrator; default: selected by a rehearsal of 1 s.
        speed: initial speed, in simulated seconds per second.
        stage: its appearance; default: drawn from its points or its visuals.
        name: key under which browsers store the selection of plotted signals; default: the
            model's name.

    Returns:
        Path of the file.

    Raises:
        InputError: invalid rate, sub-steps, speed or method.
        BuildError: no compiler for WebAssembly; the message says what to install.
    """
    if not (RATES[0] <= rate <= RATES[1] and 1 <= substeps <= 1000 and 1e-3 <= speed <= 1e3):
        raise InputError(
            f"a page cannot run at {rate} Hz with {substeps} sub-steps, {speed} times as fast",
            fix=f"Use {RATES[0]:g} to {RATES[1]:g} Hz, 1 to 1000 sub-steps, speeds 0.001 to 1000.",
        )
    pace = Pace(float(rate), int(substeps), float(speed))
    carried = carry(plant, pace, method, stage or make_stage(plant.mechanism), name)
    target = Path(file)
    text = page_text(carried.title, carried.wasm, carried.facts, carried.meshes)
    with replacing(target) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return target


@dataclass(frozen=True)
class Pace:
    """Timing of a plant in a page.

    Attributes:
        rate: records per simulated second [Hz].
        substeps: integrator steps between two records.
        speed: initial speed, in simulated seconds per second.
    """

    rate: float
    substeps: int = 1
    speed: float = 1.0

    @property
    def step(self) -> float:
        """Step size of the integrator [s]."""
        return 1.0 / (self.rate * self.substeps)


def carry(
    plant: BarePlant, pace: Pace, method: str | None, stage: Stage, name: str = ""
) -> CarriedPlant:
    """Compile a plant for a page; see `export_page`."""
    check_step(plant.by_mode or {plant.name: plant}, pace.step)
    method = method_for_export(plant, method, pace.step, REHEARSED)
    if plant.formulation.partition.dependent and not plant.by_mode:
        # compile the choices of coordinates that it needs, as before a real-time run
        rehearse(plant, t_end=MET, step=pace.step, method=method)
    assert stage.library is not None
    wiring = _wired(plant, pace, method)
    values = dict(zip(plant.parameters, map(float, plant.parameters.values_array), strict=True))
    hello = greeting(stage, wiring.layout, name or plant.name, values)
    facts = plant_facts(stage, wiring.layout, hello, values) | {
        "method": int(METHODS[method]),
        "step": pace.step,
        "substeps": pace.substeps,
        "speed": pace.speed,
    }
    wasm = build_wasm(page_code(plant, stage.library, wiring.reach, method, pace.step))
    return CarriedPlant(stage.title, wasm, facts, stage.meshes)


def _wired(plant: BarePlant, pace: Pace, method: str) -> Wiring:
    """The plant as in a real-time run: names, sizes and metadata of its records."""
    wiring = wire(
        plant, period=1.0 / pace.rate, step=pace.step, method=METHODS[method],
        q=None, qd=None, tau=None, inputs={}, motions={},
    )  # fmt: skip
    facts = element_facts(plant.by_mode or {plant.name: plant})
    return replace(wiring, layout=replace(wiring.layout, about=tuple(facts.items())))
