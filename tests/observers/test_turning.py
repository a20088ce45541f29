"""A satellite that tumbles: quaternions in the state, turns in the error."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.gallery.satellite import satellite

PERIOD = 0.02
RATES = ("hull_wx.qd", "hull_wy.qd", "hull_wz.qd")


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_attitude_and_rates_from_a_mast_and_gyros(method: str) -> None:
    plant = satellite().compile()
    places = ["mast.x", "mast.y", "mast.z"]
    moving = [name.removesuffix(".qd") for name in RATES]
    far = [c for c in plant.coordinates if c not in moving]
    measured = {**dict.fromkeys(RATES, 0.01), **dict.fromkeys(places, 5e-3)}
    measured |= {f"{name}.q": 1e-3 for name in far}
    observer = il.observer(
        plant, measured=measured, disturbances={f"{c}.tau": 0.2 for c in moving}, method=method,
        doubt={**{f"{c}.{k}": 0.05 for c in moving for k in ("q", "qd")},
               **{f"{c}.{k}": 1e-3 for c in far for k in ("q", "qd")}},
        period=PERIOD,
    )  # fmt: skip
    draw, errors, covariances = np.random.default_rng(2), [], []
    for _ in range(8):
        observer.reset()
        stepper = tumbling(plant, draw, moving, far)
        errors.append([])
        covariances.append([])
        for _ in range(40):
            seen = {name: stepper[name] + s * draw.normal() for name, s in measured.items()}
            estimate = observer.step(seen)
            truth = stepper.look()
            errors[-1].append(observer.errors(truth.q[0], truth.qd[0]))
            covariances[-1].append(estimate.covariance)
            for name in moving:
                stepper.tau[name] = 0.2 * draw.normal()
            stepper.step()
    found = il.observers.nees(errors, covariances)
    assert found.inside >= 0.85, found
    quaternion = estimate.q[plant.n :]
    assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-12)
    # it has turned a good deal, and the estimate with it
    assert np.abs(quaternion - [1.0, 0.0, 0.0, 0.0]).max() > 0.5


def tumbling(
    plant: il.Plant, draw: np.random.Generator, moving: list[str], far: list[str]
) -> il.Stepper:
    """The truth at a start that is drawn about that of the plant."""
    turn = 0.05 * draw.normal(size=3)
    first = plant.stepper(step=PERIOD).look()
    delta = np.zeros(plant.n)
    for name, part in zip(moving, turn, strict=True):
        delta[plant.coordinates.index(name)] = part
    for name in far:
        delta[plant.coordinates.index(name)] = 1e-3 * draw.normal()
    q = plant.configuration.moved(first.q, delta[None])[0]
    spread = np.array([0.05 if name in moving else 1e-3 for name in plant.coordinates])
    return plant.stepper(step=PERIOD, q=q, qd=first.qd[0] + spread * draw.normal(size=plant.n))
