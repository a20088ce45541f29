"""What an unknown force was some samples ago: against a smoother of Rauch, Tung and Striebel."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

PERIOD, LAG, SAMPLES = 2e-3, 4, 40


def observed(oscillator: il.Plant, lag: int, method: str = "ekf") -> il.observers.Observer:
    return il.observer(
        oscillator,
        measured={"rail.q": 2e-5},
        unknown={"rail.tau": il.observers.Unknown(400.0, doubt=0.3, smooth=True, lag=lag * PERIOD)},
        disturbances={"rail.tau": 0.05},
        doubt={"rail.q": 1e-3, "rail.qd": 1e-2},
        period=PERIOD,
        method=method,
        q={"rail": 0.1},
        qd={"rail": 0.3},
    )


def measured() -> np.ndarray:
    t = PERIOD * np.arange(SAMPLES)
    return 0.1 + 0.3 * t + 2.0 * t**2 + 2e-5 * np.random.default_rng(4).normal(size=SAMPLES)


def by_hand(oscillator: il.Plant) -> tuple[float, float]:
    """The force LAG samples before the last one, and its deviation: forward, then backward."""
    observer = observed(oscillator, 0)
    F, Q, H = observer.linear()
    at = observer.states.index("rail.tau.unknown")
    first = np.array([0.1, 0.3, 0.0, 0.0])
    x, P, rows = first, np.diag([1e-3, 1e-2, 0.3, 0.0]) ** 2, []
    for k, y in enumerate(measured()):
        x_before, P_before = (F @ x, F @ P @ F.T + Q) if k else (x, P)
        S = H @ P_before @ H.T + 2e-5**2
        gain = P_before @ H.T / S
        x = x_before + gain[:, 0] * (y - H[0] @ x_before)
        P = P_before - gain @ H @ P_before
        rows.append((x_before, P_before, x, P))
    for k in range(SAMPLES - 2, SAMPLES - 2 - LAG, -1):
        x_next, P_next, x_then, P_then = *rows[k + 1][:2], *rows[k][2:]
        back = np.linalg.solve(P_next, F @ P_then).T
        x, P = x_then + back @ (x - x_next), P_then + back @ (P - P_next) @ back.T
    return float(x[at]), float(np.sqrt(P[at, at]))


@pytest.mark.parametrize(("method", "off"), [("ekf", 1e-9), ("ukf", 1e-6)])
def test_a_force_some_samples_ago(oscillator: il.Plant, method: str, off: float) -> None:
    force, deviation = by_hand(oscillator)
    observer = observed(oscillator, LAG, method)
    for y in measured():
        estimate = observer.step({"rail.q": float(y)})
    name = f"rail.tau.unknown.ago_{LAG}"
    assert estimate[name] == pytest.approx(force, rel=off)
    assert estimate.deviations[name] == pytest.approx(deviation, rel=off)
    # it is surer of then than of now
    assert deviation < 0.7 * estimate.deviations["rail.tau.unknown"]


def test_in_a_loop_it_is_a_signal_with_its_unit(oscillator: il.Plant) -> None:
    told = dict(observed(oscillator, LAG).follower().told)
    assert told[f"observer.rail.tau.unknown.ago_{LAG}"] == "N"
    assert told["observer.rail.tau.unknown.ago_1.deviation"] == "N"
    assert f"observer.rail.tau.unknown.ago_{LAG + 1}" not in told


def test_a_lag_that_makes_no_sense_is_refused(oscillator: il.Plant) -> None:
    for lag in (0.4, 101):
        with pytest.raises(il.InputError, match="is not a whole number of up to 100 periods"):
            observed(oscillator, lag)
    with pytest.raises(il.InputError, match="method 'mhe' does not support lag="):
        observed(oscillator, LAG, "mhe")
