"""After `compile()` nothing needs a compiler: trees, loops, modes with loops, every kind of run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from moded_crank import closed_form, moded_crank
from test_sparse_motion import turning_slider_crank

import inloop as il
from inloop.errors import BuildError
from inloop.native import build_library
from inloop.native.building.processes import JobRunner

METHODS = ("euler", "rk4", "dopri", "rodas", "implicit")
STEP, STEPS = 1e-4, 4000


def swing() -> il.Model:
    """Two bars, the second one with a damper and an input."""
    m = il.Model("swing_without_compiler", gravity=(0.0, 0.0, -9.81))
    length = m.parameter("length", 0.41, unit="m")
    push = m.input("push", unit="N*m")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y", initial=(0.9, 0.4)), mass=0.7,
                   com=(0.0, 0.0, -length), inertia=(0.01, 0.02, 0.03))  # fmt: skip
    lower = m.body("lower", on=upper.point("knee", (0.02, 0.0, -0.5)), mass=0.3,
                   joint=il.revolute("y", initial=(-0.3, 0.0)), com=(0.01, 0.0, -0.21),
                   inertia=(0.004, 0.005, 0.006))  # fmt: skip
    lower.point("tip", (0.0, 0.0, -0.4))
    m.joint_force(lower, lambda qd: -0.03 * qd + push, name="damper")
    return m


MODELS: dict[str, Callable[[], il.Model]] = {
    "tree": swing,
    "loop": turning_slider_crank,
    "modes": moded_crank,
}
# what a run is to begin with
STARTS: dict[str, dict[str, Any]] = {"loop": {"qd": {"crank": 30.0}}}


@pytest.fixture(scope="module", params=MODELS)
def case(request: pytest.FixtureRequest, tmp_path_factory: Any) -> tuple[str, il.Plant]:
    """A plant that has been compiled, with nothing of it in the cache, and has done nothing yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INLOOP_CACHE", str(tmp_path_factory.mktemp("cache")))
        return request.param, MODELS[request.param]().compile()


@pytest.fixture(autouse=True)
def no_compiler(
    case: tuple[str, il.Plant], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[None]:
    """From here on nothing can be built or found, and nothing that would compile is started."""

    def refuse(*_: object) -> None:
        raise AssertionError("a compiler was started")

    empty = tmp_path / "empty"
    empty.mkdir(mode=0o500)
    for name in ("INLOOP_CC", "CC"):
        monkeypatch.setenv(name, "/nowhere/cc")
    monkeypatch.setenv("INLOOP_CACHE", str(empty))
    monkeypatch.setattr(JobRunner, "run_all", refuse)
    with pytest.raises(BuildError):
        build_library({"nothing.c": "int nothing;\n"})
    yield


def start_of(name: str) -> dict[str, Any]:
    return STARTS.get(name, {})


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs(case: tuple[str, il.Plant], method: str) -> None:
    """And all of them agree, as far as the method of order 1 goes."""
    name, plant = case
    options = {"t_end": 0.02, "step": 1e-4, **start_of(name)}
    found = plant.simulate(method=method, **options)
    exact = plant.simulate(method="scipy", **options) if name != "modes" else None
    expected = closed_form(found.t).angle if exact is None else exact.q
    q = found["crank.q"] if exact is None else found.q
    np.testing.assert_allclose(q, expected, rtol=0, atol=2e-3 if method == "euler" else 1e-5)


def test_runs_by_default_and_by_tolerance(case: tuple[str, il.Plant]) -> None:
    name, plant = case
    by_step = plant.simulate(t_end=0.05, step=1e-4, **start_of(name))
    by_tolerance = plant.simulate(t_end=0.05, step=1e-4, tolerance=1e-9, **start_of(name))
    np.testing.assert_allclose(by_step.q[-1], by_tolerance.q[-1], rtol=0, atol=1e-6)
    told = plant.simulate(t_end=0.002, reactions="all", **start_of(name))
    assert any(signal.endswith(".moment.y") for signal in told.signals)


@pytest.mark.parametrize("case", ["modes"], indirect=True)
def test_a_bad_choice_inside_a_mode_is_left(case: tuple[str, il.Plant]) -> None:
    """Through dead centers, a change of mode at one of them and impacts, against a closed form."""
    _, plant = case
    assert plant.formulation.independent == ("slider",)
    result = plant.simulate(t_end=STEP * STEPS, step=STEP, method="rk4")
    expected = closed_form(result.t)
    assert any("independent in mode braked are now" in note for note in result.notes)
    assert len(expected.hits) >= 2
    times = [expected.braked, *expected.hits]
    np.testing.assert_allclose([e.t for e in result.events], times, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["crank.q"], expected.angle, rtol=0, atol=1e-8)
    np.testing.assert_allclose(result["crank.qd"], expected.speed, rtol=0, atol=1e-6)
    assert len(plant.formulation.known) == 1


def stepped(plant: il.Plant, name: str, steps: int) -> np.ndarray:
    stepper = plant.stepper(step=STEP, method="rk4", **start_of(name))
    rows = [stepper.look().q[0]]
    for _ in range(steps):
        stepper.step()
        rows.append(stepper.look().q[0])
    return np.array(rows)


@pytest.mark.thinned(3)
def test_steppers_loops_and_many_runs_agree(case: tuple[str, il.Plant]) -> None:
    """Step by step, on a scripted clock, and many at once; with modes, as the closed form says."""
    name, plant = case
    steps = STEPS if name == "modes" else 600
    rows = stepped(plant, name, steps)
    options = {"method": "rk4", **start_of(name)}
    with il.start(
        plant, rate=1.0 / STEP, seconds=steps * STEP, clock=il.ScriptedClock(), mode="free",
        telemetry=steps * STEP, **options,
    ) as loop:  # fmt: skip
        loop.clock.advance(2.0 * steps * STEP)
        assert loop.wait(600.0)
        records = list(iter(loop.mailbox.next, None))
        assert loop.close().status == "OK"
    assert len(records) == steps + 1
    np.testing.assert_array_equal([record.q for record in records], rows)
    many = plant.simulate_many(
        runs=3, t_end=steps * STEP, step=STEP, sample=STEP, **options
    )  # fmt: skip
    assert set(many.status) == {"OK"}
    for run in many.q:
        np.testing.assert_allclose(run, rows, rtol=0, atol=1e-8)
    if name == "modes":
        expected = closed_form(np.arange(steps + 1) * STEP).angle
        crank = rows[:, plant.coordinates.index("crank")]
        np.testing.assert_allclose(crank, expected, rtol=0, atol=1e-8)


def test_analysis_runs(case: tuple[str, il.Plant]) -> None:
    name, plant = case
    result = plant.simulate(t_end=0.01, step=1e-4, method="rk4", **start_of(name))
    q, qd = result.q[-1], result.qd[-1]
    linear = plant.linearize(q=q, qd=qd)
    assert np.all(np.isfinite(linear.A))
    rest = plant.equilibrium(q=q).q
    assert plant.eigenmodes(q=rest).frequencies is not None
    if name != "modes":
        assert np.all(np.abs(plant.energy_audit(result).error) < 1e-6)
    over = "push" if name == "tree" else plant.formulation.independent[0]
    first = 0.0 if name == "tree" else q[plant.coordinates.index(over)]
    assert len(plant.sweep(over, [first, first + 1e-3], q=q).equilibria) == 2
    t = np.linspace(0.0, 0.01, len(result.t))
    assert np.all(np.isfinite(plant.inverse_dynamics_run(t, result.q).tau))
    assert plant.joint_reactions(q, qd)
    assert bool(plant.cut_forces(q, qd)) == (name != "tree")
    reduced = plant.reduced_equations(q, qd)
    assert np.all(np.linalg.eigvalsh(reduced["M"]) > 0.0)


def test_functions_that_nobody_compiled_run_as_python(case: tuple[str, il.Plant]) -> None:
    """Points, derivatives, and many states at once: the same numbers by their definitions."""
    name, plant = case
    q = plant.simulate(t_end=1e-3, **start_of(name)).q[0]
    body, h = plant.mechanism.bodies[-1].name, 1e-6
    J = plant.jacobian(body, q)
    for k in range(plant.n):
        step = h * np.eye(plant.n)[k]
        slope = (plant.position(body, q + step) - plant.position(body, q - step)) / (2.0 * h)
        np.testing.assert_allclose(J[:3, k], slope, rtol=0, atol=1e-8)
    rows = np.tile(q, (300, 1))
    M = plant.mass_matrix(rows)
    np.testing.assert_allclose(M, np.tile(plant.mass_matrix(q), (300, 1, 1)), rtol=1e-12)
    if name == "tree":
        found = plant.direct_dynamics_derivatives(q, np.zeros(2), np.zeros(2))
        np.testing.assert_allclose(found["dqdd_dtau"] @ M[0], np.eye(2), atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("case", ["modes"], indirect=True)
def test_sources_are_written(
    case: tuple[str, il.Plant], tmp_path: Path, make: Callable[..., Path]
) -> None:
    """Those who have a compiler can make a program of them."""
    _, plant = case
    files = plant.export_c(tmp_path, method="rk4", t_end=0.01, step=1e-4)
    assert {"main.c", "Makefile", "README.md"} <= {file.name for file in files}
    program = make(tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 102
