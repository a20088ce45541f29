"""Random closed mechanisms in random sizes, starts and live changes: right, or told why not.

Each case either moves as an independent integration in maximal coordinates says, or ends with an
error that names the loop, the joint or the parameter that is the cause. 200 cases, and 10,000 with
`pytest -m long tests/properties`.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest
from families import FAMILIES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linkage import Linkage, Units
from maximal_coordinates import (
    FINEST,
    UndecidedError,
    apart,
    closed_position,
    freedom,
    integrate,
    openings,
    poses,
)

import inloop as il

CASES, ALL_CASES = 25, 1250  # of each family
POOL, LARGE_POOL = 2, 100  # mechanisms of each family that are varied
T_END, STEPS = 0.2, 200  # of a run, in units of the linkage
CLOSE = 1e-6  # largest difference from the independent integration, in units of the linkage
DATA = 1e-5  # by which values that are given twice may change: ten times the rounding of data
ANGLES = st.one_of(st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi]), st.floats(-3.1, 3.1))
SPEEDS = st.one_of(st.just(0.0), st.floats(-3.0, 3.0))
SIZES = (1e-9, 1e-3, 1.0, 1e3)


@dataclass(frozen=True)
class Case:
    """What a careless user asks for.

    Attributes:
        number: which mechanism of its family.
        start: positions and velocities by joint, in units of the linkage.
        stretch: value that is written into the live parameter.
    """

    number: int
    start: dict[str, tuple[float, float]]
    stretch: float


@st.composite
def cases(draw: st.DrawFn, family: str, numbers: int) -> Case:
    """Starts that fit, contradict each other or are singular; lengths that may not fit."""
    number = draw(st.integers(0, numbers - 1))
    names = [bar.name for bar in linkage_of(family, number).bars]
    joints = draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
    start = {name: (draw(ANGLES), draw(SPEEDS)) for name in joints}
    stretch = draw(st.one_of(st.just(1.0), st.floats(0.7, 1.5)))
    return Case(number, start, stretch)


def linkage_of(family: str, number: int) -> Linkage:
    return FAMILIES[family](np.random.default_rng([number, len(family)]))


def units_of(number: int) -> Units:
    """Nanometers to kilometers, milligrams to tons; speeds stay about one length per second."""
    return Units(length=SIZES[number % len(SIZES)], mass=10.0 ** (number % 7 - 3), time=1.0)


@functools.lru_cache(maxsize=32)
def compiled(family: str, number: int) -> il.Plant | il.InloopError:
    """The plant, or why there is none."""
    try:
        return linkage_of(family, number).model(units_of(number)).compile()
    except il.InloopError as error:
        return error


class Judge:
    """Says of a case how it ended: "agrees", "told" or "undecided"; fails if it is none of them."""

    def __init__(self, family: str, case: Case) -> None:
        self.linkage = replace(linkage_of(family, case.number), start=case.start)
        self.units = units_of(case.number)
        self.case = case
        self.plant = compiled(family, case.number)

    def verdict(self) -> str:
        if isinstance(self.plant, il.InloopError):
            return self.refused(self.plant, self.linkage)
        try:
            return self.run(self.plant)
        except il.InloopError as error:
            return self.refused(error, self.linkage.stretched(self.case.stretch))
        finally:
            self.plant.parameters.reset()

    def run(self, plant: il.Plant) -> str:
        plant.parameters["stretch"] = self.case.stretch
        result = self.simulated(plant, STEPS)
        linkage = self.linkage.stretched(self.case.stretch)
        q, end = self.own(result)
        # declared values are kept, but for rounding; of data, where more is said than is free
        twice = len(self.given) > freedom(linkage, q)
        rounding = (DATA, DATA) if twice else (1e-9, 1e-12)
        qd = linkage.own_units(result.qd[0], self.units, speed=True)
        names = [bar.name for bar in linkage.bars]
        for name, declared in self.case.start.items():
            for values, value in zip((q, qd), declared, strict=True):
                # what follows from the loops is rounded like the largest of them
                least = rounding[1] * max(1.0, np.abs(values).max())
                found = values[names.index(name)]
                assert math.isclose(found, value, rel_tol=rounding[0], abs_tol=least), name
        for sample in (q, end):
            gap = np.abs(openings(linkage, poses(linkage, sample))).max()
            assert gap < CLOSE, "an open loop, status OK"
        try:
            if apart(poses(linkage, end), integrate(linkage, q, qd, T_END)) < CLOSE:
                return "agrees"
            if any(self.names(note) for note in result.notes):
                return "told"
            expected = integrate(linkage, q, qd, T_END, FINEST)
        except UndecidedError:
            return "undecided"
        difference = apart(poses(linkage, end), expected)
        if difference < CLOSE:
            return "agrees"
        # a difference that is due to the step falls with its fourth power, once steps are short
        found = []
        for more, least in ((4, 50.0), (16, 1000.0)):
            _, fine = self.own(self.simulated(plant, more * STEPS))
            found.append(apart(poses(linkage, fine), expected))
            if found[-1] < difference / least:
                return "agrees"
        raise AssertionError(f"{difference}, with shorter steps {found}, {result.notes}")

    @property
    def given(self) -> dict[str, tuple[float, float]]:
        """Declared positions and velocities in SI."""
        bars = (self.linkage.bar(name) for name in self.case.start)
        return {bar.name: self.linkage.initial(bar, self.units) for bar in bars}

    def simulated(self, plant: il.Plant, steps: int) -> il.Result:
        return plant.simulate(
            t_end=T_END * self.units.time,
            step=T_END / steps * self.units.time,
            method="rk4",
            q={name: q for name, (q, _) in self.given.items()},
            qd={name: qd for name, (_, qd) in self.given.items()},
        )

    def own(self, result: il.Result) -> tuple[np.ndarray, np.ndarray]:
        """First and last coordinates in units of the linkage."""
        first, last = (self.linkage.own_units(result.q[k], self.units) for k in (0, -1))
        return first, last

    def refused(self, error: il.InloopError, linkage: Linkage) -> str:
        """An error must name its cause, and say only what is so."""
        assert self.names(str(error)), f"no element is named: {error}"
        # a run that ends near a singular position says so of where it got to, not of its start
        if "cannot close" in str(error) and "after t = " not in str(error):
            held = {name: q for name, (q, _) in self.case.start.items()}
            found = closed_position(linkage, held)
            assert found is None, f"it can be closed, at {found}, but: {error}"
        return "told"

    def names(self, text: str) -> bool:
        elements = [x.name for x in (*self.linkage.bars, *self.linkage.cuts)]
        return any(f"'{name}'" in text for name in (*elements, "stretch"))


def play(family: str, count: int, pool: int) -> Counter[str]:
    """Judge random cases of a family, the same ones in every run, and count how they end."""
    found: Counter[str] = Counter()

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(cases(family, pool))
    def judged(case: Case) -> None:
        found[Judge(family, case).verdict()] += 1

    judged()
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_a_run_is_right_or_says_why_not(family: str) -> None:
    found = play(family, CASES, POOL)
    # most cases are decided, and some of them move
    assert found["agrees"] > 0.1 * CASES, found
    assert found["undecided"] < 0.3 * CASES, found


def test_a_position_far_from_the_guess_is_found() -> None:
    """Before a joint is said to be out of reach."""
    start = {"second_rocker": (math.pi, 0.0)}
    assert Judge("two_loops", Case(98, start, 1.0)).verdict() == "agrees"


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (Case(42, {}, 0.99999), "a singular position is near, and not met"),
        (Case(42, {"crank": (0.15, -2.0)}, 1.000001), "the same, fast"),
        (Case(0, {"crank": (1e-10, 0.0), "coupler": (math.pi / 2, 0.0)}, 1.0), "rounded data"),
        (Case(72, {"rocker": (-math.pi / 2, -1e-206)}, 1.0), "a velocity that is next to none"),
    ],
)
def test_a_rhombus_agrees(case: Case, why: str) -> None:
    assert Judge("rhombus", case).verdict() == "agrees", why


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_many_runs_are_right_or_say_why_not(family: str) -> None:
    found = play(family, ALL_CASES, LARGE_POOL)
    print(family, dict(found))
    assert found["agrees"] > 0.1 * ALL_CASES, found
    assert found["undecided"] < 0.1 * ALL_CASES, found
