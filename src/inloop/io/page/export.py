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
from inloop.simulate.schedules import METHODS
from inloop.studio.drawing.stage import Stage, make_stage

MET = 3.0  # [s], in which choices of coordinates are met


@dataclass(frozen=True)
class CarriedPlant:
    """A plant made ready for a page.

    Attributes:
        title: one line.
        wasm: the plant.
        facts: what the page must know of it; plain data.
        meshes: of its drawing, packed, by name.
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
    """Write a page that carries the plant, with the parameters as they are now.

    Args:
        plant: the compiled mechanism.
        file: to write, best with the ending .html.
        rate: steps per simulated second [Hz].
        substeps: steps of the integrator per period.
        method: integrator; what a rehearsal of 1 s allows by default.
        speed: simulated seconds per second to begin with.
        stage: how it looks; drawn from its points or its visuals by default.
        name: under which browsers keep which signals are plotted; that of the model by default.

    Returns:
        The file.

    Raises:
        InputError: rate, sub-steps, speed or method make no sense.
        BuildError: there is no compiler for WebAssembly; says what to install.
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
    target.write_text(text, encoding="utf-8")
    return target


@dataclass(frozen=True)
class Pace:
    """How a plant runs in a page.

    Attributes:
        rate: records per simulated second [Hz].
        substeps: steps of the integrator between two of them.
        speed: simulated seconds per second to begin with.
    """

    rate: float
    substeps: int = 1
    speed: float = 1.0

    @property
    def step(self) -> float:
        """Of the integrator [s]."""
        return 1.0 / (self.rate * self.substeps)


def carry(
    plant: BarePlant, pace: Pace, method: str | None, stage: Stage, name: str = ""
) -> CarriedPlant:
    """Compile a plant for a page; see `export_page`."""
    check_step(plant.by_mode or {plant.name: plant}, pace.step)
    method = method_for_export(plant, method, pace.step, REHEARSED)
    if plant.formulation.partition.dependent and not plant.by_mode:
        # choices of coordinates that it needs are compiled, as before it runs in real time
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
    """The plant as real time would run it: names, sizes and facts of its records."""
    wiring = wire(
        plant, period=1.0 / pace.rate, step=pace.step, method=METHODS[method],
        q=None, qd=None, tau=None, inputs={}, motions={},
    )  # fmt: skip
    facts = element_facts(plant.by_mode or {plant.name: plant})
    return replace(wiring, layout=replace(wiring.layout, about=tuple(facts.items())))
