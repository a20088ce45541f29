"""Friction: the formulas against the published ones, their derivatives, and mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from inloop.errors import Mistake
from inloop.model import ModelBuilder
from inloop.model.laws import friction_laws
from inloop.symbolic import Expr, Graph, evaluate, forward

Write = Callable[[ModelBuilder], object]
Report = Callable[[ModelBuilder], tuple[Mistake, ...]]


def published_alpha(z: float, v: float, largest: float, elastic: float) -> float:
    """Eq. 3 with the curve of Dupont et al. 2002, case by case."""
    if np.sign(v) != np.sign(z) or abs(z) <= elastic * largest:
        return 0.0
    if abs(z) >= largest:
        return 1.0
    limit = elastic * largest
    middle = (largest + limit) / 2.0
    return 0.5 * math.sin(math.pi * (abs(z) - middle) / (largest - limit)) + 0.5


def test_alpha_is_the_published_one() -> None:
    random = np.random.default_rng(7)
    seen = set()
    for z, v in random.uniform(-1.4, 1.4, (400, 2)):
        expected = published_alpha(z, v, 0.93, 0.62)
        seen.add((expected > 0.0) + (expected == 1.0))
        assert friction_laws.adhesion(z, v, 0.93, 0.62) == pytest.approx(expected, abs=1e-14)
    assert seen == {0, 1, 2}
    assert friction_laws.adhesion(0.01, -0.2, 0.93, 0.0) == 1.0


def test_stribeck_curve() -> None:
    fs = friction_laws.stribeck
    assert fs(0.0, 1.1, 1.6, 0.02) == pytest.approx(1.6)
    assert fs(9.0, 1.1, 1.6, 0.02) == pytest.approx(1.1)
    assert fs(-0.03, 1.1, 1.6, 0.02, 1.5) == pytest.approx(1.1 + 0.5 * math.exp(-(1.5**1.5)))


@pytest.mark.parametrize("v", [0.37, -0.04])
def test_bristles_settle_at_the_stribeck_curve(v: float) -> None:
    """In steady sliding s0 z = f_s(v) sgn(v), whatever the elastic share."""
    limit = friction_laws.stribeck(v, 1.1, 1.6, 0.02)
    for elastic in (0.0, 0.7):
        rate = friction_laws.bristle_rate(math.copysign(limit / 830.0, v), v, limit, 830.0, elastic)
        assert rate == pytest.approx(0.0, abs=1e-15)


def lugre(graph: Graph, exponent: Expr | float, elastic: Expr | float) -> tuple[Expr, Expr]:
    """Rate and force as expressions of z and v."""
    z, v = graph.symbol("z"), graph.symbol("v")
    limit = friction_laws.stribeck(v, 1.1, 1.6, 0.2, exponent)
    rate = friction_laws.bristle_rate(z, v, limit, 830.0, elastic)
    force = friction_laws.bristle_force(z, rate, v, 830.0, 3.1, 0.4)
    assert isinstance(rate, Expr) and isinstance(force, Expr)
    return rate, force


@pytest.mark.thinned(4)
@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7, 2.0, "live"])
@pytest.mark.parametrize("elastic", [0.0, 0.7, "live"])
def test_derivatives(exponent: float | str, elastic: float | str) -> None:
    graph = Graph()
    n, share = graph.symbol("n", static=True), graph.symbol("share", static=True)
    exprs = lugre(graph, n if exponent == "live" else exponent,  # type: ignore[arg-type]
                  share if elastic == "live" else elastic)  # type: ignore[arg-type]  # fmt: skip
    z, v = graph.symbol("z"), graph.symbol("v")
    wrt = [z, v] + [s for s, name in ((n, exponent), (share, elastic)) if name == "live"]
    slopes = [forward(exprs, symbol) for symbol in wrt]
    base = {n: 1.3, share: 0.6}
    random = np.random.default_rng(3)
    for _ in range(60):
        at = {**base, z: random.uniform(-3e-3, 3e-3), v: random.choice([-1, 1]) *
              random.uniform(0.01, 0.5)}  # fmt: skip
        for symbol, column in zip(wrt, slopes, strict=True):
            h = 1e-6 * max(1e-3, abs(at[symbol]))
            ends = [np.array(evaluate(exprs, {**at, symbol: at[symbol] + d})) for d in (-h, h)]
            expected = (ends[1] - ends[0]) / (2.0 * h)
            scale = 1e-5 * np.maximum(1.0, np.abs(expected))
            found = np.array(evaluate(column, at))
            assert np.all(np.abs(found - expected) <= scale), (symbol.name, at)
    # at rest, with straight bristles and with bent ones, everything is finite
    for at_z in (0.0, 1.2e-3, -2.4e-3):
        at = {**base, z: at_z, v: 0.0}
        for column in slopes:
            assert np.all(np.isfinite(evaluate(column, at)))
    # a bristle that only bends moves with the surface
    assert evaluate([slopes[1][0]], {**base, z: 0.0, v: 0.0})[0] == pytest.approx(1.0)


def test_smooth_coulomb() -> None:
    f = friction_laws.smooth_coulomb(0.03, 2.1, 0.7, 0.02)
    assert f == pytest.approx(2.1 * math.tanh(1.5) + 0.7 * 0.03)


def test_friction_in_a_model(arm: ModelBuilder) -> None:
    mu = arm.parameter("mu", 0.3)
    arm.lugre("slider", stiffness=900.0, damping=7.0, coulomb=mu, normal=lambda q: 5.0 + q)
    arm.lugre("crank", stiffness=70.0, damping=0.3, coulomb=0.2, static=0.4, name="bearing")
    arm.coulomb("rod", coulomb=mu, velocity=0.01, normal="reaction", radius=0.02, name="pin")
    mechanism = arm.build()
    names = [f"{output.name} {output.unit}" for output in mechanism.law_outputs]
    assert names == [
        "slider_friction.effort N", "slider_friction.deflection m", "slider_friction.normal N",
        "bearing.effort N*m", "bearing.deflection rad", "pin.effort N*m", "pin.normal N",
    ]  # fmt: skip
    assert [state.name for state in mechanism.states] == [
        "slider_friction.z", "bearing.z", "pin.N",
    ]  # fmt: skip
    slide, _, pin = mechanism.joint_forces
    at = {slide.q: 0.4, slide.qd: 0.0, slide.states[0].symbol: 2e-5, mu: 0.3}
    assert isinstance(slide.effort, Expr)
    assert evaluate([slide.effort], at)[0] == pytest.approx(-5.4 * 900.0 * 2e-5)
    # at the radius: velocity r qd, effort r f, pressed by the filtered reaction
    at = {pin.qd: 0.7, pin.states[0].symbol: 12.0, pin.radial: 15.0, mu: 0.3}
    effort = -0.02 * 12.0 * 0.3 * math.tanh(0.02 * 0.7 / 0.01)
    assert isinstance(pin.effort, Expr)
    assert evaluate([pin.effort], at)[0] == pytest.approx(effort)
    rate = pin.states[0].rate
    assert isinstance(rate, Expr)
    assert evaluate([rate], at)[0] == pytest.approx(3.0 / 1e-3)


# fmt: off
MISTAKES: list[tuple[Write, str]] = [
    (lambda m: m.lugre("rod", stiffness=0.0, damping=1.0, coulomb=1.0),
     "lugre 'rod': stiffness must be > 0, got 0"),
    (lambda m: m.lugre("rod", stiffness=1.0, damping=1.0, coulomb=-1.0),
     "lugre 'rod': coulomb must be > 0, got -1"),
    (lambda m: m.lugre("rod", stiffness=1.0, damping=1.0, coulomb=1.0, elastic=1.0),
     "lugre 'rod': elastic must be below 1, got 1"),
    (lambda m: m.lugre("rod", stiffness=1.0, damping=1.0, coulomb=1.0, normal="reaction"),
     "lugre 'rod': a normal force in a joint that turns needs a radius"),
    (lambda m: m.coulomb("slider", coulomb=1.0, velocity=0.1, normal="weight"),
     "coulomb 'slider': unknown normal force 'weight'"),
    (lambda m: m.coulomb("slider", coulomb=1.0, velocity=0.0),
     "coulomb 'slider': velocity must be > 0, got 0"),
    (lambda m: m.coulomb("slidr", coulomb=1.0, velocity=0.1),
     "joint_force 'slidr_friction'"),
    (lambda m: m.joint_force("rod", lambda qd, radial: -0.1 * radial * qd),
     "joint_force 'rod_effort': only the rates of its states may use 'radial'"),
]
# fmt: on


@pytest.mark.parametrize(("write", "text"), MISTAKES)
def test_mistakes(write: Write, text: str, arm: ModelBuilder, mistakes_of: Report) -> None:
    write(arm)
    mistakes = mistakes_of(arm)
    assert len(mistakes) == 1, mistakes
    assert text in str(mistakes[0])
