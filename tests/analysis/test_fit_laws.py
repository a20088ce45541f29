"""Friction with states from measured motion and efforts: one joint in CI, the PUMA 560 by hand."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy
from puma_lugre import KINDS, LugreTrials

import inloop as il

STEP, END = 1e-3, 3.0  # [s]
TRUTH = {"s0": 3100.0, "fc": 2.3, "fs": 3.4, "vs": 0.07, "s2": 0.8, "inertia": 0.13}
NOISE = 0.05  # of the efforts [N m]


def joint(**parts: float) -> il.Plant:
    """A disc on a motor with LuGre friction, whose parameters are parts of the truth."""
    m = il.Model("disc", gravity=(0.0, 0.0, 0.0))
    live = {
        name: m.parameter(name, parts.get(name, 1.0) * value, range=(1e-3 * value, 1e3 * value))
        for name, value in TRUTH.items()
    }
    m.body("disc", on=m.ground, joint=il.revolute("z", armature=live["inertia"]), mass=1.0)
    m.lugre(
        "disc", stiffness=live["s0"], coulomb=live["fc"], static=live["fs"], stribeck=live["vs"],
        viscous=live["s2"], damping=0.0, elastic=0.0,
    )  # fmt: skip
    return m.compile()


@functools.cache
def measured() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, positions and efforts; bristles by SciPy from the formulas of the source."""
    t = np.arange(0.0, END, STEP)
    rate = 2.0 * np.pi / 3.0
    q = 0.1 * np.sin(rate * t) + 0.07 * np.sin(3.0 * rate * t + 0.4)

    def speed(t: float | np.ndarray) -> np.ndarray:
        return rate * (0.1 * np.cos(rate * t) + 0.21 * np.cos(3.0 * rate * t + 0.4))

    def bristles(t: float, z: np.ndarray) -> np.ndarray:
        v = speed(t)
        level = TRUTH["fc"] + (TRUTH["fs"] - TRUTH["fc"]) * np.exp(-((v / TRUTH["vs"]) ** 2))
        return v - TRUTH["s0"] * np.abs(v) * z / level

    z = scipy.integrate.solve_ivp(bristles, (0.0, END), [0.0], "LSODA", t, rtol=1e-9, atol=1e-12).y
    qdd = -(rate**2) * (0.1 * np.sin(rate * t) + 0.63 * np.sin(3.0 * rate * t + 0.4))
    tau = TRUTH["inertia"] * qdd + TRUTH["s0"] * z[0] + TRUTH["s2"] * speed(t)
    return t, q[:, None], tau[:, None] + NOISE * np.random.default_rng(3).normal(size=(len(t), 1))


def test_lugre_friction_of_one_joint() -> None:
    plant = joint(s0=0.7, fc=1.2, fs=0.85, vs=1.4, s2=0.6, inertia=1.3)
    t, q, tau = measured()
    found = il.identify.fit_laws(plant, t, q, tau, list(TRUTH), cutoff=20.0)
    off = (found.values - list(TRUTH.values())) / found.deviations
    assert np.abs(off).max() < 4.0, dict(zip(TRUTH, off, strict=True))
    assert found.noise[0] == pytest.approx(NOISE, rel=0.1)
    assert found.deviations[0] < 0.05 * TRUTH["s0"] and found.deviations[1] < 0.02 * TRUTH["fc"]
    assert not found.unidentified


@pytest.mark.long
def test_lugre_friction_behind_a_sensor_with_steps() -> None:
    plant = joint(s0=0.7, fc=1.2, fs=0.85, vs=1.4, s2=0.6, inertia=1.3)
    t, q, tau = measured()
    found = il.identify.fit_laws(plant, t, q, tau, list(TRUTH), cutoff=20.0)
    # a sensor with steps makes the stiffness of the bristles less certain, inertia hardly
    coarse = 2e-4
    rounded = np.round(q / coarse) * coarse
    again = il.identify.fit_laws(
        plant, t, rounded, tau, list(TRUTH), cutoff=20.0, resolution={"disc": coarse}
    )
    assert again.deviations[0] > 1.2 * found.deviations[0]
    off = (again.values - list(TRUTH.values())) / again.deviations
    assert np.abs(off).max() < 4.0, dict(zip(TRUTH, off, strict=True))


def test_efforts_of_another_joint_are_refused() -> None:
    plant = joint()
    t, q, tau = measured()
    other = tau + 1.5 * np.sin(8.0 * q)
    with pytest.raises(il.ResidualError, match="does not explain"):
        il.identify.fit_laws(plant, t, q, other, ["s0", "fc", "fs", "vs"], cutoff=20.0)


@pytest.mark.long
def test_lugre_friction_of_the_puma() -> None:
    trials = LugreTrials()
    found = trials.fit(1)
    count = len(trials.names)
    part = np.abs(found.values[:count] / trials.truth - 1.0).reshape(len(KINDS), 6).max(axis=1)
    within = dict(zip(KINDS, part, strict=True))
    assert within["stiffness"] < 0.2 and within["coulomb"] < 0.03 and within["static"] < 0.03
    assert within["stribeck"] < 0.03
    truth = np.concatenate([trials.truth, trials.base.values])
    off = (found.values - truth) / found.deviations
    assert np.mean(np.abs(off) < 3.0) >= 0.95
