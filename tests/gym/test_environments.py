"""Plants as environments: what gymnasium asks for, and the numbers of our own runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import inloop as il
from inloop.simulate.fleet import Fleet

SEEN = ("rail.q", "hinge.q", "rail.qd", "hinge.qd")


@cache
def plant() -> il.Plant:
    m = il.Model("cart_pole")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    m.body(
        "pole", on=cart, joint=il.revolute("y", name="hinge"), mass=0.37, com=(0, 0, 0.42),
        inertia=(0.018, 0.021, 0.004),
    )  # fmt: skip
    return m.compile(live=["pole.mass"])


def reward(y: Mapping[str, np.ndarray], a: Mapping[str, np.ndarray]) -> np.ndarray:
    return 1.0 - y["hinge.q"] ** 2 - 0.01 * a["rail.tau"] ** 2


def start(random: np.random.Generator, n: int) -> dict[str, object]:
    return {
        "q": {"hinge": random.uniform(-0.1, 0.1, n)},
        "qd": {"rail": 0.2},
        "parameters": {"pole.mass": random.uniform(0.3, 0.4, n)},
    }


@cache
def task() -> il.gym.Task:
    return il.gym.Task(
        plant(), observation=SEEN, action={"rail.tau": (-1.0, 1.0)}, reward=reward,
        terminated=lambda y: np.abs(y["hinge.q"]) > 0.3, start=start, seconds=0.6,
    )  # fmt: skip


def test_gymnasium_finds_nothing_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(il.gym.Environment(task()), skip_render_check=True)


def test_pictures_show_where_the_mechanism_is() -> None:
    here = replace(task(), start=lambda random, n: {"q": {"hinge": 0.2}}, period=0.01)
    env = il.gym.Environment(here, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    for _ in range(10):
        env.step(np.array([1.0]))
    then = env.render()
    assert first.shape == then.shape == (400, 640, 3) and first.dtype == np.uint8
    changed = np.any(first != then, axis=2).mean()
    assert 1e-3 < changed < 0.5 and env.metadata["render_fps"] == 100
    assert il.gym.Environment(task()).render() is None


def test_a_seed_gives_the_same_episode() -> None:
    env, rng = il.gym.Environment(task()), np.random.default_rng(3)
    actions = rng.uniform(-1, 1, (12, 1))
    episodes = []
    for seed in (5, 5, 6):
        rows = [env.reset(seed=seed)[0]]
        rows += [env.step(action)[0] for action in actions]
        episodes.append(np.array(rows))
    assert np.array_equal(episodes[0], episodes[1])
    assert not np.array_equal(episodes[0], episodes[2])


def test_a_period_is_a_run_of_the_plant() -> None:
    env = il.gym.Environment(replace(task(), start=lambda random, n: {"q": {"hinge": 0.07}}))
    env.reset(seed=0)
    seen, earned, *_ = env.step(np.array([0.5]))
    run = plant().simulate(
        t_end=0.02, step=1e-3, method="rk4", q={"hinge": 0.07}, tau={"rail": 0.5}
    )
    assert seen == pytest.approx([*run.q[-1], *run.qd[-1]], rel=1e-6)
    assert earned == pytest.approx(1 - run["hinge.q"][-1] ** 2 - 0.01 * 0.25, rel=1e-12)


def test_many_are_as_many_single_ones() -> None:
    many, n = il.gym.VectorEnvironment(task(), 5), 5
    first, _ = many.reset(seed=9)
    generator = np.random.Generator(np.random.PCG64(9))  # as gymnasium makes one of a seed
    begun = start(generator, n)
    singles = []
    for k in range(n):

        def one(random: np.random.Generator, count: int, k: int = k) -> dict[str, object]:
            return {
                "q": {"hinge": begun["q"]["hinge"][k]}, "qd": begun["qd"],
                "parameters": {"pole.mass": begun["parameters"]["pole.mass"][k]},
            }  # fmt: skip

        singles.append(il.gym.Environment(replace(task(), start=one)))
    assert np.array_equal(first, [env.reset()[0] for env in singles])
    rng, over = np.random.default_rng(4), np.zeros(n, dtype=bool)
    for _ in range(30):
        actions = rng.uniform(-1, 1, (n, 1))
        rows = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        seen, earned, terminated, truncated, _ = many.step(actions)
        for k in np.flatnonzero(~over):
            assert np.array_equal(seen[k], rows[k][0])
            assert (earned[k], terminated[k], truncated[k]) == rows[k][1:4]
        over |= terminated | truncated
    assert np.all(over)


def test_an_ended_episode_begins_anew_in_the_next_step() -> None:
    many = il.gym.VectorEnvironment(replace(task(), seconds=0.04), 3)
    assert many.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    many.reset(seed=2)
    push = np.ones((3, 1))
    assert not np.any(many.step(push)[3])
    assert np.all(many.step(push)[3])
    seen, earned, terminated, truncated, _ = many.step(push)
    assert np.all(np.abs(seen[:, 1]) <= 0.1) and seen[:, 2] == pytest.approx([0.2] * 3)
    assert not np.any(earned) and not np.any(terminated) and not np.any(truncated)


def test_actions_beyond_their_bounds_are_clipped() -> None:
    env = il.gym.Environment(replace(task(), start=None))
    ends = []
    for action in (1.0, 50.0):
        env.reset(seed=0)
        ends.append(env.step(np.array([action]))[0])
    assert np.array_equal(*ends)
    with pytest.raises(il.InputError, match="not finite"):
        env.step(np.array([np.nan]))


def test_a_run_that_fails_ends_its_episode() -> None:
    m = il.Model("runaway")
    m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(1.0, 0.0)), mass=1.0)
    m.joint_force("cart", lambda q: 1e4 * il.power(q, 3.0))
    runaway = il.gym.Task(
        m.compile(), observation=["cart.q"], action={"cart.tau": (-1, 1)},
        reward=lambda y, a: 0.0, seconds=100.0, method="rk4",
    )  # fmt: skip
    env = il.gym.Environment(runaway)
    env.reset()
    for _ in range(100):
        _, _, terminated, _, info = env.step(np.zeros(1))
        if terminated:
            break
    assert info["status"] in ("DIVERGED", "OUT_OF_BOUNDS")
    assert env.reset()[0] == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"observation": ["hinge.w"]}, "no output 'hinge.w'"),
        ({"action": {"rail": (-1, 1)}}, "no input that can be written 'rail'"),
        ({"action": {"rail.tau": (1, -1)}}, "lies between"),
        ({"action": {"rail.tau": 1.0}}, "'rail.tau' lies between 1.0.*least, most"),
        ({"observation": {"rail.q": None}}, r"'rail.q' (lies between|cannot be read)"),
        ({"observation": {"rail.q": (-1, 0, 1)}}, "lies between"),
        ({"action": ["rail.tau"]}, "action has no bounds"),
        ({"observation": "hinge.q"}, "observation is one text"),
        ({"period": 0.0205}, "whole number of steps"),
        ({"seconds": 0.0}, "make no sense"),
        ({"seconds": float("nan")}, "make no sense"),
        ({"seconds": float("inf")}, "make no sense.*finite"),
        ({"reward": None}, "reward is 'None'. Give a function"),
        ({"terminated": "hinge.q > 1"}, "terminated is .* Give a function"),
        ({"plant": il.Model("cart_pole")}, "Task needs a compiled plant.*Compile the model first"),
    ],
)
def test_mistakes_are_told(change: dict, words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        il.gym.Environment(replace(task(), **change))


def test_functions_that_return_too_much_are_told() -> None:
    env = il.gym.Environment(replace(task(), reward=lambda y, a: np.zeros(7)))
    env.reset()
    with pytest.raises(il.InputError, match="reward returns shape"):
        env.step(np.zeros(1))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reward": lambda y, a: None}, "reward returns nothing"),
        ({"reward": lambda y, a: y["rail.q"] * np.nan}, "reward returns NaN"),
        ({"reward": lambda y, a: "good"}, "what reward returns cannot be read"),
        ({"terminated": lambda y: None}, "terminated returns nothing"),
    ],
)
def test_functions_that_return_no_number_are_told(change: dict, words: str, many: bool) -> None:
    """NaN would teach nothing, and counts as True."""
    changed = replace(task(), **change)
    env = il.gym.VectorEnvironment(changed, 2) if many else il.gym.Environment(changed)
    env.reset()
    with pytest.raises(il.InputError, match=words):
        env.step(np.zeros((2, 1) if many else 1))


def test_rewards_after_the_end_of_an_episode_do_not_count() -> None:
    ended = replace(
        task(),
        reward=lambda y, a: np.where(y["rail.q"] < 0.005, 1.0, np.nan),
        terminated=lambda y: y["rail.q"] > 0.003,
        start=lambda random, n: {"qd": {"rail": 0.2}},
    )
    many = il.gym.VectorEnvironment(ended, 2)
    many.reset()
    for expected in ([1.0, True], [0.0, False]):  # at 4 mm, and at 8 mm before the next start
        _, rewards, terminated, _, _ = many.step(np.zeros((2, 1)))
        assert [[*pair] for pair in zip(rewards, terminated, strict=True)] == [expected] * 2


def test_runs_of_a_fleet_are_those_of_the_stepper() -> None:
    fleet = Fleet(plant(), 3)
    fleet.restart([0, 2], q={"hinge": np.array([0.1, -0.2])})
    fleet.inputs[:, fleet.input_names.index("rail.tau")] = [1.0, 2.0, 3.0]
    fleet.advance(150)
    for k, (angle, force) in enumerate([(0.1, 1.0), (0.0, 2.0), (-0.2, 3.0)]):
        stepper = plant().stepper(step=1e-3, method=fleet.method, q={"hinge": angle})
        stepper.tau["rail"] = force
        for _ in range(150):
            stepper.step()
        y = np.zeros(len(stepper.output_names))
        stepper.outputs(y)
        assert np.array_equal(fleet.outputs[k], y)


@cache
def loaded() -> il.Plant:
    m = il.Model("loaded")
    load, reach = m.parameter("load", 2.0, unit="kg"), m.parameter("reach", 0.3, unit="m")
    crank = m.body(
        "crank", on=m.ground, joint=il.revolute("y", initial=(0.5, 0.0)), mass=load - 1.0,
        com=(0.05, 0, 0),
    )  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (0.1, 0, 0)), joint=il.revolute("y"), mass=1.0)
    m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.4), mass=1.0)
    m.close(rod.point("end", (reach, 0, 0)), "slider")
    return m.compile()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"load": np.array([2.0, 0.5])}, "run 1: body 'crank': mass must be >= 0"),
        ({"reach": np.array([0.3, 0.01])}, "run 1: its loops cannot be closed at the start"),
        ({"load": 0.5}, "run 0: body 'crank': mass must be >= 0"),
        ({"reech": 0.5}, "there is no 'reech'. Did you mean reach"),
    ],
)
def test_starts_that_cannot_be_are_refused(parameters: dict, words: str) -> None:
    far = il.gym.Task(
        loaded(), observation=["crank.q"], action={"crank.tau": (-1.0, 1.0)},
        reward=lambda y, a: 0.0, start=lambda random, n: {"parameters": parameters},
    )  # fmt: skip
    with pytest.raises(il.InputError, match=words):
        il.gym.VectorEnvironment(far, 2).reset()


def test_what_start_returns_has_names() -> None:
    env = il.gym.Environment(replace(task(), start=lambda random, n: [0.1]))
    with pytest.raises(il.InputError, match=r"start returns \[0.1\]"):
        env.reset()


def test_a_run_whose_formulas_leave_their_bounds_has_failed() -> None:
    fleet = Fleet(loaded(), 2)
    before = fleet.outputs.copy()
    fleet.restart([0, 1], parameters={"load": np.array([0.5, 3.0])})
    assert (fleet.status(0), fleet.status(1)) == ("OUT_OF_BOUNDS", "OK")
    fleet.advance(3)
    assert np.array_equal(fleet.outputs[0], before[0])
    assert fleet.outputs[1, 0] != before[1, 0]
    fleet.restart([0], parameters={"load": 1.5})
    assert not np.any(fleet.failed)
