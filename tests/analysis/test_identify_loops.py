"""Identification of mechanisms with loops, against Lagrange's equation written down by hand.

Both linkages have one degree of freedom θ: tau = I θ'' + I'/2 θ'² + V', with the kinetic energy
I θ'²/2 and the potential energy V. I and V are sums of functions of θ, each times one parameter:
the base parameters. A coupler counts as two masses at its pins, m - mc_x/l and mc_x/l, a moment of
inertia J - l mc_x and a first moment mc_z across.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il

G, TINY = 9.81, 1e-30
A, B, C, D = 0.11, 0.37, 0.29, 0.31  # crank, coupler, rocker, distance of the pivots [m]
MASSES = {"crank": 0.83, "coupler": 1.31, "rocker": 0.94, "slider": 0.72}  # [kg]
CENTERS = {"crank": (0.04, 0.013), "coupler": (0.17, -0.021), "rocker": (0.12, 0.034)}  # x, z [m]
INERTIAS = {"crank": 2.1e-3, "coupler": 1.7e-2, "rocker": 8.4e-3}  # about the centers [kg m²]
STEP, END = 2e-3, 6.0  # [s]
Signal = np.ndarray
Function = Callable[[Signal], Signal]


def _body(m: il.Model, name: str, **where: object) -> il.Body:
    x, z = CENTERS.get(name, (0.0, 0.0))
    moment = INERTIAS.get(name, 1e-3)
    return m.body(
        name, mass=MASSES[name], com=(x, 0.007, z), inertia=(0.6 * moment, moment, 0.8 * moment),
        **where,
    )  # fmt: skip


def four_bar(gravity: float = G, **start: object) -> il.Model:
    m = il.Model("four_bar", gravity=(0.0, 0.0, -gravity))
    at = start or {"initial": (0.4, 0.0)}
    crank = _body(m, "crank", on=m.ground, joint=il.revolute("y", **at))
    coupler = _body(
        m, "coupler", on=crank.point("pin", (A, 0.0, 0.0)), joint=il.revolute("y", guess=-1.2)
    )
    pivot = m.ground.point("pivot", (D, 0.0, 0.0))
    rocker = _body(m, "rocker", on=pivot, joint=il.revolute("y", guess=-1.8))
    m.close(coupler.point("end", (B, 0.0, 0.0)), rocker.point("end", (C, 0.0, 0.0)))
    return m


def slider_crank() -> il.Model:
    m = il.Model("slider_crank", gravity=(0.0, 0.0, -G))
    crank = _body(m, "crank", on=m.ground, joint=il.revolute("y", initial=(0.4, 0.0)))
    coupler = _body(
        m, "coupler", on=crank.point("pin", (A, 0.0, 0.0)), joint=il.revolute("y", guess=-0.5)
    )
    slider = _body(m, "slider", on=m.ground, joint=il.prismatic("x", guess=A + B))
    m.close(coupler.point("end", (B, 0.0, 0.0)), slider)
    return m


# angles of the links, z = -l sin(angle), in the branch of the models' start; θ may be complex


def four_bar_angles(theta: Signal) -> tuple[Signal, Signal]:
    """Of coupler and rocker, by the law of cosines."""
    x, z = D - A * np.cos(theta), A * np.sin(theta)  # from the crank's pin to the pivot
    square = x**2 + z**2
    way, along = np.sqrt(square), -np.arctan(z / x)
    inner = np.arccos((square + B**2 - C**2) / (2.0 * B * way))
    outer = np.arccos((square + C**2 - B**2) / (2.0 * C * way))
    return along - inner, along + outer - np.pi


def slider_angle(theta: Signal) -> Signal:
    """Of the coupler."""
    return -np.arcsin(A * np.sin(theta) / B)


def rate(f: Function, theta: Signal) -> Signal:
    """Derivative along the imaginary axis, exact to rounding."""
    return f(theta + 1j * TINY).imag / TINY


def slope(f: Function, theta: Signal) -> Signal:
    """Derivative by differences of fourth order, for functions of real numbers."""
    h = 1e-3
    near, far = ((f(theta + k * h) - f(theta - k * h)) / (2 * k * h) for k in (1, 2))
    return (4.0 * near - far) / 3.0


class Linkage:
    """Poses of all bodies as functions of θ: x, z of the origin, and angle."""

    def __init__(self, name: str) -> None:
        pin = {"x": lambda t: A * np.cos(t), "z": lambda t: -A * np.sin(t)}
        still: dict[str, Function] = {name: lambda t: 0.0 * t for name in ("x", "z", "angle")}
        self.poses: dict[str, dict[str, Function]] = {"crank": {**still, "angle": lambda t: t}}
        if name == "four_bar":
            self.poses["coupler"] = {**pin, "angle": lambda t: four_bar_angles(t)[0]}
            self.poses["rocker"] = {**still, "angle": lambda t: four_bar_angles(t)[1]}
        else:
            self.poses["coupler"] = {**pin, "angle": slider_angle}
            slide = {"x": lambda t: A * np.cos(t) + B * np.cos(slider_angle(t))}
            self.poses["slider"] = {**still, **slide}

    def inertia(self, theta: Signal) -> Signal:
        """I [kg m²]."""
        total = np.zeros_like(theta)
        for body, at in self.poses.items():
            m, mx, mz, J = first_moments(body)
            x, z, turn = (rate(at[each], theta) for each in ("x", "z", "angle"))
            c, s = np.cos(at["angle"](theta)), np.sin(at["angle"](theta))
            across = x * (mz * c - mx * s) - z * (mx * c + mz * s)
            total += m * (x**2 + z**2) + 2.0 * turn * across + J * turn**2
        return total

    def potential(self, theta: Signal) -> Signal:
        """V [J]."""
        total = 0.0 * theta
        for body, at in self.poses.items():
            m, mx, mz, _ = first_moments(body)
            turn = at["angle"](theta)
            total = total + G * (m * at["z"](theta) + mz * np.cos(turn) - mx * np.sin(turn))
        return total

    def effort(self, theta: Signal, qd: Signal, qdd: Signal) -> Signal:
        """tau of the crank [N m]."""
        inertial = self.inertia(theta) * qdd + 0.5 * slope(self.inertia, theta) * qd**2
        return inertial + rate(self.potential, theta)


def first_moments(body: str) -> tuple[float, float, float, float]:
    """m, mc.x, mc.z and J.yy about the origin."""
    m, (x, z) = MASSES[body], CENTERS.get(body, (0.0, 0.0))
    return m, m * x, m * z, INERTIAS.get(body, 1e-3) + m * (x**2 + z**2)


# base parameters: what the coupler's two masses, its moment and the rest make of each


FOUR_BAR = [
    {"crank.J.yy": 1.0, "coupler.mass": A**2, "coupler.mc.x": -(A**2) / B},
    {"coupler.J.yy": 1.0, "coupler.mc.x": -B},
    {"rocker.J.yy": 1.0, "coupler.mc.x": C**2 / B},
    {"coupler.mc.z": 1.0},
]
WEIGHTS = [
    {"crank.mc.x": 1.0, "coupler.mass": A, "coupler.mc.x": -A / B},
    {"crank.mc.z": 1.0},
    {"rocker.mc.x": 1.0, "coupler.mc.x": C / B},
    {"rocker.mc.z": 1.0},
]
SLIDER_CRANK = [
    FOUR_BAR[0],
    FOUR_BAR[1],
    {"slider.mass": 1.0, "coupler.mc.x": 1.0 / B},
    *FOUR_BAR[3:],
    *WEIGHTS[:2],
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("model", "groups"),
    [
        (four_bar(), [*FOUR_BAR, *WEIGHTS]),
        (four_bar(gravity=0.0), FOUR_BAR),
        (slider_crank(), SLIDER_CRANK),
    ],
)
def test_base_parameters_in_closed_form(model: il.Model, groups: list[dict[str, float]]) -> None:
    base = il.identify.base_parameters(model.compile(), armature=False)
    assert len(base) == len(groups)
    known = np.zeros((len(groups), len(base.regressor.names)))
    for row, group in zip(known, groups, strict=True):
        for name, factor in group.items():
            row[base.regressor.index(name)] = factor
    # the same combinations: each of the known ones is one of those found
    share = np.linalg.lstsq(base.grouping.T, known.T, rcond=None)[0]
    np.testing.assert_allclose(share.T @ base.grouping, known, rtol=0, atol=1e-8)


class Trials:
    """One motion of a crank, measured with other noise each time."""

    VISCOUS = 0.03  # of the crank's bearing [N m s/rad]

    def __init__(self, model: il.Model) -> None:
        self.plant = model.compile()
        self.base = il.identify.base_parameters(self.plant, armature=False, friction="viscous")
        self.motion = il.identify.excitation(
            self.plant, speed=9.0, acceleration=60.0, position={"crank": (-3.0, 3.4)}, period=3.0,
            base=self.base, iterations=5,
        )  # fmt: skip
        self.t = np.arange(0.0, END, STEP)
        self.q, qd, qdd = self.motion(self.t)
        tau = Linkage(model.name).effort(self.q[:, 0], qd[:, 0], qdd[:, 0])
        self.tau = tau[:, None] + self.VISCOUS * qd
        truth = self.base.regressor.values.copy()
        truth[self.base.regressor.index("crank.viscous")] = self.VISCOUS
        self.truth = self.base.grouping @ truth

    def fit(self, seed: int) -> il.identify.Identified:
        """An encoder of 65,536 counts, and efforts with noise of 1 % of the largest."""
        random = np.random.default_rng(seed)
        count = 2.0 * np.pi / 2**16
        q = count * np.round(self.q / count + random.uniform())
        noise = 0.01 * np.abs(self.tau).max() * random.normal(size=self.tau.shape)
        return il.identify.fit(self.plant, self.t, q, self.tau + noise, cutoff=20.0, base=self.base)

    def off(self, seed: int) -> np.ndarray:
        """Errors in standard deviations."""
        found = self.fit(seed)
        assert len(found.values) == len(self.truth)
        return (found.values - self.truth) / found.deviations


@pytest.fixture(scope="module")
def trials() -> Trials:
    return Trials(four_bar())


def test_efforts_are_those_of_lagrange(trials: Trials) -> None:
    _, qd, qdd = trials.motion(trials.t)
    for linkage, plant in (("four_bar", trials.plant), ("slider_crank", slider_crank().compile())):
        Y = il.identify.regressor(plant, armature=False)
        mine = Y(trials.q, qd, qdd) @ Y.values
        other = Linkage(linkage).effort(trials.q[:, 0], qd[:, 0], qdd[:, 0])
        assert np.abs(mine[:, 0] - other).max() < 1e-8 * np.abs(other).max()


def test_identified_values_lie_within_their_deviations(trials: Trials) -> None:
    off = np.array([trials.off(seed) for seed in range(4)])
    assert np.sum(np.abs(off) > 3.0) <= 1
    # a mean square of 1, within four of its own deviations
    assert np.mean(off**2) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / off.size))


@pytest.mark.long
@pytest.mark.parametrize("model", [four_bar(), slider_crank()])
def test_two_hundred_trials(model: il.Model) -> None:
    trials = Trials(model)
    off = np.array([trials.off(seed) for seed in range(200)])
    within = np.mean(np.abs(off) < 3.0, axis=0)
    assert within.min() >= 0.95, dict(zip(trials.base.names, within, strict=True))


def test_bodies_that_can_be_real(trials: Trials) -> None:
    found = trials.fit(1)
    assert found.moved.max() < 3.0
    better = il.compile_mechanism(found.mechanism())
    assert all(
        il.identify.is_consistent(found.full[10 * k : 10 * k + 10])
        for k in range(len(better.mechanism.bodies))
    )
    qd, qdd = trials.motion(trials.t)[1:]
    Y = il.identify.regressor(better, armature=False)
    tau = (Y(trials.q, qd, qdd) @ Y.values)[:, 0] + found.full[-3] * qd[:, 0]
    assert np.sqrt(np.mean((tau - trials.tau[:, 0]) ** 2)) < 0.01 * np.abs(trials.tau).max()


def test_exciting_motion(trials: Trials) -> None:
    assert trials.motion.coordinates == ("crank",)
    assert trials.motion.condition < trials.motion.first_condition
    q, qd, qdd = trials.motion(np.arange(0.0, 3.0, 1e-3))
    assert q.min() > -3.0 and q.max() < 3.4
    assert np.abs(qd).max() < 9.0 and np.abs(qdd).max() < 60.0


def test_motor_on_another_joint(trials: Trials) -> None:
    """A torque on the rocker counts by how fast the rocker turns with the crank."""
    _, qd, qdd = trials.motion(trials.t)
    lever = rate(lambda t: four_bar_angles(t)[1], trials.q[:, 0])
    assert np.abs(lever).min() < 0.01  # the rocker turns back: from there the motor says nothing
    tau = np.zeros((len(trials.t), 3))
    tau[:, 0] = trials.tau[:, 0] - lever * np.sin(3.0 * trials.t)
    tau[:, 2] = np.sin(3.0 * trials.t)
    given = {"qd": qd, "qdd": qdd, "base": trials.base}
    found = il.identify.fit(trials.plant, trials.t, trials.q, tau, **given)
    np.testing.assert_allclose(found.values, trials.truth, rtol=0, atol=1e-6)


def test_run_of_a_driven_crank() -> None:
    m = four_bar()
    m.drive("crank", lambda t: 0.4 + 3.0 * il.sin(1.3 * t) + 0.7 * il.sin(4.1 * t))
    plant = m.compile()
    run = plant.simulate(t_end=6.0, step=2e-3, sample=4e-3)
    found = il.identify.fit_run(plant, run, cutoff=20.0, friction=(), armature=False)
    assert found.base.regressor.coordinates == ("crank",)
    np.testing.assert_allclose(found.values, found.base.values, rtol=0, atol=2e-4)


@pytest.mark.long
def test_positions_out_of_reach(trials: Trials) -> None:
    m = four_bar(guess=0.4)
    m.drive("rocker", lambda t: -1.713 + 0.1 * il.sin(t))
    rocking = m.compile()
    with pytest.raises(il.InputError, match="loops cannot be closed everywhere within the limits"):
        il.identify.excitation(rocking, speed=3.0, acceleration=9.0)
    Y = il.identify.regressor(rocking)
    one = np.ones((1, 1))
    with pytest.raises(il.SimulationError, match="loops cannot be closed on the way to the first"):
        Y(one, one, one)
    with pytest.raises(il.InputError, match=r"q has shape \(3000, 2\).*\(3000, 3\) or \(3000, 1\)"):
        il.identify.fit(trials.plant, trials.t, np.zeros((3000, 2)), trials.tau, cutoff=20.0)
