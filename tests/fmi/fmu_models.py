"""Plants of the tests of FMUs, and an importer that calls their functions by itself."""

from __future__ import annotations

import functools
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy
import numpy as np

import inloop as il
from inloop import gallery
from inloop.realtime.closing import Closing

PLATFORM = (fmpy.platform_tuple,)
STEP = 1e-3


def controlled_cart() -> il.Model:
    """A cart with a sampled controller inside."""

    def pd(t: Any, outputs: Any, kp: float = 90.0, kd: float = 14.0) -> dict[str, Any]:
        return {"rail.tau": kp * (0.25 - outputs["rail.q"]) - kd * outputs["rail.qd"]}

    m = il.Model("controlled_cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    m.controller(pd, period=5e-3)
    return m


def reference_ball() -> il.Model:
    """The bouncing ball of the FMI project: h = 1 m, g = -9.81 m/s², e = 0.7.

    https://github.com/modelica/Reference-FMUs, BouncingBall.
    """
    m = il.Model(
        "reference_ball",
        gravity=lambda m: (0.0, 0.0, m.parameter("g", -9.81, unit="m/s^2")),
    )
    e = m.parameter("e", 0.7, unit="1", range=(0.0, 1.0))
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(1.0, 0.0)), mass=1.0)
    flight, rest = m.mode("flight"), m.mode("rest")
    with m.during(rest):
        m.lock(ball, name="floor")
    m.event("bounce", lambda q: q["ball"], mode=flight, impact=rest, restitution=e, settles_in=rest)
    return m


def driven_slide() -> il.Model:
    """A mass that an input pushes."""
    m = il.Model("driven_slide")
    mass = m.parameter("mass", 0.5, unit="kg", range=(0.1, 5.0))
    m.body("slide", on=m.ground, joint=il.prismatic("x", name="slide"), mass=mass)
    return m


def driven_pendulum() -> il.Model:
    """A damped pendulum that an input turns; hanging at 0."""
    m = il.Model("driven_pendulum", gravity=(0.0, 0.0, -9.81))
    rod = m.body(
        "rod",
        on=m.ground,
        joint=il.revolute("y", name="hinge"),
        mass=1.7,
        com=(0.0, 0.0, -0.4),
        inertia=(0.1, 0.3, 0.2),
    )
    m.joint_force(rod, lambda qd: -0.2 * qd, name="damper")
    return m


def led_arm() -> il.Model:
    """An arm on a slide that follows a function of time: no loops, and one coordinate is driven."""
    m = il.Model("led_arm", gravity=(0.0, 0.0, -9.81))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x", name="slide"), mass=0.7)
    m.body(
        "arm",
        on=slide,
        joint=il.revolute("y", name="arm"),
        mass=1.1,
        com=(0.0, 0.0, -0.3),
        inertia=(0.1, 0.2, 0.3),
    )
    m.drive(slide, lambda t: 0.2 * il.sin(9.0 * t))
    return m


def emptied_tank() -> il.Model:
    """A falling tank whose mass is a difference of two parameters."""
    m = il.Model("emptied_tank")
    full = m.parameter("full", 2.0, unit="kg", range=(0.0, 5.0))
    lost = m.parameter("lost", 0.5, unit="kg", range=(0.0, 5.0))
    m.body("tank", on=m.ground, joint=il.prismatic("z"), mass=full - lost)
    return m


MODELS = {
    "emptied_tank": emptied_tank,
    "led_arm": led_arm,
    "driven_pendulum": driven_pendulum,
    "controlled_cart": controlled_cart,
    "reference_ball": reference_ball,
    "driven_slide": driven_slide,
}


@functools.cache
def plant_named(name: str) -> il.Plant:
    """A plant of the gallery, one of those above, or "redundant" in front of a name."""
    if name.startswith("redundant "):
        return gallery.get(name.split()[1]).build().compile(formulation="redundant")
    if name in MODELS:
        return MODELS[name]().compile()
    return gallery.get(name).build().compile()


@dataclass(frozen=True)
class Exported:
    plant: il.Plant
    file: Path
    version: str

    def run(self, kind: str, t_end: float, **options: Any) -> Any:
        """Columns by name, as fmpy's simulation tells them."""
        options = {"output_interval": STEP, "record_events": False, **options}
        return fmpy.simulate_fmu(str(self.file), stop_time=t_end, fmi_type=kind, **options)


class Importer(Closing):
    """Instances of one FMU, led by hand."""

    def __init__(self, exported: Exported, kind: str = "CoSimulation", **options: Any) -> None:
        self.two = exported.version == "2.0"
        self.folder = fmpy.extract(str(exported.file))
        self.about = fmpy.read_model_description(self.folder)
        self.number = {v.name: v.valueReference for v in self.about.modelVariables}
        self.said: list[str] = []
        self.kind, self.options = kind, options

    def make(self, **more: Any) -> Any:
        options = {**self.options, **more}
        return fmpy.instantiate_fmu(
            self.folder, self.about, self.kind, logger=self._listen, **options
        )

    def start(self, fmu: Any, **values: float) -> None:
        """Through initialization, with values to begin with."""
        named = {name.replace("__", "."): value for name, value in values.items()}
        if self.two:
            fmu.setupExperiment(startTime=0.0)
        self.set(fmu, named)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()

    def set(self, fmu: Any, values: dict[str, float]) -> None:
        if values:
            numbers = [self.number[name] for name in values]
            (fmu.setReal if self.two else fmu.setFloat64)(numbers, list(values.values()))

    def get(self, fmu: Any, *names: str) -> np.ndarray:
        numbers = [self.number[name] for name in names]
        return np.array((fmu.getReal if self.two else fmu.getFloat64)(numbers))

    def steps(self, fmu: Any, first: int, count: int) -> None:
        for k in range(first, first + count):
            fmu.doStep(k * STEP, STEP)

    def _listen(self, *words: Any) -> None:
        last = words[-1]
        self.said.append(last.decode() if isinstance(last, bytes) else str(last))

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
