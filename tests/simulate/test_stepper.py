"""A plant stepped one step at a time is the plant that `simulate` runs."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop import gallery


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "bouncing_ball"])
def test_steps_are_those_of_a_run(name: str) -> None:
    plant = gallery.get(name).build().compile()
    result = plant.simulate(t_end=1.3, step=1e-3)
    stepper = plant.stepper(step=1e-3)
    happened = []
    for _ in range(1300):
        stepper.step()
        happened += stepper.events
    assert stepper.t == pytest.approx(1.3)
    np.testing.assert_allclose(stepper.look().q[0], result.q[-1], atol=1e-12)
    assert [e.t for e in happened] == pytest.approx([e.t for e in result.events], abs=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["slider_crank", "suspension"])
def test_looking_does_not_change_the_run(name: str) -> None:
    """At long steps, where the tolerance of the loops shows in the last digits."""
    plant = gallery.get(name).build().compile()
    watched, alone = plant.stepper(step=5e-3), plant.stepper(step=5e-3)
    for _ in range(200):
        watched.step()
        seen = watched.look()
        for k, joint in enumerate(plant.coordinates):
            assert watched[f"{joint}.q"] == pytest.approx(seen.q[0, k], rel=1e-12, abs=1e-12)
            assert watched[f"{joint}.qd"] == pytest.approx(seen.qd[0, k], rel=1e-9, abs=1e-9)
        alone.step()
    np.testing.assert_array_equal(watched.snapshot().x, alone.snapshot().x)


def test_inputs_act_at_once_and_snapshots_bring_everything_back() -> None:
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.joint_input("mass")
    stepper = m.compile().stepper(step=0.01)
    for _ in range(100):
        stepper.step(**{"mass.tau": 4.0})
    assert stepper["mass.q"] == pytest.approx(1.0) and stepper["mass.qd"] == pytest.approx(2.0)
    kept = stepper.snapshot()
    stepper.inputs["mass.tau"] = -4.0
    for _ in range(100):
        stepper.step()
    there = stepper["mass.q"]
    assert stepper["mass.qd"] == pytest.approx(0.0, abs=1e-12)
    stepper.restore(kept)
    assert stepper.t == pytest.approx(1.0)
    for _ in range(100):
        stepper.step()
    assert stepper["mass.q"] == there


def pushed() -> il.Plant:
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    push, pull = m.input("push", "N"), m.input("pull", "N")
    body = m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    factor = m.parameter("factor", 1.0)
    m.joint_force(body, lambda q: factor * (push - pull))
    return m.compile()


def test_values_assigned_as_a_whole_act() -> None:
    stepper = pushed().stepper(step=0.01)
    stepper.inputs = {"push": 4.0}
    stepper.tau = {"mass": 2.0}
    stepper.parameters = {"factor": 3.0}
    stepper.step()
    assert dict(stepper.inputs)["pull"] == 0.0
    assert stepper["mass.qd"] == pytest.approx((3.0 * 4.0 + 2.0) / 2.0 * 0.01)
    with pytest.raises(il.InputError, match="there is no input 'pus'"):
        stepper.inputs = {"pus": 4.0}


@pytest.mark.parametrize("values", [[3.0], [1.0, 2.0, 3.0, 4.0], [[1.0, 2.0, 3.0]], ["a"] * 3])
def test_held_values_of_a_wrong_shape_are_refused(values: object) -> None:
    stepper = pushed().stepper()
    with pytest.raises(il.InputError, match=r"what is held .*input_names|real numbers"):
        stepper.hold(values)  # type: ignore[arg-type]
    assert list(stepper.inputs.values()) == [0.0, 0.0]
    stepper.hold([0, 1, 2])  # type: ignore[arg-type]
    assert dict(stepper.inputs) == {"push": 1.0, "pull": 2.0}


@pytest.mark.parametrize(
    "values",
    [np.zeros(1), np.zeros(2, np.float32), np.zeros(2, int), np.zeros(4)[::2], [0.0, 0.0]],
    ids=["short", "single", "integers", "strided", "list"],
)
def test_outputs_need_an_array_that_they_fit_into(values: object) -> None:
    stepper = pushed().stepper()
    with pytest.raises(il.InputError, match=r"one per output \(2\).*output_names"):
        stepper.outputs(values)  # type: ignore[arg-type]


def test_a_step_that_fails_leaves_everything_as_it_was() -> None:
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.joint_input("mass")
    stepper = m.compile().stepper(step=0.01)
    stepper.step(**{"mass.tau": 4.0})
    before = stepper["mass.q"], stepper.t
    with pytest.raises(il.SimulationError, match="OUT_OF_BOUNDS"):
        stepper.step(**{"mass.tau": 1e308})
    assert (stepper["mass.q"], stepper.t) == before
    with pytest.raises(il.InputError, match=r"input 'mass.tau' is nan. Give a finite number"):
        stepper.step(**{"mass.tau": float("nan")})
    assert (stepper["mass.q"], stepper.t) == before
    stepper.step(**{"mass.tau": 4.0})
    with pytest.raises(il.InputError, match="there is no input 'mas'"):
        stepper.step(mas=1.0)


def pendulum(length: float, gravity: float) -> il.Plant:
    """A pendulum with parameters that a run may change."""
    m = il.Model(
        "swing", gravity=lambda m: (0.0, -m.parameter("g", gravity, range=(0.0, 25.0)), 0.0)
    )
    arm = m.parameter("arm", length, range=(0.1, 3.0))
    m.body("bob", on=m.ground, joint=il.revolute("z", initial=(0.7, 0.0)), mass=1.3,
           com=(arm, 0.0, 0.0), inertia=(1e-3, 2e-3, 3e-3))  # fmt: skip
    return m.compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", ["euler", "rk4", "dopri", "rodas", "implicit"])
def test_parameters_act_from_the_step_after_they_are_written(method: str) -> None:
    plant, other = pendulum(0.8, 9.81), pendulum(1.1, 3.7)
    stepper = plant.stepper(step=1e-3, method=method)
    for _ in range(200):
        stepper.step()
    q, qd = stepper["bob.q"], stepper["bob.qd"]
    stepper.parameters["g"] = 3.7
    plant.parameters["arm"] = 1.1
    assert (stepper["bob.q"], stepper["bob.qd"]) == (q, qd)
    built_so = other.stepper(step=1e-3, method=method, q={"bob": q}, qd={"bob": qd})
    for _ in range(300):
        stepper.step()
        built_so.step()
        assert (stepper["bob.q"], stepper["bob.qd"]) == (built_so["bob.q"], built_so["bob.qd"])
    assert abs(stepper["bob.q"] - q) > 0.1


def test_parameters_of_loops_and_modes_act_as_well() -> None:
    """A four-bar whose ground link becomes longer, and a ball that falls slower."""
    m = il.Model("bars", gravity=(0.0, -9.81, 0.0))
    ground = m.parameter("ground", 0.5, range=(0.4, 1.2))
    rod = {"mass": 0.7, "com": (0.1, 0.01, 0.0), "inertia": (1e-3, 2e-3, 3e-3)}
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(1.0, 0.0)), **rod)
    coupler = m.body("coupler", on=crank.point("pin", (0.2, 0, 0)),
                     joint=il.revolute("z", guess=-0.5), **rod)  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("base", (ground, 0.05, 0.0)),
                    joint=il.revolute("z", guess=1.2), **rod)  # fmt: skip
    m.close(coupler.point("end", (0.6, 0, 0)), rocker.point("tip", (0.4, 0, 0)))
    plant = m.compile()
    stepper = plant.stepper(step=1e-3)
    stepper.step()
    plant.parameters["ground"] = 0.52
    stepper.step()
    a, b, c = stepper.look().q[0]
    x = 0.2 * np.cos(a) + 0.6 * np.cos(a + b) - 0.4 * np.cos(c)
    assert x == pytest.approx(0.52, abs=1e-12)
    # a length that the loop reaches elsewhere, but not from here
    plant.parameters["ground"] = 1.15
    for ask in (stepper.step, stepper.look):
        with pytest.raises(il.SimulationError, match=r"loop 'coupler_end_rocker_tip'.*Parameters"):
            ask()
    plant.parameters["ground"] = 0.52
    stepper.step()
    assert stepper.look().q[0] == pytest.approx([a, b, c], abs=1e-3)

    def falling(gravity: float) -> il.Plant:
        m = il.Model(
            "ball", gravity=lambda m: (0.0, 0.0, -m.parameter("g", gravity, range=(0.0, 25.0)))
        )
        m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(1.0, 0.0)), mass=1.0)
        m.event("down", lambda q: q["ball"] - 0.5, to="ball")
        return m.compile()

    stepper = falling(9.81).stepper(step=1e-2)
    stepper.parameters["g"] = 2.0
    stepper.step()
    assert stepper["ball.q"] == pytest.approx(1.0 - 0.5 * 2.0 * 1e-4, rel=1e-12)


def test_signals_by_name_are_those_of_a_look() -> None:
    plant = gallery.get("slider_crank").build().compile()
    stepper = plant.stepper(step=1e-3)
    for name, values in stepper.look().signals.items():
        assert stepper[name] == pytest.approx(values[0], rel=1e-9, abs=1e-9), name
    with pytest.raises(il.InputError, match=r"there is no signal 'crank\.p'"):
        stepper["crank.p"]
