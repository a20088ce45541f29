"""Controllers as functions in simulated runs: sampled, held, deterministic, and told by name."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import inloop as il
from inloop import gallery

MASS, SPRING, DAMPING = 1.3, 40.0, 0.7  # [kg], [N/m], [N s/m]
KP, KD, GOAL = 90.0, 14.0, 0.25
HERE = str(Path(__file__))


@pytest.fixture(scope="module")
def cart() -> il.Plant:
    """A mass on a spring and a damper."""
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=MASS)
    m.joint_force("cart", lambda q, qd: -SPRING * q - DAMPING * qd)
    m.input("bell")
    return m.compile(methods=("implicit", "rodas"))


def pd(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    """Pull the cart to its goal."""
    return {"rail.tau": KP * (GOAL - outputs["rail.q"]) - KD * outputs["rail.qd"]}


def sampled_exactly(period: float, samples: int) -> np.ndarray:
    """Positions and velocities at samples: the matrix exponential of plant and held force."""
    A = np.zeros((3, 3))
    A[0, 1] = 1.0
    A[1] = [-SPRING / MASS, -DAMPING / MASS, 1.0 / MASS]
    Phi = expm(period * A)
    states = [np.zeros(2)]
    for _ in range(samples):
        q, qd = states[-1]
        states.append((Phi @ [q, qd, KP * (GOAL - q) - KD * qd])[:2])
    return np.array(states)


@pytest.mark.parametrize(
    ("method", "tolerance", "error"),
    [
        ("rk4", None, 1e-10),
        ("dopri", None, 1e-12),
        ("rodas", None, 1e-9),
        ("implicit", None, 1e-5),
        ("euler", None, 1e-2),
        ("dopri", 1e-9, 1e-9),
        ("rodas", 1e-9, 1e-8),
        (None, None, 1e-10),
        (None, 1e-9, 1e-8),
    ],
)
def test_a_sampled_loop_is_the_exact_one_with_every_integrator(
    cart: il.Plant, method: str | None, tolerance: float | None, error: float
) -> None:
    period, steps = 0.02, 20
    result = cart.simulate(
        t_end=1.0,
        step=period / steps,
        method=method,
        tolerance=tolerance,
        controller=pd,
        period=period,
    )
    exact = sampled_exactly(period, 50)
    at = np.searchsorted(result.t, period * np.arange(51) - 1e-9)
    np.testing.assert_allclose(result.t[at], period * np.arange(51), rtol=1e-12)
    np.testing.assert_allclose(result["rail.q"][at], exact[:, 0], atol=error)
    np.testing.assert_allclose(result["rail.qd"][at], exact[:, 1], atol=20 * error)
    assert np.ptp(exact[:, 0]) > 0.1
    # the force is a signal, and stays from each sample to the next
    force = KP * (GOAL - result["rail.q"]) - KD * result["rail.qd"]
    np.testing.assert_array_equal(result["rail.tau"][at[:-1]], force[at[:-1]])
    for first, last in itertools.pairwise(at):
        assert len(set(result["rail.tau"][first:last])) == 1
    assert result.status == "OK"


@pytest.mark.parametrize("tolerance", [None, 1e-6])
def test_samples_are_at_multiples_of_the_period_and_old_ones_stay(
    cart: il.Plant, tolerance: float | None
) -> None:
    seen = []

    def watch(t: float, outputs: Any) -> dict[str, float]:
        seen.append((t, outputs))
        return {"bell": 10.0 + len(seen)}

    result = cart.simulate(
        t_end=0.015, step=1e-3, controller=watch, period=4e-3, q={"rail": 0.1}, tolerance=tolerance
    )
    assert [t for t, _ in seen] == [0.0, 0.004, 0.008, 0.012]
    assert [outputs.t for _, outputs in seen] == [t for t, _ in seen]
    rows = [int(np.flatnonzero(np.isclose(result.t, t))[0]) for t, _ in seen]
    assert [outputs["rail.q"] for _, outputs in seen] == result["rail.q"][rows].tolist()
    assert [outputs.qd[0] for _, outputs in seen] == result["rail.qd"][rows].tolist()
    # inputs are read as they were held up to the sample, and told from there on
    assert [outputs["bell"] for _, outputs in seen] == [0.0, 11.0, 12.0, 13.0]
    assert result["bell"][rows].tolist() == [11.0, 12.0, 13.0, 14.0]


class Integral:
    """A controller with a state."""

    def __init__(self, gain: float) -> None:
        self.gain, self.total = gain, 0.0

    def reset(self) -> None:
        self.total = 0.0

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        self.total += 1e-3 * (GOAL - outputs["rail.q"])
        return {"rail.tau": self.gain * self.total - KD * outputs["rail.qd"]}


def test_states_of_a_controller_are_reset_at_the_start(cart: il.Plant) -> None:
    law = Integral(60.0)
    first, again = (cart.simulate(t_end=8.0, controller=law, method="rk4") for _ in range(2))
    np.testing.assert_array_equal(first.q, again.q)
    # against the spring: only an integral gets there
    assert first["rail.q"][-1] == pytest.approx(GOAL, abs=1e-3)
    assert first["rail.tau"][-1] == pytest.approx(SPRING * GOAL, rel=1e-2)

    class Kept(Integral):
        reset = None  # type: ignore[assignment]

    kept = Kept(60.0)
    cart.simulate(t_end=8.0, controller=kept, method="rk4")
    assert cart.simulate(t_end=1e-3, controller=kept)["rail.tau"][0] > 0.9 * SPRING * GOAL


def line_of(text: str) -> int:
    lines = Path(HERE).read_text(encoding="utf-8").splitlines()
    (number,) = [k for k, line in enumerate(lines, 1) if line.strip().startswith(text)]
    return number


def breaks(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    if t > 0.0055:
        halved = outputs["rail.q"] / (t - t)
        return {"rail.tau": halved}
    return {}


def misspells(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    return {"rail.tua": 1.0}


def misreads(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    return {"rail.tau": outputs["rail.p"]}


def loses(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    return {"rail.tau": float("nan") if t > 0.0035 else 1.0}


def forgets(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    pass  # type: ignore[return]


def is_alone(t: float) -> dict[str, float]:
    return {}


def leaves(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    raise SystemExit("enough")


@pytest.mark.parametrize("tolerance", [None, 1e-6])
@pytest.mark.parametrize(
    ("controller", "rows", "told"),
    [
        (breaks, 7, f"controller 'breaks' failed at t = 0.006 s with ZeroDivisionError: float "
         f"division by zero ({HERE}:{line_of('halved =')}). Check this line of the controller."),
        (misspells, 1, f"controller 'misspells' at t = 0 s: the plant has no input 'rail.tua' "
         f"({HERE}:{line_of('def misspells')}). Did you mean 'rail.tau'?"),
        (misreads, 1, "controller 'misreads' failed at t = 0 s with InputError: the plant has no "
         "output 'rail.p'. Did you mean 'rail.q' or 'rail.qd' or 'rail.tau'? "
         f"({HERE}:{line_of('def misreads') + 1}). Check this line of the controller."),
        (loses, 5, f"controller 'loses' at t = 0.004 s: input 'rail.tau' is nan ({HERE}:"
         f"{line_of('def loses')}). Make sure that its results stay finite."),
        (forgets, 1, "controller 'forgets' at t = 0 s: returned None, not inputs by name"),
        (is_alone, 1, "controller 'is_alone' failed at t = 0 s with TypeError: is_alone() takes 1 "
         "positional argument but 2 were given"),
        (leaves, 1, "controller 'leaves' failed at t = 0 s with SystemExit: enough"),
        (functools.partial(misspells), 1, "controller 'misspells' at t = 0 s"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_name_time_and_line_and_what_was_computed_is_kept(
    cart: il.Plant, controller: Any, rows: int, told: str, tolerance: float | None
) -> None:
    with pytest.raises(il.SimulationError) as caught:
        cart.simulate(t_end=0.02, controller=controller, q={"rail": 0.1}, tolerance=tolerance)
    assert str(caught.value).startswith(told)
    if rows > 1 or tolerance is None:
        result = caught.value.result  # type: ignore[attr-defined]
        assert (len(result.t), result.status) == (rows, "CONTROLLER_FAILED")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"controller": Integral}, "controller 'Integral' is a class"),
        ({"controller": 3.0}, "controller is '3.0', which cannot be called"),
        ({"period": 1e-3}, "period= is given without a controller"),
        (
            {"controller": pd, "period": 2.5e-3},
            r"not a whole number of steps.*Use step=0.000833333",
        ),
        ({"controller": pd, "period": 1e-4}, r"not a whole number of steps.*Use step=0.0001"),
        ({"controller": pd, "t_end": 0.0105}, r"t_end = 0.0105 s is not a whole number of steps"),
        ({"controller": pd, "period": -1.0}, "period = -1.0 s makes no sense"),
        (
            {"controller": pd, "inputs": {"bell": lambda t: t}},
            "input 'bell' is given as a function of time",
        ),
        ({"controller": pd, "reactions": "all"}, "reactions= cannot be combined"),
        ({"controller": pd, "sensitivities": "rail.q"}, "sensitivities= cannot be combined"),
        ({"controller": pd, "mode": "up"}, "has no modes"),
    ],
)
def test_what_makes_no_sense_is_refused(cart: il.Plant, given: Any, told: str) -> None:
    with pytest.raises(il.InputError, match=told):
        cart.simulate(**{"t_end": 0.01, **given})


@pytest.fixture(scope="module")
def four_bar() -> il.Plant:
    return gallery.get("four_bar").build().compile()


def test_a_loop_with_held_torque_is_the_run_with_that_torque(four_bar: il.Plant) -> None:
    joint = four_bar.coordinates[0]
    alone = four_bar.simulate(t_end=0.5, tau={joint: 0.3}, method="rk4")
    held = four_bar.simulate(
        t_end=0.5, method="rk4", controller=lambda t, y: {f"{joint}.tau": 0.3}, period=0.01
    )
    np.testing.assert_allclose(held.q, alone.q, atol=1e-10)
    assert np.abs(alone.q[-1] - alone.q[0]).max() > 0.1
    # at the start forces are those that the controller has found there
    forces = [name for name in alone.signals if name.startswith("lam.") or ".force." in name]
    assert forces
    for name in forces:
        size = np.abs(alone[name]).max() + 1e-9
        np.testing.assert_allclose(held[name][1:], alone[name][1:], atol=1e-8 * size)
    assert held.constraint_violation < 1e-9


def test_steps_chosen_by_their_error_tell_the_same_signals(four_bar: il.Plant) -> None:
    joint = four_bar.coordinates[0]

    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {f"{joint}.tau": 2.0 - outputs[f"{joint}.qd"]}

    given: dict[str, Any] = {"t_end": 0.1, "controller": law, "period": 0.01}
    fixed = four_bar.simulate(method="dopri", **given)
    chosen = four_bar.simulate(method="dopri", tolerance=1e-10, **given)
    assert set(chosen.names) == set(fixed.names)
    for name in fixed.names:
        if not name.startswith("energy"):
            size = np.abs(fixed[name]).max()
            np.testing.assert_allclose(chosen[name], fixed[name], atol=1e-6 * size, err_msg=name)


@pytest.mark.parametrize("tolerance", [None, 1e-9])
def test_events_are_those_of_a_run_without_a_controller(tolerance: float | None) -> None:
    ball = gallery.get("bouncing_ball").build().compile()
    modes = set()

    def watch(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        modes.add(outputs["mode"])
        return {}

    alone = ball.simulate(t_end=1.3, step=1e-3, method="dopri", tolerance=tolerance)
    watched = ball.simulate(
        t_end=1.3, step=1e-3, method="dopri", tolerance=tolerance, controller=watch, period=0.1
    )
    assert len(alone.events) > 1
    assert [e.name for e in watched.events] == [e.name for e in alone.events]
    times = [e.t for e in watched.events], [e.t for e in alone.events]
    np.testing.assert_allclose(*times, atol=1e-8)
    np.testing.assert_allclose(watched.q[-1], alone.q[-1], atol=1e-7)
    assert modes


def driven() -> il.Plant:
    m = il.Model("driven")
    shape = {"mass": 0.7, "com": (0.2, 0.0, 0.0), "inertia": (0.01, 0.03, 0.02)}
    m.body("arm", on=m.ground, joint=il.revolute("y", name="arm"), **shape)
    m.drive("arm")
    return m.compile()


def test_live_drives_follow_a_controller_and_need_their_velocity() -> None:
    plant = driven()

    def move(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {"arm.q": 3.0 * t, "arm.qd": 3.0, "arm.qdd": 0.0}

    result = plant.simulate(t_end=0.1, controller=move)
    np.testing.assert_allclose(result["arm.q"][1:], 3.0 * result.t[:-1], atol=1e-12)

    def jump(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {"arm.q": t}

    told = r"controller 'jump' at t = 0.001 s: .*'arm.q' moves from 0 to 0.001, but 'arm.qd' is 0"
    with pytest.raises(il.SimulationError, match=told):
        plant.simulate(t_end=0.1, controller=jump)
    with pytest.raises(il.SimulationError, match=r"input 'arm\.q' is set by the motion"):
        plant.simulate(t_end=0.1, controller=move, arm=lambda t: t)


def test_sensors_and_outputs_of_laws_are_read_and_the_future_is_not() -> None:
    m = il.Model("seen", gravity=(0.0, 0.0, -9.81))
    bar = m.body("bar", on=m.ground, joint=il.revolute("y", name="pin"), mass=1.1,
                 com=(0.3, 0, 0), inertia=(0.01, 0.02, 0.03))  # fmt: skip
    m.sensor("tilt", il.sensors.encoder(bar))
    plant = m.compile()
    names: set[str] = set()

    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        names.update(outputs)
        return {}

    result = plant.simulate(t_end=0.01, controller=law)
    sensed = {n for n in names if n.startswith("tilt")}
    assert sensed and sensed <= set(result.names)
    assert not {n for n in names if n.startswith("energy")}


def test_rows_are_kept_as_far_apart_as_asked(cart: il.Plant) -> None:
    every = cart.simulate(t_end=0.1, controller=pd, period=2e-3)
    some = cart.simulate(t_end=0.1, controller=pd, period=2e-3, sample=7e-3)
    assert len(some.t) == 16
    np.testing.assert_array_equal(some.q[:-1], every.q[::7])
    np.testing.assert_array_equal(some.q[-1], every.q[-1])


def test_a_run_that_fails_keeps_what_was_computed(cart: il.Plant) -> None:
    def push(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {"rail.tau": 1e308 if t > 0.0095 else 0.0}

    with pytest.raises(il.SimulationError) as caught:
        cart.simulate(t_end=1.0, controller=push)
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.status in ("DIVERGED", "OUT_OF_BOUNDS")
    assert result.t[-1] == pytest.approx(0.01)


@pytest.mark.parametrize("tolerance", [None, 1e-6])
def test_ctrl_c_ends_the_program_and_keeps_what_was_computed(
    cart: il.Plant, tolerance: float | None
) -> None:
    def interrupted(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        if t > 0.0095:
            raise KeyboardInterrupt
        return {"rail.tau": 1.0}

    with pytest.raises(KeyboardInterrupt) as caught:
        cart.simulate(t_end=1.0, controller=interrupted, tolerance=tolerance)
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.status == "STOPPED"
    assert result.t[-1] == pytest.approx(0.01)


def test_steps_too_long_for_a_stiff_law_are_told() -> None:
    """An explicit method at |λ h| = 4, beyond its limit of 2.8, from a start near rest."""
    m = il.Model("stiff")
    m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.0)
    m.joint_force("mass", lambda q, qd: -4000.0 * qd)
    plant = m.compile()
    given: dict[str, Any] = {"t_end": 0.01, "step": 1e-3, "qd": {"rail": 1e-3}}
    result = plant.simulate(controller=lambda t, y: {}, method="rk4", **given)
    assert result.status == "UNSTABLE" and "too long for rk4" in result.doubts[0]
    # where no method is named, a stiff law gets one that suits it
    chosen = plant.simulate(controller=lambda t, y: {}, **given)
    assert (chosen.method, chosen.status) == ("implicit", "OK")
    assert abs(chosen["rail.qd"][-1]) < 1e-6


def test_a_filtered_drive_has_a_controller() -> None:
    """Its filter has outputs that end with ".q" and are no coordinates."""
    m = il.Model("crank")
    m.body("crank", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.drive("crank", derivatives="filtered", cutoff=10.0)
    run = m.compile().simulate(
        t_end=1.0, step=1e-3, controller=lambda t, outputs: {"crank.q": 0.3}, period=1e-2
    )
    assert run.coordinates == ("crank",)
    assert run["crank.q"][-1] == pytest.approx(0.3, abs=1e-6)
