"""Derivatives of runs with hard contacts, against closed forms and differences of other runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il

STEP = 1e-30  # along the imaginary axis: the derivative is its imaginary part, without cancellation
EXACT = 1e-8  # relative to the largest value over the run
G = 9.81


def thrown_model(restitution: float, friction: float) -> il.Model:
    """A crate in the plane x, z that falls on the ground, which slows it down."""
    m = il.Model("thrown", gravity=lambda m: (0.0, 0.0, -m.parameter("g", G)))
    e, mu = m.parameter("e", restitution), m.parameter("mu", friction)
    slide = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.2, 1.5)))
    crate = m.body("z", on=slide, joint=il.prismatic("z", initial=(0.3, 0.1)), mass=2.3)
    law = il.hard(restitution=e, friction=mu)
    m.contact(m.ground, il.plane(), crate, il.point(), law=law, name="floor")
    return m


@pytest.fixture(scope="module")
def thrown() -> il.Plant:
    return thrown_model(0.4, 0.2).compile(live=["z.mass"])


THROWN = {"g": G, "e": 0.4, "mu": 0.2, "x.q": 0.2, "x.qd": 1.5, "z.q": 0.3, "z.qd": 0.1}
FLIGHTS = 22  # of the crate before its rebounds are lost in rounding


def crate(t: float, g: complex, e: complex, mu: complex, x: complex, v: complex, z: complex,
          w: complex) -> tuple[complex, ...]:  # fmt: skip
    """x, z and their rates: flights, impulses μ (1 + e) w against slip, and a slide to rest."""
    begun: complex = 0.0
    for k in range(FLIGHTS):
        fall = np.sqrt(w * w + 2.0 * g * z)
        lasts = (w + fall) / g
        s = t - begun
        if s.real < lasts.real:
            return x + v * s, z + w * s - g * s * s / 2.0, v, w - g * s
        last = k == FLIGHTS - 1
        begun, x, z, w = begun + lasts, x + v * lasts, 0.0 * z, 0.0 * w if last else e * fall
        v = v - mu * (fall + w)
        assert v.real > 0.0
    s = t - begun
    if s.real > (v / (mu * g)).real:
        return x + v * v / (2.0 * mu * g), 0.0 * z, 0.0 * v, 0.0 * w
    return x + v * s - mu * g * s * s / 2.0, 0.0 * z, v - mu * g * s, 0.0 * w


@pytest.mark.parametrize("method", ["event_driven", "moreau"])
def test_crate_bounces_slides_and_stops(thrown: il.Plant, method: str) -> None:
    """Through all impacts of a sequence without end, then friction up to the stop."""
    given = {"t_end": 1.4, "step": 1e-3, "sample": 0.07, "method": method}
    run = thrown.simulate(**given, sensitivities=[*THROWN, "z.mass"])
    found = run.sensitivities
    assert found is not None
    for name in THROWN:
        values = [v + 1j * STEP * (name == which) for which, v in THROWN.items()]
        exact = np.array([crate(t, *values) for t in run.t]).imag / STEP
        for signal, wanted in zip(("x.q", "z.q", "x.qd", "z.qd"), exact.T, strict=True):
            size = max(float(np.abs(wanted).max()), 1e-3)
            np.testing.assert_allclose(
                found[signal, name], wanted, atol=EXACT * size, err_msg=f"{signal} by {name}"
            )
    assert np.abs(run["x.qd"][-2:]).max() < 1e-12 and abs(found["x.q", "mu"][-1]) > 1.0
    assert np.abs(found["x.q", "z.mass"]).max() < 1e-12


def test_gradient_over_contacts(thrown: il.Plant) -> None:
    given = {"t_end": 1.4, "step": 1e-2, "sample": 0.07, "method": "event_driven"}
    recorded = {"x.q": np.linspace(0.0, 1.0, 21), "z.qd": np.zeros(21)}
    found = thrown.gradient(recorded, ["e", "mu"], **given)
    for k, name in enumerate(("e", "mu")):
        values = [v + 1j * STEP * (name == which) for which, v in THROWN.items()]
        exact = np.array([crate(t, *values) for t in found.result.t])
        total = np.sum((exact[:, 0] - recorded["x.q"]) ** 2) + np.sum(exact[:, 3] ** 2)
        assert found.values[k] == pytest.approx(total.imag / STEP, rel=EXACT)
    with pytest.raises(il.InputError, match=r"'floor\.force'"):
        thrown.gradient({"floor.force": np.zeros(21)}, ["e"], **given)


def test_contacts_that_a_change_would_open_are_named(thrown: il.Plant) -> None:
    lying = {"t_end": 0.1, "step": 1e-2, "method": "event_driven", "q": {"z": 0.0},
             "qd": {"x": 1.0, "z": 0.0}}  # fmt: skip
    assert thrown.simulate(**lying, sensitivities=["x.qd"]).sensitivities is not None
    for name in ("z.q", "z.qd"):
        with pytest.raises(il.SimulationError, match=f"'floor' .* would open or move if '{name}'"):
            thrown.simulate(**lying, sensitivities=[name])


def central(of: Callable[[float], np.ndarray], value: float, by: float) -> np.ndarray:
    """A difference of fourth order."""
    far, near = (of(value + by) - of(value - by)) / 2.0, of(value + by / 2) - of(value - by / 2)
    return (4.0 * near - far) / 3.0 / by


def check_by_differences(
    plant: il.Plant, by: dict[str, float], run: dict[str, object], atol: float = EXACT
) -> il.Result:
    """Derivatives by parameters against differences of runs, which find their own events."""
    result = plant.simulate(**run, sensitivities=list(by))  # type: ignore[arg-type]
    assert result.sensitivities is not None
    for name, increment in by.items():
        value = plant.parameters[name]

        def of(changed: float, name: str = name) -> np.ndarray:
            plant.parameters[name] = changed
            found = plant.simulate(**run)  # type: ignore[arg-type]
            return np.hstack([found.q, found.qd])

        wanted = central(of, value, increment)
        plant.parameters[name] = value
        signals = [f"{x}.{kind}" for kind in ("q", "qd") for x in plant.coordinates]
        mine = np.stack([result.sensitivities[s, name] for s in signals], axis=1)
        size = np.abs(wanted).max(axis=0)
        assert size.max() > 1e-3
        # of those that are small beside the others, differences know fewer digits
        size = np.maximum(size, max(1e-2, 1e-2 * size.max()))
        assert np.all(np.abs(mine - wanted) <= atol * size), name
    return result


@pytest.mark.long
def test_block_that_falls_on_its_corners() -> None:
    """Impacts of one corner while the other is up, down, slips or sticks."""
    m = il.Model("block")
    e, mu, width = m.parameter("e", 0.5), m.parameter("mu", 0.06), m.parameter("width", 0.2)
    slide = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.4)))
    lift = m.body("z", on=slide, joint=il.prismatic("z", initial=(0.5, 0.0)))
    turn = il.revolute("y", initial=(0.3, 0.5))
    block = m.body("r", on=lift, joint=turn, mass=1.3, inertia=(0.01, 0.02, 0.01))
    for name, side in (("left", -0.5), ("right", 0.5)):
        corner = block.point(name, (side * width, 0.0, -0.15))
        law = il.hard(restitution=e, friction=mu)
        m.contact(m.ground, il.plane(), corner, il.point(), law=law, name=name)
    plant = m.compile()
    by = {"e": 1e-4, "mu": 1e-5, "width": 1e-5}
    run = {"t_end": 0.7, "step": 0.7, "method": "event_driven"}
    result = check_by_differences(plant, by, run)
    # flat, both corners hit at once; but not if the block is turned
    flat = {"q": {"r": 0.0}, "qd": {"r": 0.0}}
    both = plant.simulate(**run, **flat, sensitivities=["e"])
    assert both.sensitivities is not None
    with pytest.raises(il.SimulationError, match=r"'left' hits and .*'right' hits at once.*'r\.q'"):
        plant.simulate(**run, **flat, sensitivities=["r.q"])
    assert result.sensitivities is not None


@pytest.mark.long
def test_stick_and_slip_on_a_belt() -> None:
    m = il.Model("belt")
    mu, k, v = m.parameter("mu", 0.3), m.parameter("k", 30.0), m.parameter("v", 0.4)
    belt = m.body("belt", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.drive("belt", lambda t: v * t)
    slide = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.1)))
    mass = m.body("z", on=slide, joint=il.prismatic("z"), mass=0.9)
    m.joint_force("x", lambda q, qd: -k * q - 0.4 * qd, "spring")
    m.contact(belt, il.plane(), mass, il.point(), law=il.hard(friction=mu), name="felt")
    plant = m.compile()
    run = {"t_end": 2.0, "step": 0.1, "method": "event_driven"}
    result = check_by_differences(plant, {"mu": 1e-4, "k": 1e-2, "v": 1e-4}, run)
    carried = np.isclose(result["x.qd"], 0.4, atol=1e-9)
    assert 0 < np.count_nonzero(carried) < len(carried) - 2
    with pytest.raises(il.SimulationError, match=r"'felt' .* would open or move if 'v'"):
        plant.simulate(**run, qd={"x": 0.4}, sensitivities=["v"])


@pytest.mark.long
def test_slip_in_space_turns_and_ends() -> None:
    m = il.Model("puck")
    mu, k = m.parameter("mu", 0.5), m.parameter("k", 2.0)
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.8)))
    y = m.body("y", on=x, joint=il.prismatic("y", initial=(0.3, 0.2)))
    z = m.body("z", on=y, joint=il.prismatic("z"), mass=1.3)
    m.joint_force("y", lambda q, qd: -k * q, "spring")
    m.contact(m.ground, il.plane(), z, il.point(), law=il.hard(friction=mu), name="ice")
    run = {"t_end": 0.3, "step": 0.03, "method": "event_driven"}
    result = check_by_differences(m.compile(), {"mu": 1e-4, "k": 1e-2}, run)
    assert result["y.qd"][5] / result["x.qd"][5] < 0.2 and np.abs(result.qd[-1]).max() < 1e-12


def test_slider_crank_at_a_stop() -> None:
    """Impulses pass through the loop."""
    m = il.Model("slider_crank")
    e = m.parameter("e", 0.7)
    turn = il.revolute("y", initial=(0.9, -4.0))
    crank = m.body("crank", on=m.ground, joint=turn, mass=0.8, com=(0.1, 0, 0), inertia=(0.01,) * 3)
    hinge, pin = il.revolute("y", guess=-1.2), crank.point("pin", (0.2, 0.0, 0.0))
    rod = m.body("rod", on=pin, joint=hinge, mass=0.5, com=(0.25, 0, 0), inertia=(0.02,) * 3)
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=1.2)
    m.close(rod.point("end", (0.5, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)), name="loop")
    m.hard_stop("slider", e, limits=(-np.inf, 0.66), name="stop")
    plant = m.compile(live=["rod.mass"])
    run = {"t_end": 0.5, "step": 0.1, "method": "event_driven"}
    check_by_differences(plant, {"e": 1e-4, "rod.mass": 1e-4}, run)


def test_poisson_without_friction_is_newton() -> None:
    """One impact: z = e w s - g s² / 2, with the speed w = √(2 g z0) of the fall."""
    m = il.Model("dropped")
    e = m.parameter("e", 0.7)
    ball = m.body("z", on=m.ground, joint=il.prismatic("z", initial=(0.3, 0.0)), mass=1.3)
    law = il.hard(restitution=e, impacts="poisson")
    m.contact(m.ground, il.plane(), ball, il.point(), law=law, name="floor")
    run = {"t_end": 0.4, "step": 1e-2, "method": "event_driven"}
    found = m.compile().simulate(**run, sensitivities=["e", "z.q"]).sensitivities
    assert found is not None
    w = np.sqrt(2.0 * G * 0.3)
    s, ds, dw = 0.4 - w / G, -1.0 / w, G / w
    by_start = 0.7 * (dw * s + w * ds) - G * s * ds
    np.testing.assert_allclose(found["z.q"][-1], [w * s, by_start], rtol=1e-9)
