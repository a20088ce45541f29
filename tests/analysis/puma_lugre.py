"""A PUMA 560 with LuGre friction, measured as such robots are: a fast motion, then the same slowly.

Efforts come from Pinocchio; bristles are integrated by SciPy from the formulas of Canudas de Wit et
al. 1995, written down here once more.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy
from puma_trials import COUNTS, CURRENT_NOISE, GEAR, PEAK, efforts

import inloop as il
from inloop.gallery.puma560.model import DH_TABLE, puma560

STEP, FAST, SLOW = 1e-3, 10.0, 50.0  # [s]
SLOWER = 0.06  # speed of the second part, of that of the first
CUTOFF = 10.0  # [Hz]
KINDS = ("stiffness", "coulomb", "static", "stribeck", "viscous")
FIRST = np.array([0.6, 1.2, 0.85, 1.4, 0.8])  # where the search begins, as parts of the truth


def true_friction() -> np.ndarray:
    """Of each joint, in the order of KINDS, shape (6, 5)."""
    coulomb = GEAR * np.abs([row.coulomb for row in DH_TABLE]).mean(axis=1)
    viscous = GEAR**2 * np.array([row.viscous for row in DH_TABLE])
    deflection = np.array([1.0, 1.3, 0.9, 1.6, 1.2, 1.4]) * 1e-3  # in steady sliding [rad]
    speed = np.array([0.06, 0.05, 0.07, 0.08, 0.06, 0.07])  # of the transition [rad/s]
    static = np.array([1.5, 1.4, 1.6, 1.5, 1.7, 1.6]) * coulomb
    return np.stack([coulomb / deflection, coulomb, static, speed, viscous], axis=1)


def puma_with_lugre() -> il.Model:
    """The arm with friction whose parameters are live and wrong."""
    m = puma560()
    for joint, row in enumerate(true_friction() * FIRST, start=1):
        live = {
            kind: m.parameter(f"{kind}_{joint}", float(value), range=(1e-3 * value, 1e3 * value))
            for kind, value in zip(KINDS, row, strict=True)
        }
        m.lugre(f"joint_{joint}", damping=0.0, elastic=0.0, name=f"friction_{joint}", **live)
    return m


class LugreTrials:
    """Measurements of the same motion, with other noise each time."""

    def __init__(self) -> None:
        self.plant = puma_with_lugre().compile()
        self.base = il.identify.base_parameters(puma560().compile(), friction=())
        self.t = np.arange(0.0, FAST + SLOW, STEP)
        self.q, qd, qdd = self._motion()
        self.tau = efforts(self.q, qd, qdd) + self._friction(qd)
        self.truth = true_friction().T.ravel()
        self.names = [f"{kind}_{joint}" for kind in KINDS for joint in range(1, 7)]

    def _motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A Fourier series along a time that goes slower and slower, then slowly."""
        random = np.random.default_rng(3)
        sines, cosines = random.normal(size=(2, 6, 5))
        names = self.plant.coordinates
        first = il.identify.Excitation(names, FAST, np.zeros(6), sines, cosines)
        scale = 3.0 / np.abs(first(np.arange(0.0, FAST, 0.01))[1]).max(axis=0)[:, None]
        series = il.identify.Excitation(names, FAST, np.zeros(6), scale * sines, scale * cosines)
        # speed of the inner time: 1, then SLOWER, with a smooth way between them
        x = np.clip((self.t - (FAST - 1.0)) / 2.0, 0.0, 1.0)
        fall = 1.0 - SLOWER
        rate = 1.0 - fall * (3.0 - 2.0 * x) * x**2
        slope = -fall * 6.0 * x * (1.0 - x) / 2.0
        inner = np.append(0.0, np.cumsum((rate[1:] + rate[:-1]) / 2.0)) * STEP
        q, qd, qdd = series(inner)
        return q, qd * rate[:, None], qdd * rate[:, None] ** 2 + qd * slope[:, None]

    def _friction(self, qd: np.ndarray) -> np.ndarray:
        s0, fc, fs, vs, s2 = true_friction().T
        speed = scipy.interpolate.CubicSpline(self.t, qd)

        def level(v: np.ndarray) -> np.ndarray:
            return fc + (fs - fc) * np.exp(-((v / vs) ** 2))

        def rate(t: float, z: np.ndarray) -> np.ndarray:
            v = speed(t)
            return v - s0 * np.abs(v) * z / level(v)

        z = scipy.integrate.solve_ivp(
            rate, (0.0, self.t[-1]), np.zeros(6), "LSODA", t_eval=self.t, rtol=1e-8, atol=1e-11
        ).y.T
        return s0 * z + s2 * qd

    def measured(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """What encoders and currents tell."""
        random = np.random.default_rng(seed)
        count = 2.0 * np.pi / (COUNTS * GEAR)
        zero = random.uniform(0.0, 1.0, 6)
        q = (np.round(self.q / count + zero) - zero) * count
        return q, self.tau + CURRENT_NOISE * PEAK * random.normal(size=self.tau.shape)

    def fit(self, seed: int) -> il.Fitted:
        """Friction and base parameters of one trial."""
        q, tau = self.measured(seed)
        count = 2.0 * np.pi / (COUNTS * GEAR)
        return il.identify.fit_laws(
            self.plant, self.t, q, tau, self.names, cutoff=CUTOFF, base=self.base,
            resolution=dict(zip(self.plant.coordinates, count.tolist(), strict=True)),
        )  # fmt: skip


def main(count: int) -> None:
    """Make trials, and print how many values lie within what is asked for."""
    trials = LugreTrials()
    truth = np.concatenate([trials.truth, trials.base.values])
    parts, off = [], []
    for seed in range(1, count + 1):
        found = trials.fit(seed)
        off.append((found.values - truth) / found.deviations)
        parts.append(np.abs(found.values[: len(trials.truth)] / trials.truth - 1.0))
        worst = np.array(parts).reshape(seed, len(KINDS), 6).max(axis=(0, 2))
        within = np.mean(np.abs(off) < 3.0, axis=0)
        told = ", ".join(f"{kind} {100 * x:.1f} %" for kind, x in zip(KINDS, worst, strict=True))
        print(f"{seed} trials: worst {told}; within three deviations {100 * within.min():.1f} % ")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
