"""Force laws of MJCF: springs, dampers, and the common actuator law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inloop.io.mjcf.actuators import Actuator, Range
from inloop.io.mjcf.joints import Polynomial
from inloop.model import ModelBuilder
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf

SHORTEST_TIME = 1e-15  # [s]: MuJoCo's value for a filter without time constant
LEAST_SQUARE = 1e-300  # keeps lengths of zero vectors, and their derivatives, finite


def spring_effort(coefficients: Polynomial, x: Expr) -> Any:
    """Return -(k0 x + k1 x² + k2 x³)."""
    k0, k1, k2 = coefficients
    return -k0 * x if k1 == k2 == 0.0 else -x * (k0 + x * (k1 + k2 * x))


def spring_vector(coefficients: Polynomial, x: Sequence[Expr]) -> list[Any]:
    """Return -(k0 + k1 |x| + k2 |x|²) x for a vector x."""
    k0, k1, k2 = coefficients
    k: Any = k0
    if (k1, k2) != (0.0, 0.0):
        length = _length(x)
        k = k0 + length * (k1 + k2 * length)
    return [-k * component for component in x]


def rotation_vector(R: Sequence[Sequence[Expr]]) -> list[Any]:
    """Return the rotation vector of the shortest rotation [rad]; zero at half a turn."""
    sines = [0.5 * (R[k - 1][k - 2] - R[k - 2][k - 1]) for k in range(3)]
    length = _length(sines)
    cosine = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0)
    factor = sf.atan2(length, cosine) / length
    return [factor * component for component in sines]


def _length(x: Sequence[Any]) -> Any:
    return sf.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + LEAST_SQUARE)


def damper_effort(coefficients: Polynomial, v: Expr) -> Any:
    """Return -v (d0 + d1 |v| + d2 v²)."""
    d0, d1, d2 = coefficients
    return -d0 * v if d1 == d2 == 0.0 else -v * (d0 + d1 * sf.absolute(v) + d2 * v * v)


def add_actuator(
    model: ModelBuilder,
    actuator: Actuator,
    coordinates: Sequence[str],
    input_name: str,
    law_name: str,
    clamped: bool,
) -> None:
    """Add an actuator and its control.

    Args:
        model: the model to extend.
        actuator: the actuator.
        coordinates: coordinates of its joints, in its order.
        input_name: name of the control.
        law_name: name of the force law.
        clamped: whether the control is clamped to its range.
    """
    control = _clamped(model.input(input_name), actuator.ctrlrange if clamped else None)
    coefficients = list(actuator.joints.values())
    filtered = actuator.dynamics != "none"

    def efforts(q: Sequence[Expr], qd: Sequence[Expr], u: Any) -> list[Any]:
        # length and rate of the transmission
        l, ld = (
            actuator.gear * sum(c * x for c, x in zip(coefficients, values, strict=True))
            for values in (q, qd)
        )
        gain, bias = (sum(c * x for c, x in zip(law, (1.0, l, ld), strict=True))
                      for law in (actuator.gain, actuator.bias))  # fmt: skip
        force = _clamped(gain * u + bias, actuator.forcerange)
        return [actuator.gear * c * force for c in coefficients]

    def rate(act: Expr) -> Any:
        if actuator.dynamics == "integrator":
            return control
        return (control - act) / max(actuator.timeconst, SHORTEST_TIME)

    states = {"act": 0.0} if filtered else None
    if len(coordinates) == 1:
        single: Any = (
            (lambda q, qd, act: (efforts([q], [qd], act)[0], {"act": rate(act)}))
            if filtered
            else (lambda q, qd: efforts([q], [qd], control)[0])
        )
        model.joint_force(coordinates[0], single, name=law_name, states=states)
        return
    several: Any = (
        (lambda q, qd, act: (efforts(q, qd, act), {"act": rate(act)}))
        if filtered
        else (lambda q, qd: efforts(q, qd, control))
    )
    model.coupled_force(list(coordinates), several, name=law_name, states=states)


def add_tendon(
    model: ModelBuilder,
    coordinates: Sequence[str],
    coefficients: Sequence[float],
    values: tuple[float, float, Range],
    name: str,
) -> None:
    """Add spring and damper of a fixed tendon: stiffness, damping, rest lengths."""
    k, d, (low, high) = values

    def efforts(q: Sequence[Expr], qd: Sequence[Expr]) -> list[Any]:
        l, ld = (sum(c * x for c, x in zip(coefficients, rates, strict=True)) for rates in (q, qd))
        stretch = l - low if low == high else sf.max0(l - high) - sf.max0(low - l)
        return [-c * (k * stretch + d * ld) for c in coefficients]

    if len(coordinates) == 1:
        model.joint_force(coordinates[0], lambda q, qd: efforts([q], [qd])[0], name=name)
    else:
        model.coupled_force(list(coordinates), efforts, name=name)


def _clamped(value: Any, bounds: Range | None) -> Any:
    return value if bounds is None else sf.minimum(sf.maximum(value, bounds[0]), bounds[1])
