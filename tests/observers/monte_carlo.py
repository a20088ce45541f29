"""Truth and sensors for observers: runs of a stepper with noise drawn as the observer believes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

import inloop as il

Array = np.ndarray


@dataclass
class Scene:
    """A plant, how it is observed, and what is wrong with inputs and sensors.

    Attributes:
        plant: of the truth.
        measured, disturbances: as the observer is told.
        start: deviations of the start by coordinate, of q and qd.
        q, qd: the mean start.
        inputs: what is held from a time on, by name; from true outputs by name.
        period: [s].
        options: others of the observer.
    """

    plant: il.Plant
    measured: Mapping[str, float]
    disturbances: Mapping[str, float]
    start: Mapping[str, tuple[float, float]]
    q: Mapping[str, float] = field(default_factory=dict)
    qd: Mapping[str, float] = field(default_factory=dict)
    inputs: Callable[[float, Mapping[str, float]], Mapping[str, float]] = lambda t, y: {}
    period: float = 1e-3
    options: Mapping[str, object] = field(default_factory=dict)

    def observer(self, **options: object) -> il.observers.Observer:
        doubt = {f"{n}.q": s[0] for n, s in self.start.items()}
        doubt |= {f"{n}.qd": s[1] for n, s in self.start.items()}
        doubt |= dict(self.options.get("doubt", {}))
        given = {**self.options, **options, "doubt": doubt}
        return il.observer(
            self.plant, measured=self.measured, disturbances=self.disturbances, q=self.q,
            qd=self.qd, period=self.period, **given,
        )  # fmt: skip


@dataclass
class Runs:
    """Errors, covariances and NIS of all runs: shapes (runs, samples, ...)."""

    errors: Array
    covariances: Array
    nis: Array

    def nees(self, kept: list[int] | slice = slice(None)) -> il.observers.Consistency:
        P = self.covariances[:, :, kept][:, :, :, kept]
        return il.observers.nees(self.errors[:, :, kept], P)


def run(
    scene: Scene, observer: il.observers.Observer, runs: int, samples: int, seed: int = 1
) -> Runs:
    """Truth from the plant's own stepper, beside the observer."""
    draw = np.random.default_rng(seed)
    found: list[list[list[Array]]] = [[], [], []]
    for _ in range(runs):
        rows = one_run(scene, observer, samples, draw)
        for part, row in zip(found, rows, strict=True):
            part.append(row)
    return Runs(*(np.array(part) for part in found))


def one_run(
    scene: Scene, observer: il.observers.Observer, samples: int, draw: np.random.Generator
) -> tuple[list[Array], list[Array], list[float]]:
    observer.reset()
    q = {n: scene.q.get(n, 0.0) + s[0] * draw.normal() for n, s in scene.start.items()}
    qd = {n: scene.qd.get(n, 0.0) + s[1] * draw.normal() for n, s in scene.start.items()}
    stepper = scene.plant.stepper(step=scene.period, q={**scene.q, **q}, qd={**scene.qd, **qd})
    names, values = stepper.output_names, np.zeros(len(stepper.output_names))
    seen = [names.index(name) for name in scene.measured]
    noise = np.array(list(scene.measured.values()))
    laws = scene.plant.mechanism.state_names
    n, held = scene.plant.n, np.zeros(len(stepper.input_names))
    at = {name: k for k, name in enumerate(stepper.input_names)}
    errors, covariances, squares = [], [], []
    for _ in range(samples):
        stepper.outputs(values)
        observer.update(values[seen] + noise * draw.normal(size=len(seen)), held)
        z = {name: values[names.index(name)] for name in laws}
        errors.append(observer.errors(values[:n], values[n : 2 * n], z))
        covariances.append(observer.covariance)
        squares.append(observer.nis)
        known = dict(zip(names, values, strict=True))
        for name, value in scene.inputs(stepper.t, known).items():
            held[at[name]] = value
        acting = held.copy()
        for name, deviation in scene.disturbances.items():
            acting[at[name]] += deviation * draw.normal()
        stepper.hold(acting)
        stepper.step()
    return errors, covariances, squares
