"""Controllers that are part of a plant: traced or in C, sampled inside the step, to the bit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.linalg import expm

import inloop as il
from inloop import gallery

MASS, SPRING = 1.3, 40.0  # [kg], [N/m]
KP, KI, KD, GOAL = 90.0, 55.0, 14.0, 0.25
STIFFNESS = il.gain(KP, "N/m", (0.0, 400.0))
PERIOD, STEP = 5e-3, 1e-3  # [s]
HERE = str(Path(__file__))
PID_IN_C = """
static const double period = 5e-3, goal = 0.25;

int pid(const double *parameters, double t, const double *y, double *states, double *values)
{
    const double *const gain = parameters;
    const double error = goal - y[0];
    (void)t;
    states[0] += period * error;
    values[0] = gain[0] * error + gain[1] * states[0] - gain[2] * y[1];
    return values[0] < -1e6 ? 1 : 0;
}
"""


class Pid:
    """A PID controller: the same object is called as it is, and traced."""

    def __init__(self) -> None:
        self.states = {"total": 0.0}
        self.goal = GOAL

    def __call__(
        self,
        t: float,
        outputs: Mapping[str, Any],
        kp: Any = STIFFNESS,
        ki: Any = KI,
        kd: Any = KD,
    ) -> dict[str, Any]:
        error = self.goal - outputs["rail.q"]
        self.total = self.total + PERIOD * error
        return {"rail.tau": kp * error + ki * self.total - kd * outputs["rail.qd"]}


def cart() -> il.Model:
    """A mass on a spring, with an input that pushes it."""
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=MASS)
    push = m.input("push", unit="N")
    m.joint_force("cart", lambda q: push - SPRING * q)
    return m


def controlled(function: Any, period: float = PERIOD) -> il.Plant:
    m = cart()
    m.controller(function, period=period)
    return m.compile()


@pytest.fixture(scope="module")
def bare() -> il.Plant:
    """The cart without a controller."""
    return cart().compile()


@pytest.fixture(scope="module")
def traced() -> il.Plant:
    """The cart with a traced controller."""
    return controlled(Pid())


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> il.Plant:
    """The cart with the same controller in C."""
    file = tmp_path_factory.mktemp("c") / "pid.c"
    file.write_text(PID_IN_C)
    return controlled(
        il.c_controller(
            file,
            function="pid",
            outputs=["rail.q", "rail.qd"],
            inputs=["rail.tau"],
            states=1,
            parameters={"kp": KP, "ki": KI, "kd": KD},
        )
    )


def exact(samples: int, kp: float = KP) -> np.ndarray:
    """Position and velocity at samples: matrix exponential of plant and held force."""
    A = np.zeros((3, 3))
    A[0, 1], A[1] = 1.0, [-SPRING / MASS, 0.0, 1.0 / MASS]
    Phi = expm(PERIOD * A)
    state, total, rows = np.zeros(2), 0.0, [np.zeros(2)]
    for _ in range(samples):
        total += PERIOD * (GOAL - state[0])
        force = kp * (GOAL - state[0]) + KI * total - KD * state[1]
        state = (Phi @ [*state, force])[:2]
        rows.append(state)
    return np.array(rows)


def stepped(plant: il.Plant, count: int) -> il.Stepper:
    stepper = plant.stepper(step=STEP)
    for _ in range(count):
        stepper.step()
    return stepper


@pytest.mark.parametrize("kind", ["traced", "in_c"])
def test_it_follows_the_matrix_exponential_and_the_function_in_python(
    kind: str, bare: il.Plant, request: pytest.FixtureRequest
) -> None:
    plant: il.Plant = request.getfixturevalue(kind)
    result = plant.simulate(t_end=1.0, step=STEP, method="rk4")
    sampled = np.array([result["rail.q"], result["rail.qd"]]).T[::5]
    # error of rk4 over a second, at steps of a hundredth of the fastest time in the loop
    assert abs(sampled - exact(200)).max() < 1e-9
    assert abs(sampled[:, 0]).max() > 0.1
    python = bare.simulate(t_end=1.0, step=STEP, controller=Pid(), period=PERIOD, method="rk4")
    for name in ("rail.q", "rail.qd", "rail.tau"):
        scale = abs(python[name]).max()
        assert abs(result[name] - python[name]).max() < 1e-13 * scale, name


def test_stepper_simulation_and_many_runs_give_the_same_bits(
    traced: il.Plant, in_c: il.Plant
) -> None:
    for plant in (traced, in_c):
        result = plant.simulate(t_end=0.5, step=STEP, method="rk4")
        last = [result["rail.q"][-1], result["rail.qd"][-1]]
        stepper = stepped(plant, 500)
        assert [stepper["rail.q"], stepper["rail.qd"]] == last
        assert stepper.tau["rail"] == result["rail.tau"][-1]
        many = plant.simulate_many(t_end=0.5, step=STEP, method="rk4", runs=3, sample=0.05)
        assert all(list(row) == last for row in np.c_[many.q[:, -1], many.qd[:, -1]])


def test_gains_are_live_parameters_with_ranges(traced: il.Plant) -> None:
    (kp,) = (p for p in traced.parameters.declared if p.name == "controller.kp")
    assert (kp.default, kp.unit, kp.range) == (KP, "N/m", (0.0, 400.0))
    with pytest.raises(il.InputError, match=r"outside 0 \.\. 400"):
        traced.parameters["controller.kp"] = 401.0
    kps = np.array([30.0, KP, 200.0])
    many = traced.simulate_many(
        t_end=1.0, step=STEP, method="rk4", parameters={"controller.kp": kps}
    )
    for row, kp_of_run in zip(many.q[:, -1, 0], kps, strict=True):
        assert row == pytest.approx(exact(200, kp_of_run)[-1, 0], abs=1e-9)
    adaptive = traced.simulate_many(
        t_end=1.0, step=STEP, method="dopri", tolerance=1e-10, parameters={"controller.kp": kps}
    )
    assert adaptive.q[:, -1] == pytest.approx(many.q[:, -1], abs=1e-8)


def test_steps_chosen_by_their_error_end_at_samples(traced: il.Plant, in_c: il.Plant) -> None:
    for plant in (traced, in_c):
        result = plant.simulate(t_end=0.2, step=STEP, tolerance=1e-10, method="dopri")
        assert abs(result["rail.q"][::5] - exact(40)[:, 0]).max() < 1e-9


def test_a_snapshot_holds_states_and_held_inputs(traced: il.Plant) -> None:
    stepper = stepped(traced, 103)  # between two samples
    kept = stepper.snapshot()

    def onward() -> list[float]:
        rows = []
        for _ in range(60):
            stepper.step()
            rows += [stepper["rail.q"], stepper.tau["rail"]]
        return rows

    first = onward()
    stepper.restore(kept)
    assert onward() == first
    other = stepped(traced, 7)
    other.restore(kept)
    stepper = other
    assert onward() == first


def test_a_gain_that_changes_acts_from_the_next_sample_on(traced: il.Plant) -> None:
    stepper = stepped(traced, 101)
    held = stepper.tau["rail"]
    try:
        stepper.parameters["controller.kp"] = 300.0
        stepper.step()
        assert stepper.tau["rail"] == held
        for _ in range(4):
            stepper.step()
        assert stepper.tau["rail"] != held
    finally:
        traced.parameters.reset()


def test_it_reads_inputs_of_others_and_nobody_else_writes_its_own(bare: il.Plant) -> None:
    def feedforward(t: float, outputs: Mapping[str, Any]) -> dict[str, Any]:
        return {"rail.tau": il.where(outputs["push"] > 1.0, -1.0, 0.5) * outputs["push"] + t}

    plant = controlled(feedforward, 0.25)
    stepper = plant.stepper(step=0.125, inputs={"push": 3.0})
    stepper.step()
    assert stepper.tau["rail"] == -3.0
    stepper.step(push=0.5)
    assert stepper.tau["rail"] == -3.0  # held
    stepper.step()
    assert stepper.tau["rail"] == 0.5 * 0.5 + 0.25
    for wrong in (
        lambda: stepper.tau.__setitem__("rail", 1.0),
        lambda: plant.simulate(t_end=1.0, step=0.125, tau={"rail": 1.0}),
        lambda: plant.simulate_many(t_end=1.0, step=0.125, runs=2, tau={"rail": 1.0}),
        lambda: il.start(plant, name="never", rate=8.0, tau={"rail": 1.0}),
    ):
        with pytest.raises(il.InputError, match="is set by controller 'feedforward'"):
            wrong()
    with pytest.raises(il.InputError, match="already has its own controller, 'feedforward'"):
        plant.simulate(t_end=1.0, step=0.125, controller=Pid())
    with pytest.raises(il.InputError, match=r"Use step=0\.125"):
        plant.stepper(step=0.2)


def test_a_step_that_fails_takes_the_sample_back() -> None:
    """The states of the controller are as before, so that the step can be tried again."""

    class Counter:
        states: ClassVar[dict[str, float]] = {"count": 0.0}

        def __call__(self, t: float, outputs: Any, force: Any = 1.0) -> dict[str, Any]:
            self.count = self.count + 1.0
            return {"rail.tau": self.count * force}

    plant = controlled(Counter(), STEP)
    plant.bounds["rail"] = 1e9, 1.0  # [m], [m/s]
    stepper = plant.stepper(step=STEP)
    stepper.step()
    assert stepper.tau["rail"] == 1.0
    stepper.parameters["controller.force"] = 1e6
    before = stepper.snapshot().values
    with pytest.raises(il.SimulationError, match="OUT_OF_BOUNDS"):
        stepper.step()
    assert np.array_equal(stepper.snapshot().values, before)
    stepper.parameters["controller.force"] = 1.0
    stepper.step()
    assert stepper.tau["rail"] == 2.0


def test_answers_that_are_not_finite_end_the_step(bare: il.Plant) -> None:
    plant = controlled(lambda t, outputs: {"rail.tau": il.sqrt(0.0035 - t)}, STEP)
    stepper = stepped(plant, 4)
    with pytest.raises(il.SimulationError, match=r"CONTROLLER_FAILED.*input 'rail.tau' of the con"):
        stepper.step()
    assert stepper.t == 0.004
    with pytest.raises(il.SimulationError, match=r"at t = 0.004 s: input 'rail.tau' is nan"):
        plant.simulate(t_end=0.01, step=STEP)
    many = plant.simulate_many(t_end=0.01, step=STEP, method="rk4", runs=1)
    assert many.status == ("CONTROLLER_FAILED",)
    assert many.reached[0] == 0.004


def branching(t: float, outputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"rail.tau": 1.0 if outputs["rail.q"] > 0.0 else 0.0}


class Forgetful:
    """Has a state that it does not declare."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, t: float, outputs: Mapping[str, Any]) -> dict[str, Any]:
        self.sum += outputs["rail.q"]
        return {"rail.tau": self.sum}


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (branching, "has no truth value while.*Use where"),
        (Forgetful(), "changes its attribute 'sum', which is not among its states"),
        (Pid, "is not a controller"),
        (3.0, "is not a controller"),
        (lambda t, outputs: 1.0, "not inputs by name"),
        (lambda t, outputs: {"rail.tua": 1.0}, "no input 'rail.tua'.*Did you mean 'rail.tau'"),
        (lambda t, outputs: {"rail.tau": outputs["rail.qq"]}, "no output 'rail.qq'.*'rail.q'"),
        (lambda t, outputs: {"rail.tau": "a"}, "input 'rail.tau' must be a number"),
        (lambda t, outputs, wrong: {}, "wrong"),
        (lambda outputs: {}, r"2 were given.*It is called with the time and the outputs"),
    ],
)
def test_mistakes_are_told_with_the_line(function: Any, words: str) -> None:
    with pytest.raises(il.InloopError, match=words) as caught:
        controlled(function)
    assert caught.value.mistakes[0].where.startswith(HERE)


def test_mistakes_in_c_are_told(tmp_path: Path) -> None:
    file = tmp_path / "broken.c"
    file.write_text("int broken(void) { return nothing; }\n")
    names = {"outputs": ["rail.q"], "inputs": ["rail.tau"]}
    with pytest.raises(il.BuildError, match="controller 'broken' cannot be compiled") as caught:
        controlled(il.c_controller(file, function="broken", **names))
    assert caught.value.mistakes[0].where == str(file)
    with pytest.raises(il.InputError, match="cannot be read"):
        il.c_controller(tmp_path / "none.c", function="f", **names)
    with pytest.raises(il.InputError, match="not an identifier in C"):
        il.c_controller(file, function="f(); g", **names)
    file.write_text(
        "int refuses(const double *p, double t, const double *y, double *s, double *values)"
        "{ (void)p; (void)y; (void)s; values[0] = 1.0; return t > 0.0015; }"
    )
    plant = controlled(il.c_controller(file, function="refuses", **names), STEP)
    with pytest.raises(il.SimulationError, match="CONTROLLER_FAILED"):
        stepped(plant, 3)


@pytest.mark.parametrize(
    ("name", "joint", "signal", "events"),
    [("four_bar", "bar_0", "lam.loop_1.x", 0), ("cart_pendulum", "cart", "events", 1)],
)
def test_mechanisms_with_loops_or_events_have_controllers_too(
    name: str, joint: str, signal: str, events: int
) -> None:
    """It reads what the mechanism tells beside its motion, and goes on through impacts."""

    def damp(t: float, outputs: Mapping[str, Any], damping: Any = 0.3) -> dict[str, Any]:
        return {f"{joint}.tau": 1e-3 * outputs[signal] - damping * outputs[f"{joint}.qd"]}

    options = {"t_end": 0.6, "step": STEP, "method": "rk4"}
    plant = gallery.get(name).build().compile()
    called = plant.simulate(**options, controller=damp, period=PERIOD)
    model = gallery.get(name).build()
    model.controller(damp, period=PERIOD)
    with_controller = model.compile()
    result = with_controller.simulate(**options)
    stepper = stepped(with_controller, 600)
    assert len(called.events) == len(result.events) == events
    assert abs(result[f"{joint}.tau"]).max() > 1e-3
    for coordinate in plant.coordinates:
        scale = abs(called[f"{coordinate}.qd"]).max()
        for kind in ("q", "qd"):
            values = f"{coordinate}.{kind}"
            np.testing.assert_allclose(result[values], called[values], atol=1e-9 * scale)
            assert stepper[values] == result[values][-1]
