"""Many runs in a folder: the bits of runs in memory, gone on with, kept apart from other sweeps."""

from __future__ import annotations

import json
import math
import resource
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow.parquet
import pytest

import inloop as il
from inloop import designs
from inloop.simulate.many.storing import Storing

RUNS, CHUNK = 23, 5


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    m = il.Model("ranged")
    mass = m.parameter("mass", 1.1, unit="kg", range=(0.5, 2.0))
    m.body(
        "rod", on=m.ground, joint=il.revolute("y", initial=(0.3, 0.1)), mass=mass,
        com=(0.01, 0, -0.4), inertia=(0.02, 0.03, 0.01),
    )  # fmt: skip
    return m.compile()


DESIGN = designs.monte_carlo(
    {"mass": designs.uniform(0.6, 1.9), "rod.q": designs.uniform(-1.0, 1.0),
     "rod.tau": designs.uniform(-0.5, 0.5)},
    runs=RUNS, seed=3,
)  # fmt: skip


def runs(plant: il.Plant, folder: Path | None, **options: Any) -> il.ManyResult:
    options = {"t_end": 0.2, "method": "rk4", "sample": 0.05, "vary": DESIGN, **options}
    return plant.simulate_many(folder=folder, chunk=CHUNK, **options)


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def whole(plant: il.Plant, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep that nothing interrupted."""
    folder = tmp_path_factory.mktemp("sweeps") / "whole"
    runs(plant, folder)
    return folder


def test_a_design_is_what_arrays_by_name_are(plant: il.Plant) -> None:
    many = runs(plant, None)
    columns = DESIGN.columns
    other = plant.simulate_many(
        t_end=0.2, method="rk4", sample=0.05, parameters={"mass": columns["mass"]},
        q={"rod": columns["rod.q"]}, tau={"rod": columns["rod.tau"]},
    )  # fmt: skip
    assert np.array_equal(many.q, other.q) and np.array_equal(many.qd, other.qd)
    assert set(many.varied) == set(columns) and len(np.unique(many.q[:, -1, 0])) == RUNS
    for name, column in columns.items():
        assert np.array_equal(many.varied[name], column)


def test_files_hold_what_memory_holds(plant: il.Plant, whole: Path) -> None:
    memory, read = runs(plant, None), il.read_runs(whole)
    assert np.array_equal(memory.t, read.t) and read.t.shape == (5,)
    assert np.array_equal(memory.q, read.q) and np.array_equal(memory.qd, read.qd)
    assert np.array_equal(memory["rod.qd"], read["rod.qd"])
    assert np.array_equal(memory.final["rod.q"], read.final["rod.q"])
    assert (read.status, read.method, read.steps) == (memory.status, memory.method, memory.steps)
    assert read.design == DESIGN.describe() and read.folder == whole
    assert np.array_equal(read.varied["mass"], DESIGN.columns["mass"])
    assert repr(read) == repr(memory)


def test_other_programs_read_the_files(whole: Path) -> None:
    table = pandas.read_parquet(whole / "runs")
    assert table["run"].tolist() == list(range(RUNS))
    assert np.array_equal(table["varied/mass"], DESIGN.columns["mass"])
    ends = [samples[-1] for samples in table["samples/rod.q"]]
    assert np.array_equal(table["rod.q"], ends) and set(table["status"]) == {"OK"}
    units = json.loads((whole / "sweep.json").read_text())["told"]["units"]
    assert units == {
        "mass": "kg", "rod.q": "rad", "rod.tau": "N*m", "rod.qd": "rad/s", "reached": "s", "t": "s",
    }  # fmt: skip
    columns = {name.removeprefix("varied/").removeprefix("samples/") for name in table}
    assert columns - {"run", "status", "reason"} <= set(units)


def test_an_interrupted_sweep_goes_on(
    plant: il.Plant, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    pressed: list[int] = []
    take = Storing.take

    def unhindered(self: Storing, *found: Any) -> None:
        if found[0].complete:  # others were cut off in the middle, and are not kept
            taken.append(found[0].begin)
        take(self, *found)

    def counted(self: Storing, *found: Any) -> None:
        if len(taken) == 2 and not pressed:
            pressed.append(found[0].begin)
            raise KeyboardInterrupt
        unhindered(self, *found)

    monkeypatch.setattr(Storing, "take", counted)
    with pytest.raises(KeyboardInterrupt, match="the same call continues from there") as caught:
        runs(plant, tmp_path / "sweep")
    kept: il.ManyResult = caught.value.result  # type: ignore[attr-defined]
    assert kept.status.count("OK") == sum(min(CHUNK, RUNS - begin) for begin in taken) < RUNS
    assert kept.reasons[kept.failed[0]] == "STOPPED: not run yet"
    assert il.read_runs(tmp_path / "sweep").status == kept.status
    first = list(taken)
    taken.clear()
    monkeypatch.setattr(Storing, "take", unhindered)
    many = runs(plant, tmp_path / "sweep")
    # nothing is done twice, and the files are those of a sweep that was not interrupted
    assert sorted([*first, *taken]) == list(range(0, RUNS, CHUNK))
    assert not many.failed and contents(tmp_path / "sweep") == contents(whole)
    taken.clear()
    runs(plant, tmp_path / "sweep")
    assert taken == []


def test_what_a_killed_driver_left_is_no_run(plant: il.Plant, whole: Path, tmp_path: Path) -> None:
    """Half a file under its last name too, as after a crash of the whole machine."""
    folder = tmp_path / "sweep"
    runs(plant, folder)
    part = folder / "runs" / "000000005-000000009.parquet"
    part.write_bytes(part.read_bytes()[:-40])
    (folder / "runs" / "000000010-000000014.parquet").unlink()
    (folder / "runs" / ".unfinished-1").write_bytes(b"PAR1")
    assert il.read_runs(folder).status.count("STOPPED") == 2 * CHUNK
    runs(plant, folder)
    assert contents(folder) == contents(whole)


def test_a_full_disk_loses_nothing(plant: il.Plant, whole: Path, tmp_path: Path) -> None:
    """A limit of the size of files stands for it: the system refuses to write."""
    folder = tmp_path / "sweep"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(path.stat().st_size for path in (whole / "runs").iterdir())
    assert size > (whole / "sweep.json").stat().st_size + 8
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 8, before[1]))
    try:
        with pytest.raises(
            il.SimulationError, match=r"cannot be written.*Free some space.*are kept"
        ):
            runs(plant, folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(folder.rglob(".unfinished*"))
    runs(plant, folder)
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": 0.3}, "t_end: 0.2 there, 0.3"),
        ({"sample": 0.1}, "sample: 0.05 there, 0.1 here"),
        ({"step": 5e-4}, "step: 0.001 there, 0.0005 here"),
        ({"method": "euler"}, "method: 'rk4' there, 'euler' here"),
        ({"qd": {"rod": 0.4}}, "starts or inputs"),
        ({"vary": designs.table({"mass": [0.7] * RUNS})}, "kind of the design: 'monte carlo' the"),
        ({"vary": designs.table({"mass": [0.7, 0.8]})}, "runs: 23 there, 2 here"),
    ],
)  # fmt: skip
def test_the_folder_of_another_sweep_is_refused(
    plant: il.Plant, whole: Path, options: dict[str, Any], message: str
) -> None:
    before = contents(whole)
    with pytest.raises(il.InputError, match=f"contains another sweep: .*{message}"):
        runs(plant, whole, **options)
    assert contents(whole) == before


def test_another_seed_and_another_plant_are_other_sweeps(plant: il.Plant, whole: Path) -> None:
    other = designs.monte_carlo(DESIGN.distributions, runs=RUNS, seed=4)
    with pytest.raises(
        il.InputError, match=r"seed of the design: 3 there, 4 here; values of 'rod.q'"
    ):
        runs(plant, whole, vary=other)
    plant.parameters["mass"] = 1.2
    try:
        with pytest.raises(il.InputError, match=r"parameter 'mass': 1.1 there, 1.2 here"):
            runs(plant, whole)
    finally:
        plant.parameters.reset()


def test_folders_that_hold_something_else(plant: il.Plant, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(il.InputError, match=r"contains other files, 'letter.txt'"):
        runs(plant, tmp_path)
    with pytest.raises(il.InputError, match="cannot be a folder for runs"):
        runs(plant, tmp_path / "letter.txt" / "sweep")
    with pytest.raises(il.FileFormatError, match="does not contain a sweep"):
        il.read_runs(tmp_path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda facts: facts.pop("runs"),
        lambda facts: facts.update(runs="many"),
        lambda facts: facts.update(chunk=0),
        lambda facts: facts.update(runs=10**15, chunk=1),
        lambda facts: facts.update(runs=10**15, chunk=10**15),
        lambda facts: facts.update(told=3),
        lambda facts: facts.update(format=99),
        lambda facts: facts["told"].update(t={"a": 1}),
        lambda facts: facts.update(varied={"mass": "0", "../x": "1"}),
    ],
)
def test_spoiled_manifests_are_explained(whole: Path, tmp_path: Path, spoil: Any) -> None:
    facts = json.loads((whole / "sweep.json").read_text())
    spoil(facts)
    (tmp_path / "sweep.json").write_text(json.dumps(facts))
    try:
        found = il.read_runs(tmp_path)
    except il.FileFormatError as error:
        assert error.mistakes[0].fix
    else:
        assert set(found.status) == {"STOPPED"}


def test_files_that_are_something_else_are_named(whole: Path, tmp_path: Path) -> None:
    """The facts of a part of this sweep around other columns."""
    folder = tmp_path / "sweep"
    shutil.copytree(whole, folder)
    part = folder / "runs" / "000000005-000000009.parquet"
    facts = pyarrow.parquet.read_schema(part).metadata
    words = {name: ["none"] * CHUNK for name in ("status", "reason", "reached", "samples/rod.q")}
    table = pyarrow.table(words).replace_schema_metadata(facts)
    pyarrow.parquet.write_table(table, part)
    with pytest.raises(il.FileFormatError, match=r"000000005-000000009.parquet' cannot be read"):
        il.read_runs(folder)


def test_runs_that_fail_are_kept_with_their_reason(plant: il.Plant, tmp_path: Path) -> None:
    plant.bounds["rod"] = (1e3, 18.0)
    try:
        speeds = designs.table({"rod.qd": [1.0, 19.0, 2.0]})
        many = runs(plant, tmp_path / "sweep", vary=speeds)
    finally:
        del plant.bounds["rod"]
    read = il.read_runs(tmp_path / "sweep")
    for each in (many, read):
        assert each.status == ("OK", "OUT_OF_BOUNDS", "OK") and each.failed == (1,)
        assert "speed of coordinate 'rod'" in each.reasons[1]
        assert math.isnan(each.final["rod.q"][1]) and math.isfinite(each.final["rod.q"][2])
    assert "1 failed" in repr(read)


def test_two_processes_do_not_do_the_same_work(plant: il.Plant, tmp_path: Path) -> None:
    from inloop.simulate.many.storing import writing_alone

    with (
        writing_alone(tmp_path / "sweep"),
        pytest.raises(il.InputError, match="another process is writing"),
    ):
        runs(plant, tmp_path / "sweep")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vary": {"mass": [1.0]}}, "Give a design"),
        ({"vary": designs.table({"mas": [1.0]})}, "no 'mas' to vary.*Did you mean mass"),
        ({"vary": designs.table({"rod.w": [1.0]})}, "Did you mean rod.q"),
        ({"parameters": {"mass": 1.0}}, "'mass' is varied, but parameters also contains 'mass'"),
        ({"q": [0.1]}, "'rod.q' is varied, but q is given as an array"),
        ({"vary": designs.table({"mass": [1.0, 3.0]})}, "run 1: parameter 'mass': 3 is outside"),
        ({"vary": designs.monte_carlo({"mass": designs.normal(1.0, 0.4)}, runs=2)},
         r"'mass' must be from 0.5 to 2, but .* 0.11 of normal\(1.0, 0.4\) lies outside. T"),
        ({"vary": designs.monte_carlo({"mass": designs.uniform(0.4, 1.0)}, runs=2)},
         "0.17 of uniform"),
        ({"chunk": 0}, "0 runs in a file make no sense"),
        ({"on": "slurm"}, "not a place to run"),
        ({"on": 3}, "on is '3'"),
        ({"folder": 3}, "folder is '3', not a file name"),
    ],
)  # fmt: skip
def test_careless_sweeps_are_explained(
    plant: il.Plant, options: dict[str, Any], message: str
) -> None:
    valid = {"t_end": 0.1, "method": "rk4", "vary": DESIGN}
    with pytest.raises(il.InputError, match=message) as caught:
        plant.simulate_many(**{**valid, **options})
    assert caught.value.mistakes[0].fix


def test_a_distribution_within_the_range_but_for_nothing_is_taken(plant: il.Plant) -> None:
    far = designs.monte_carlo({"mass": designs.normal(1.25, 0.1)}, runs=3)
    assert not runs(plant, None, vary=far).failed
