"""How the work of deriving and printing grows with the mechanism: counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.codegen import emit_library
from inloop.codegen import matlab as matlab_text
from inloop.codegen import python as python_text
from inloop.formalisms import Derivation
from inloop.plant.passes import run_passes

Calls = Callable[[Callable[[], object]], int]
DOUBLING = 2.4  # growth of what is linear, with room for borders and logarithms; of a square: 4


def tree(n: int) -> il.Model:
    """Every body carries three others; all lengths and inertias are different."""
    random = np.random.default_rng(1)
    m = il.Model("tree")
    bodies: list[Any] = [m.ground]
    for k in range(1, n + 1):
        place = bodies[(k + 1) // 3].point(f"p{k}", tuple(random.uniform(-0.4, 0.4, 3)))
        bodies.append(
            m.body(
                f"b{k}", on=place, joint=il.revolute("xyz"[k % 3]), mass=1.0 + 0.1 * (k % 7),
                com=tuple(random.uniform(-0.2, 0.2, 3)), inertia=(0.1, 0.11, 0.12),
            )
        )  # fmt: skip
    return m


MECHANISMS: dict[str, Callable[[int], il.Model]] = {
    "generic chain": lambda n: gallery.get("chain").build(n=n),
    "planar chain": lambda n: gallery.get("n_pendulum").build(n=n),
    "tree": tree,
}


def derive(model: il.Model, *functions: str) -> dict[str, str]:
    """From a description to C text."""
    derivation = Derivation(model.build())
    programs = [derivation.program(name) for name in functions]
    prepare, done, _ = run_passes(programs, derivation.parameters)
    return emit_library((prepare, *done), "model", (), {}).sources


@pytest.mark.thinned(3)
@pytest.mark.parametrize("make", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_derivation_is_linear_in_the_number_of_joints(
    make: Callable[[int], il.Model], calls: Calls
) -> None:
    functions = ("inverse_dynamics", "direct_dynamics")
    derive(make(2), *functions)
    few, many = (calls(lambda n=n: derive(make(n), *functions)) for n in (16, 32))
    assert many < DOUBLING * few


@pytest.mark.thinned(3)
@pytest.mark.parametrize("make", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_generated_text_is_linear_in_the_number_of_joints(make: Callable[[int], il.Model]) -> None:
    few, many = (len("".join(derive(make(n), "energy").values())) for n in (30, 60))
    assert many < DOUBLING * few


def test_sums_of_hundreds_of_angles_are_written_with_the_sums_before_them() -> None:
    """A planar chain turns by q1 + … + qk: no recursion that deep, no text that long."""
    derivation = Derivation(gallery.get("n_pendulum").build(n=400).build())
    programs = [derivation.program("energy")]
    prepare, done, _ = run_passes(programs, derivation.parameters)
    for emit in (
        lambda: emit_library((prepare, *done), "m", (), {}).sources["m_energy.c"],
        lambda: python_text.emit_module((prepare, *done), "m", ()),
        lambda: "".join(matlab_text.emit_files((prepare, *done), "m", ()).values()),
    ):
        longest = max(len(line) for line in emit().splitlines())
        assert longest < 4_000


def test_sums_of_angles_have_the_same_value_in_all_languages() -> None:
    q = np.linspace(-0.4, 0.7, 15)
    plants = [gallery.get("n_pendulum").build(n=15).compile(backend=b) for b in ("c", "python")]
    heights = [plant.energy(q, 0.0 * q)[1] for plant in plants]
    # closed form: rods at the angles q1 + … + qk from the vertical
    angles, mass, length, g = np.cumsum(q), 0.1, 0.2, 9.81
    tips = -length * np.cumsum(np.cos(angles))
    middles = tips + 0.5 * length * np.cos(angles)
    expected = mass * g * middles.sum()
    assert heights == pytest.approx([expected, expected], rel=1e-13)


def test_large_mechanisms_build_only_what_is_asked_for() -> None:
    plant = gallery.get("n_pendulum").build(n=70).compile(backend="python")
    assert list(plant.operations) == ["direct_dynamics", "prepare"]
    q, rest = np.zeros(70), np.zeros(70)
    # hanging straight down, nothing moves and no effort is needed
    assert np.abs(plant.inverse_dynamics(q, rest, rest)).max() < 1e-12
    assert "inverse_dynamics" in plant.operations
    assert "bias" not in plant.operations
