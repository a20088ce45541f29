"""Model exchange against what is known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable

import fmpy
import numpy as np
import pytest
from fmu_models import Exported, Importer

Make = Callable[..., Exported]


def bounced(t: float, e: float = 0.7, g: float = 9.81, h: float = 1.0) -> float:
    """Height of a ball that was let go at h, with restitution e [m]."""
    flight = math.sqrt(2.0 * h / g)
    if t < flight:
        return h - 0.5 * g * t * t
    t, speed = t - flight, e * g * flight
    while t > 2.0 * speed / g:
        t, speed = t - 2.0 * speed / g, e * speed
        if speed < 1e-12:
            return 0.0
    return speed * t - 0.5 * g * t * t


@pytest.mark.thinned(2)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_the_reference_ball_bounces_and_comes_to_rest(
    kind: str, version: str, exported: Make
) -> None:
    """The accumulation point lies at √(2h/g) (1 + e)/(1 - e) = 2.56 s."""
    made = exported("reference_ball", version)
    exact = {"relative_tolerance": 1e-11} if kind == "ModelExchange" else {}
    rows = made.run(kind, 3.0, output_interval=1e-2, output=["ball.q", "mode", "events"], **exact)
    expected = [bounced(float(t)) for t in rows["time"]]
    np.testing.assert_allclose(rows["ball.q"], expected, atol=2e-7)
    assert rows["mode"][-1] == 1
    assert rows["events"][-1] > 8


def derivatives(made: Exported) -> tuple[np.ndarray, list[list[float]]]:
    """Columns by q, qd, tau of J qdd = -m g l sin q - d qd + tau: as told, and as they are."""
    with Importer(made, "ModelExchange") as host:
        fmu = host.make()
        host.start(fmu)
        host.set(fmu, {"x[1]": 0.6, "x[2]": -0.8})
        number = host.number
        knowns = [number["x[1]"], number["x[2]"], number["hinge.tau"]]
        unknowns = [number["der(x[1])"], number["der(x[2])"], number["hinge.q"]]
        columns = [fmu.getDirectionalDerivative(unknowns, [known], [1.0]) for known in knowns]
        # along all of them at once
        along = fmu.getDirectionalDerivative(unknowns, knowns, [0.5, -2.0, 3.0])
        np.testing.assert_allclose(along, [0.5, -2.0, 3.0] @ np.array(columns), atol=1e-7)
        np.testing.assert_array_equal(host.get(fmu, "x[1]", "x[2]", "hinge.tau"), [0.6, -0.8, 0.0])
    J = 0.3 + 1.7 * 0.4**2
    stiffness = 1.7 * 9.81 * 0.4 * math.cos(0.6) / J
    return np.array(columns), [[0.0, -stiffness, 1.0], [1.0, -0.2 / J, 0.0], [0.0, 1.0 / J, 0.0]]


def test_directional_derivatives_are_exact(exported: Make) -> None:
    found, expected = derivatives(exported("driven_pendulum"))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-14)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("four_bar", 1e-6),  # loops: estimates of dependent coordinates are states, too
        ("led_arm", 1e-7),  # a driven joint, sensors: those are differences
        ("stick_slip", 1e-5),  # states of friction
        ("satellite", 1e-7),  # quaternions
        ("rolling_disc", 1e-7),  # constraints on velocities
        ("bouncing_ball", 1e-7),  # modes: all are differences
    ],
)
def test_directional_derivatives_are_those_of_the_rates(
    name: str, within: float, exported: Make
) -> None:
    """Differences of rates and outputs over small steps of each state and input."""
    made = exported(name)
    about = fmpy.read_model_description(str(made.file))
    rates = [d.variable.name for d in about.derivatives]
    outputs = [v.variable.name for v in about.outputs if v.variable.type == "Float64"]
    states = [d.variable.derivative.name for d in about.derivatives]
    inputs = [v.name for v in about.modelVariables if v.causality == "input"]
    with Importer(made, "ModelExchange") as host:
        fmu = host.make()
        host.start(fmu)
        unknowns, h = [*rates, *outputs], 1e-6
        numbers = [host.number[name] for name in unknowns]
        for known in (*states, *inputs):
            (at,) = host.get(fmu, known)
            told = fmu.getDirectionalDerivative(numbers, [host.number[known]], [1.0])
            found = []
            for x in (at + h, at - h):
                host.set(fmu, {known: x})
                found.append(np.array(host.get(fmu, *unknowns)))
            host.set(fmu, {known: at})
            expected = (found[0] - found[1]) / (2.0 * h)
            # what a mode does not have is NaN
            error = (told - expected)[np.isfinite(expected)]
            size = np.maximum(1.0, np.abs(expected))[np.isfinite(expected)]
            np.testing.assert_array_less(np.abs(error) / size, within, err_msg=known)
