"""Sensitivities of runs, against closed forms and integrations of equations written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from linkage_model import ball_jointed, linkage
from scipy.integrate import solve_ivp

import inloop as il
from inloop.gallery.four_bar import four_bar
from inloop.simulate.start import start_of

STEP = 1e-30  # along the imaginary axis: the derivative is its imaginary part, without cancellation
EXACT = 1e-8  # relative to the largest value over the run


def by_complex_steps(rates, start, parameters, names, times):  # type: ignore[no-untyped-def]
    """∂x/∂name at times, by DOP853 in complex numbers; `rates` and `start` take parameters."""
    found = {}
    for name in names:
        p = {**parameters, name: parameters[name] + 1j * STEP}
        x0 = np.asarray(start(p), dtype=complex)
        run = solve_ivp(lambda t, x, p=p: rates(t, x, p), (0.0, times[-1]), x0, "DOP853",
                        t_eval=times, rtol=1e-13, atol=1e-13)  # fmt: skip
        found[name] = run.y.imag / STEP
    return found


def compare(result: il.Result, signal: str, wanted: np.ndarray, name: str) -> None:
    assert result.sensitivities is not None
    found = result.sensitivities[signal, name]
    size = np.abs(wanted).max()
    assert size > 1e-9
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=EXACT * size)


def test_four_bar() -> None:
    """Two equal four-bars move as one: q̈ = 7/6 g/l sin q, whatever the mass."""
    plant = four_bar().compile()
    run = plant.simulate(t_end=0.4, step=2e-4, sample=0.02, method="rk4",
                         sensitivities=["g", "length", "mass", "bar_0.q", "bar_0.qd"])  # fmt: skip
    parameters = {"g": 9.81, "length": 1.0, "q": 0.0, "qd": -1.0}

    def rates(t, x, p):  # type: ignore[no-untyped-def]
        return [x[1], 7.0 / 6.0 * p["g"] / p["length"] * np.sin(x[0])]

    wanted = by_complex_steps(rates, lambda p: [p["q"], p["qd"]], parameters, parameters, run.t)
    names = {"g": "g", "length": "length", "q": "bar_0.q", "qd": "bar_0.qd"}
    for mine, ours in names.items():
        for k, kind in enumerate(("q", "qd")):
            compare(run, f"bar_0.{kind}", wanted[mine][k], ours)
            # what loops determine follows: couplers stay level, bars parallel
            compare(run, f"coupler_1.{kind}", -wanted[mine][k], ours)
            compare(run, f"bar_2.{kind}", wanted[mine][k], ours)
    assert run.sensitivities is not None
    assert np.abs(run.sensitivities["bar_0.q", "mass"]).max() < 1e-12


def test_what_is_refused_is_named() -> None:
    plant = four_bar().compile()
    for arguments, what in (
        ({"method": "moreau"}, "integrated by 'moreau'"),
        ({"method": "rk4", "sensitivities": ["stiffness"]}, "no live parameter, input or start"),
        ({"method": "rk4", "sensitivities": ["coupler_1.q"]}, "'coupler_1.q' depends on others"),
    ):
        with pytest.raises(il.InputError, match=what):
            plant.simulate(**{"t_end": 0.01, "sensitivities": ["mass"], **arguments})


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (il.hard(0.5, stiffness=1e6), "contact 'floor' is compliant"),
        (il.hard(0.5, 0.2, impacts="poisson"), "impacts of contact 'floor' are Poisson's"),
    ],
)
def test_other_hard_contacts_are_refused(law: object, why: str) -> None:
    m = il.Model("falling")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.1, 0.0)), mass=1.0)
    m.contact(m.ground, il.plane(), ball, il.point(), law=law, name="floor")
    plant = m.compile()
    with pytest.raises(il.InputError, match=f"'falling' has hard contacts, and {why}"):
        plant.simulate(t_end=0.01, sensitivities=["ball.q"])
    with pytest.raises(il.InputError, match=r"'falling' has hard contacts.*Write them as modes"):
        plant.tangent()


def test_contacts_that_are_found_are_refused_by_name() -> None:
    m = il.Model("falling")
    crate = m.body("crate", on=m.ground, joint=il.prismatic("z", initial=(0.1, 0.0)), mass=1.0)
    m.contact(m.ground, il.plane(), crate, il.box((0.1, 0.1, 0.1)), law=il.hard(), name="floor")
    with pytest.raises(il.InputError, match=r"detects hard contact 'floor' at run time.*Declare"):
        m.compile().simulate(t_end=0.01, sensitivities=["crate.q"])


BY = ["k", "crank.mass", "crank.B.x", "coupler.C.x", "motor", "crank.q", "crank.qd", "rocker.tau"]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", ["rk4", "euler", "dopri", "implicit"])
def test_backwards_is_the_transpose_of_forwards(method: str) -> None:
    """Through a loop, friction with a state, multipliers; samples apart, the last one early."""
    plant = linkage()
    run = {"t_end": 0.1, "step": 1e-3, "method": method, "sample": 0.007,
           "inputs": {"motor": lambda t: 3.0 * il.sin(9.0 * t)}}  # fmt: skip
    result = plant.simulate(**run, sensitivities=BY)
    assert result.sensitivities is not None
    signals = ("crank.q", "rocker.qd", "coupler.qdd", "lam.pin.x", "friction.effort", "friction.z")
    recorded = {name: np.sin(3.0 * result.t) for name in signals}
    found = plant.gradient(recorded, BY, **run)
    left = {name: result[name] - recorded[name] for name in signals}
    assert found.value == pytest.approx(sum(float(x @ x) for x in left.values()), rel=1e-12)
    wanted = sum(2.0 * x @ result.sensitivities[name] for name, x in left.items())
    np.testing.assert_allclose(found.values, wanted, rtol=1e-10)
    assert found["motor"] == found.values[BY.index("motor")]
    for loss, why in (
        (lambda r: float(r["crank.q"][-1]), "the loss returns float, not a value and its"),
        (lambda r: (r["crank.q"], {}), "the value of the loss is 'array"),
        (lambda _: (np.nan, {}), "the value of the loss is nan"),
        ({"crank.q": np.where(result.t > 0.05, np.nan, 0.0)}, "'crank.q' is nan at t = 0.056 s"),
        (None, "the loss is of type NoneType"),
    ):
        with pytest.raises(il.InputError, match=why):
            plant.gradient(loss, BY, **run)  # type: ignore[arg-type]


def test_backwards_through_quaternions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps so long that bringing quaternions back to unit length matters."""
    plant, by = ball_jointed(), ["slide.mass", "top.com.z", "slide.tau", "slide.q", "top_wy.qd"]
    run = {"t_end": 0.4, "step": 2e-2, "method": "rk4"}
    result = plant.simulate(**run, sensitivities=by)
    assert result.sensitivities is not None
    recorded = {name: np.sin(3.0 * result.t) for name in ("slide.q", "top_wy.qd")}
    wanted = sum(2.0 * (result[x] - r) @ result.sensitivities[x] for x, r in recorded.items())
    np.testing.assert_allclose(plant.gradient(recorded, by, **run).values, wanted, rtol=1e-12)
    monkeypatch.setattr("inloop.simulate.sensitivities.way_back.MOST_KEPT", 200)
    np.testing.assert_allclose(plant.gradient(recorded, by, **run).values, wanted, rtol=1e-12)


def turned(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two quaternions (w, x, y, z)."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:],
                     *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])  # fmt: skip


def turn(v: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation vector, also if it is complex."""
    half = 0.5 * np.sqrt(v @ v)
    return np.array([np.cos(half), *(0.5 * np.sinc(half / np.pi) * v)])


def top_in_space(t: float, p: dict[str, complex], first: np.ndarray) -> np.ndarray:
    """Attitude of a symmetric top without torques: a turn about its angular momentum, in space,
    and one about its own axis (Landau & Lifshitz, Mechanics, section 33)."""
    I1, I3 = 0.05, p["I3"]
    om = np.array([p["top_wx.qd"], p["top_wy.qd"], p["top_wz.qd"]])
    start = turned(first, turn(np.array([p["top_wx.q"], p["top_wy.q"], p["top_wz.q"]])))
    L = turned(turned(start, np.array([0.0, I1 * om[0], I1 * om[1], I3 * om[2]])),
               start * [1.0, -1.0, -1.0, -1.0])[1:]  # fmt: skip
    own = np.array([0.0, 0.0, om[2] * (1.0 - I3 / I1) * t])
    return turned(turn(L / I1 * t), turned(start, turn(own)))


def test_attitude_of_a_ball_joint_and_by_its_start() -> None:
    m = il.Model("gyro", gravity=(0.0, 0.0, 0.0))
    I3 = m.parameter("I3", 0.08, unit="kg*m^2")
    m.body("top", on=m.ground, joint=il.ball(), mass=1.0, inertia=(0.05, 0.05, I3))
    plant, first = m.compile(), np.array([0.8, 0.2, -0.4, 0.4])
    start = {"top_wx.qd": 1.2, "top_wy.qd": -0.7, "top_wz.qd": 3.1, "I3": 0.08}
    start |= {f"top_w{axis}.q": 1e-200 for axis in "xyz"}  # the turn by 0 has no square root
    run: dict[str, Any] = {
        "t_end": 0.8, "step": 4e-3, "sample": 0.1, "method": "dopri",
        "q": [0.0, 0.0, 0.0, *first], "qd": [1.2, -0.7, 3.1],
    }  # fmt: skip
    result = plant.simulate(**run, sensitivities=list(start))
    for name in start:
        p = {**start, name: start[name] + 1j * STEP}
        wanted = np.array([top_in_space(t, p, first) for t in result.t]).imag / STEP
        size = np.abs(wanted).max()
        for k, part in enumerate(("qw", "qx", "qy", "qz")):
            assert result.sensitivities is not None
            found = result.sensitivities[f"top.{part}", name]
            np.testing.assert_allclose(found, wanted[:, k], rtol=0.0, atol=EXACT * size)
    recorded = {"top.qx": np.sin(result.t), "top_wy.qd": np.cos(result.t)}
    wanted = sum(2.0 * (result[x] - r) @ result.sensitivities[x] for x, r in recorded.items())
    found = plant.gradient(recorded, list(start), **run).values
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_backwards_from_efforts_of_drives() -> None:
    m = il.Model("driven")
    k = m.parameter("k", 30.0)
    a = m.body("a", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.2, 0.0, 0.02),
               inertia=(0.02, 0.05, 0.04))  # fmt: skip
    m.body("b", on=a.point("B", (0.4, 0.0, 0.0)), joint=il.revolute("y", initial=(0.3, 0.1)),
           mass=0.7, com=(0.3, 0.0, 0.0), inertia=(0.01, 0.03, 0.02))  # fmt: skip
    m.joint_force("b", lambda q, qd: -k * q - 0.3 * qd, "spring")
    m.drive("a", lambda t: 0.4 * il.sin(3.0 * t))
    plant, by = m.compile(live=["b.mass", "a.mass"]), ["k", "b.mass", "a.mass", "b.q"]
    run = {"t_end": 0.2, "step": 2e-3, "method": "rk4"}
    result = plant.simulate(**run, sensitivities=by)
    assert result.sensitivities is not None
    recorded = np.sin(result.t)
    wanted = 2.0 * (result["a.effort"] - recorded) @ result.sensitivities["a.effort"]
    found = plant.gradient({"a.effort": recorded}, by, **run)
    np.testing.assert_allclose(found.values, wanted, rtol=1e-11)


def test_pieces_between_checkpoints_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = linkage()

    def loss(result: il.Result) -> tuple[float, dict[str, np.ndarray]]:
        """The last position, and nothing else."""
        last = np.zeros(len(result.t))
        last[-1] = 1.0
        return float(result["rocker.q"][-1]), {"rocker.q": last}

    run = {"t_end": 0.1, "step": 1e-3, "method": "rk4"}
    whole = plant.gradient(loss, BY, **run)
    monkeypatch.setattr("inloop.simulate.sensitivities.way_back.MOST_KEPT", 130)
    pieces = plant.gradient(loss, BY, **run)
    np.testing.assert_allclose(pieces.values, whole.values, rtol=1e-12)
    forwards = plant.simulate(**run, sensitivities=BY).sensitivities
    assert forwards is not None
    np.testing.assert_allclose(whole.values, forwards["rocker.q"][-1], rtol=1e-10)


def test_a_start_that_nothing_keeps_moves_with_the_loop() -> None:
    """A rod of 0.5 m that is closed near a guess: the nearest position moves along the rod."""
    m = il.Model("rod")
    length = m.parameter("length", 0.5, unit="m")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", guess=0.3), mass=1.3)
    lift = m.body("lift", on=cart, joint=il.prismatic("z", guess=0.4), mass=0.7)
    m.close(m.ground, lift, kind="rod", length=length, name="bar")
    plant, run = m.compile(), {"t_end": 0.05, "step": 1e-3, "method": "rk4"}
    found = plant.simulate(**run, sensitivities=["length"]).sensitivities
    assert found is not None
    slopes = [found[f"{name}.q", "length"][0] for name in ("cart", "lift")]
    np.testing.assert_allclose(slopes, [0.6, 0.8], rtol=1e-9)
    back = plant.gradient(lambda r: (0.0, {"lift.q": np.eye(1, len(r.t))[0]}), ["length"], **run)
    assert back["length"] == pytest.approx(0.8, rel=1e-9)
    # what is given is kept, and the other one follows: x dx + z dz = length dlength
    kept = plant.simulate(**run, q={"cart": 0.3}, sensitivities=["length"]).sensitivities
    assert kept is not None
    slopes = [kept[f"{name}.q", "length"][0] for name in ("cart", "lift")]
    np.testing.assert_allclose(slopes, [0.0, 0.5 / 0.4], atol=1e-12)


def test_a_start_is_searched_again_only_for_what_it_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four searches for each length of the loop, none for a mass, a stiffness or a force."""
    m = il.Model("rod")
    length, mass = m.parameter("length", 0.5, unit="m"), m.parameter("mass", 1.3, unit="kg")
    k = m.parameter("k", 20.0, unit="N/m")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", guess=0.3), mass=mass)
    lift = m.body("lift", on=cart, joint=il.prismatic("z", guess=0.4), mass=0.7)
    m.close(m.ground, lift, kind="rod", length=length, name="bar")
    m.joint_force("cart", lambda q, qd: -k * q)
    m.joint_input("cart")
    plant, searches = m.compile(), []

    def search(*arguments: Any) -> Any:
        searches.append(arguments)
        return start_of(*arguments)

    monkeypatch.setattr("inloop.simulate.sensitivities.loose_start.start_of", search)
    run = plant.simulate(
        t_end=0.05, method="rk4", sensitivities=["length", "mass", "k", "cart.tau"]
    )
    assert len(searches) == 4
    assert run.sensitivities is not None
    np.testing.assert_allclose(run.sensitivities["lift.q", "length"][0], 0.8, rtol=1e-9)
    for name in ("mass", "k", "cart.tau"):
        assert run.sensitivities["lift.q", name][0] == 0.0


def test_signals_of_the_repetition_are_those_of_the_run() -> None:
    """Central differences of whole runs, of all signals; start values given by name."""
    plant = linkage()
    run = {"t_end": 0.05, "step": 1e-3, "method": "rk4"}
    result = plant.simulate(**run, q={"rocker": -0.2}, sensitivities=["rocker.q", "crank.B.x"])
    found = result.sensitivities
    assert found is not None

    def slopes(at, h):  # type: ignore[no-untyped-def]
        far, near = ((at(h * s) - at(-h * s)) / (2.0 * h * s) for s in (1.0, 0.5))
        return (4.0 * near - far) / 3.0

    def by_start(h: float) -> np.ndarray:
        moved = plant.simulate(**run, q={"rocker": -0.2 + h})
        return np.stack([moved[name] for name in found.signals])

    def by_length(h: float) -> np.ndarray:
        plant.parameters["crank.B.x"] = 0.45 + h
        moved = plant.simulate(**run, q={"rocker": -0.2})
        plant.parameters["crank.B.x"] = 0.45
        return np.stack([moved[name] for name in found.signals])

    for name, at in (("rocker.q", by_start), ("crank.B.x", by_length)):
        wanted = slopes(at, 1e-4)
        mine = np.stack([found[signal, name] for signal in found.signals])
        size = np.abs(wanted).max(axis=1, keepdims=True) + 1e-9
        np.testing.assert_allclose(mine / size, wanted / size, rtol=0.0, atol=1e-7)


def test_laws_that_compare_are_named() -> None:
    """A relay, beside a spring with a corner that cannot jump."""
    m = il.Model("sliding")
    k = m.parameter("k", 3.0, unit="N")
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(1.0, 0.0)), mass=1.0)
    m.joint_force("mass", lambda q, qd: -k * il.sign(q), "relay")
    m.joint_force("mass", lambda q, qd: -k * abs(q), "spring")
    plant = m.compile()
    run = {"t_end": 0.02, "step": 1e-3, "method": "rk4"}
    forwards = plant.simulate(**run, sensitivities=["k"])
    backwards = plant.gradient({"mass.q": np.zeros(len(forwards.t))}, ["k"], **run).result
    for result in (forwards, backwards):
        (note,) = result.notes
        assert note.startswith("relay: numbers are compared") and "spring" not in note
