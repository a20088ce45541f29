"""Units of C are compiled as late as possible, and together."""

from __future__ import annotations

from pathlib import Path

import pytest

import inloop as il
from inloop.errors import BuildError
from inloop.native import BuildOptions, load_realtime, load_runtime
from inloop.native.building.processes import Job, JobRunner
from inloop.plant.backlog import Backlog, Order

EXPORT = '__attribute__((visibility("default")))'
USUAL, OTHER = (BuildOptions(extra_flags=(flag,), together=True) for flag in ("-O0", "-O1"))


def order(name: str, options: BuildOptions = USUAL) -> Order:
    """A function that returns the length of its name, by way of one that all have."""
    text = f'#include "{name}.h"\nstatic int length(void) {{ return LENGTH_OF_{name}; }}\n'
    text += f"{EXPORT} int {name}(void) {{ return length(); }}\n"
    header = f"enum {{ LENGTH_OF_{name} = {len(name)} }};\n"
    return Order(name, {f"{name}.c": text}, {f"{name}.h": header}, options)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Names of all that has been compiled or linked so far, beside the runtime and the loop."""
    load_runtime()
    load_realtime()
    monkeypatch.setenv("INLOOP_CACHE", str(tmp_path / "cache"))
    names: list[str] = []
    run = JobRunner.run

    def told(crew: JobRunner, job: Job) -> None:
        names.append(job.name)
        run(crew, job)

    monkeypatch.setattr(JobRunner, "run", told)
    return names


def test_what_waits_and_is_compiled_alike_becomes_one_library(done: list[str]) -> None:
    backlog = Backlog()
    first, second, third, fourth = (
        order("one"), order("three"), order("different", OTHER), order("fourth")
    )  # fmt: skip
    for each in (first, second, third):
        backlog.add(each)
    assert done == []
    assert backlog.library(second).function("three")() == len("three")
    assert done == ["one.c", "three.c", "library.so"]
    assert backlog.library(first) is backlog.library(second) and first.library is not None
    assert backlog.library(first).function("one")() == len("one")
    assert third.library is None
    backlog.add(fourth)
    backlog.finish()
    assert done[3:] == ["different.c", "library.so", "fourth.c", "library.so"]
    assert third.library is not fourth.library is not first.library
    assert set(backlog.times) == {"build one", "build different", "build fourth"}


def test_an_order_that_cannot_be_compiled_is_no_library(done: list[str]) -> None:
    backlog = Backlog()
    wrong = Order("wrong", {"wrong.c": "int wrong(void) { return nobody; }\n"}, {}, USUAL)
    backlog.add(wrong)
    for _ in range(2):
        with pytest.raises(BuildError, match="nobody"):
            backlog.library(wrong)


def test_a_plant_starts_few_compilers_and_none_after_compile(done: list[str]) -> None:
    """Core functions, what laws, sensors and integrators need, and the table: three libraries."""
    m = il.Model("few_compilers", gravity=(0.0, 0.0, -9.81))
    arm = m.body("arm", on=m.ground, joint=il.revolute("y", initial=(0.4, 0.0)), mass=1.3,
                 com=(0.4, 0.0, 0.1), inertia=(0.02, 0.03, 0.04))  # fmt: skip
    m.joint_force(arm, lambda q, qd: -3.0 * q - 0.2 * qd)
    m.sensor("imu", il.sensors.imu(arm))
    plant = m.compile()
    assert done.count("library.so") == 3
    before = len(done)
    plant.simulate(t_end=0.01)
    plant.inverse_dynamics([0.1], [0.2], [0.3])
    assert len(done) == before
