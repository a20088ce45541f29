"""Results come back from files as they were; files that lie are refused, in bounded memory."""

from __future__ import annotations

import io
import pickle
import random
import struct
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import inloop as il
from inloop.errors import FileFormatError
from inloop.simulate.results.loading import load_result
from inloop.simulate.results.result import Gap, ParameterChange
from inloop.simulate.results.result import Result as PlainResult

KEPT = (
    "name",
    "coordinates",
    "status",
    "notes",
    "units",
    "method",
    "parameters",
    "changes",
    "gaps",
)


@pytest.fixture(scope="module")
def run() -> il.Result:
    """A ball that falls and bounces, pushed by an input: modes, events, inputs, parameters."""
    m = il.Model("ball")
    e = m.parameter("e", 0.7)
    push = m.input("push", unit="N")
    joint = il.prismatic("z", initial=(0.31, 0.2))
    ball = m.body("ball", on=m.ground, joint=joint, mass=0.43)
    m.joint_force(ball, lambda q, qd: push + 0.0 * q)
    flight, rest = m.mode("flight"), m.mode("rest")
    with m.during(rest):
        m.lock(ball, name="floor")
    fall = {"mode": flight, "impact": rest, "settles_in": rest}
    m.event("impact", lambda q: q["ball"], restitution=e, **fall)
    return m.compile().simulate(
        t_end=0.9, step=1e-3, inputs={"push": lambda t: 0.5 * il.sin(9 * t)}
    )


def hand_made() -> PlainResult:
    """With a gap and a change of parameters, as of a run against the clock."""
    t = np.array([0.0, 0.1, 0.5, 0.6])
    q = np.array([[1.0, 2.0], [1.5, 2.5], [3.0, np.nan], [4.0, 5.0]])
    return PlainResult(
        "pair", ("left", "right"), t, q, -q, np.full((4, 2), np.nan), work=np.full(4, np.nan),
        gaps=(Gap(2, 0.1, 0.5, 3),), changes=(ParameterChange(3, 0.6, {"k": 7.5}),),
        parameters={"k": 2.5}, units={"t": "s", "left.q": "rad"}, notes=("three are lost",),
        modes=np.array(["free", "free", "held", "held"]),
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_everything_comes_back(run: il.Result, ending: str, tmp_path: Path) -> None:
    found = il.read(run.save(tmp_path / f"run.{ending}"))
    assert found.names == run.names and "push" in run.inputs and len(run.events) > 1
    for name in run.names:
        np.testing.assert_array_equal(found[name], run[name], strict=True)
    same = {"name", "coordinates", "status", "method", "parameters", "events", "notes", "doubts"}
    assert same <= {field.name for field in fields(run)}
    assert all(getattr(found, name) == getattr(run, name) for name in same)
    assert {name: found.units.get(name) for name in ("ball.q", "push", "energy.total")} == {
        "ball.q": "m", "push": "N", "energy.total": "J",
    }  # fmt: skip
    np.testing.assert_array_equal(found.modes, run.modes)
    assert found.energy_drift() == run.energy_drift()


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_gaps_and_changes_come_back(ending: str, tmp_path: Path) -> None:
    made = hand_made()
    found = load_result(made.save(tmp_path / f"run.{ending}"))
    for name in KEPT:
        assert getattr(found, name) == getattr(made, name)
    np.testing.assert_array_equal(found.q, made.q)
    np.testing.assert_array_equal(found.modes, made.modes)
    assert not found.knows_energy and np.isnan(found.energy_drift())
    assert "3 records are missing between t = 0.1 and 0.5 s" in str(found)


def test_a_table_alone_tells_what_it_cannot_tell(run: il.Result, tmp_path: Path) -> None:
    found = il.read(run.save(tmp_path / "run.csv"))
    assert found.coordinates == ("ball",) and found.name == "run"
    for name in run.names:
        np.testing.assert_array_equal(found[name], run[name])
    assert found.notes == ("the file contains neither units nor events",)
    # neither a balance nor closed loops are claimed by a file that does not tell them
    assert np.isnan(found.energy_drift()) and np.isnan(found.constraint_violation)


def test_a_result_from_a_file_is_no_start_of_a_run(run: il.Result, tmp_path: Path) -> None:
    found = il.read(run.save(tmp_path / "run.npz"), plant=run.plant)
    assert isinstance(run.plant, il.Plant)
    assert run.plant.simulate(t_end=0.95, step=1e-3, start=run).t[-1] == pytest.approx(0.95)
    with pytest.raises(il.InputError, match=r"start does not .*read from a file.*Give q and qd"):
        run.plant.simulate(t_end=0.95, step=1e-3, start=found)


def test_tables_of_pandas_and_xarray(run: il.Result) -> None:
    frame = run.to_pandas()
    assert list(frame.columns) == [*run.names[1:], "mode"] and frame.index.name == "t"
    np.testing.assert_array_equal(frame["ball.q"].to_numpy(), run["ball.q"])
    assert frame.attrs["units"]["ball.qd"] == "m/s"
    held = hand_made().to_pandas()
    assert held.attrs["gaps"] == [{"row": 2, "begin": 0.1, "end": 0.5, "lost": 3}]
    data = run.to_xarray()
    np.testing.assert_array_equal(data["push"].sel(t=0.3), run["push"][300])
    assert data["ball.q"].attrs == {"units": "m"} and data.attrs["model"] == "ball"


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("xarray", "to_xarray")])
def test_what_is_not_installed_is_told(
    package: str, method: str, run: il.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(il.InputError, match=rf"need {package}.*pip install inloop\[tables\]"):
        getattr(run, method)()


# files that nobody vouches for


def refused(path: Path, match: str = ".") -> None:
    with pytest.raises(FileFormatError, match=match):
        il.read(path)


def npz(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def npy(array: np.ndarray, **header: object) -> bytes:
    file = io.BytesIO()
    told = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(file, {**told, **header})
    return file.getvalue() + array.tobytes()


class Hostile:
    """What would run if anybody unpickled it."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('a file was run')",)


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=np.array([Hostile()], dtype=object))
    refused(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Hostile()))
    refused(tmp_path / "b.npz", "is not an archive")


def test_arrays_must_be_as_long_as_they_tell(tmp_path: Path) -> None:
    t = npy(np.arange(4.0))
    # petabytes, by the header
    lie = npy(np.arange(4.0), shape=(10**15,))
    refused(npz(tmp_path / "long.npz", {"t.npy": t, "x.npy": lie}), "long as its header says")
    refused(npz(tmp_path / "short.npz", {"t.npy": t, "x.npy": t[:-1]}), "long as its header says")
    refused(npz(tmp_path / "other.npz", {"t.npy": t, "x.npy": npy(np.arange(3.0))}), "lengths")
    refused(npz(tmp_path / "flat.npz", {"t.npy": npy(np.ones((2, 2)))}), "not a column of numbers")


@pytest.mark.parametrize(
    "header",
    [
        "", "(" * 9000, "{'descr': '<f8'", "{'descr': 'O', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-4,)}", "[" + "1," * 4000,
        "\x00\xff",
        "{'descr': __import__('os'), 'fortran_order': False, 'shape': (4,)}",
    ],
)  # fmt: skip
def test_headers_that_make_no_sense(header: str, tmp_path: Path) -> None:
    refused(with_header(tmp_path / "a.npz", header), "is not an archive of arrays")


def test_headers_of_an_old_python_are_read(tmp_path: Path) -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4L,)}"
    assert il.read(with_header(tmp_path / "a.npz", header)).t.tolist() == [0.0, 1.0, 2.0, 3.0]


def with_header(path: Path, header: str) -> Path:
    text = header.encode("latin-1")
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + np.arange(4.0).tobytes()
    return npz(path, {"t.npy": data})


@pytest.mark.long
def test_bombs_are_not_unpacked(tmp_path: Path) -> None:
    path = npz(tmp_path / "bomb.npz", {"t.npy": npy(np.zeros(10**5))})
    data = bytearray(path.read_bytes())
    # the directory at the end tells two gigabytes
    at = data.rindex(b"PK\x01\x02") + 24
    struct.pack_into("<I", data, at, 2**31)
    path.write_bytes(data)
    refused(path, "more than")
    many = pyarrow.table({"t": pyarrow.array(np.zeros(2**28 + 1, dtype=np.int8))})
    parquet.write_table(many, tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 2**20
    refused(tmp_path / "bomb.parquet", "more than")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "is empty"),
        ("t,x\n", "no table|names above|no times"),
        ("t,x\n1,2\n3\n", "not a table"),
        ("t,x\n1,two\n", "not a table"),
        ("t,t\n1,2\n", "two columns of the same name"),
        ("x,y\n1,2\n", "no times"),
        ("t,x\ninf,2\n", "not finite"),
        ("t,\x1b[2Jx\n1,2\n", "has a column"),
        ("t,x,y\n1,2\n", "3 names above 2 columns"),
    ],
)
def test_tables_that_make_no_sense(text: str, match: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    refused(tmp_path / "a.csv", match)


@pytest.mark.parametrize(
    "facts",
    [
        "", "[]", "{}", "null", "[" * 10**5,
        '{"name": 3}',
    ],
)  # fmt: skip
def test_facts_that_make_no_sense(facts: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=np.arange(3.0), **{"inloop/facts": np.array(facts)})
    refused(tmp_path / "a.npz", "does not describe its contents")


@pytest.mark.parametrize(
    "change",
    [
        ('"row": 2', '"row": 4'),
        ('"modes": [[0, "free"]', '"modes": [[1, "free"]'),
        ('"coordinates": ["left"', '"coordinates": ["lost"'),
        ('"lost": 3', '"lost": "x"'),
        ('"lost": 3', '"lost": 1e999'),
        ('"k": 2.5', '"k": 1' + 400 * "0"),
        ('"k": 2.5', '"k": "high"'),
    ],
)
def test_facts_that_do_not_fit_the_columns(change: tuple[str, str], tmp_path: Path) -> None:
    with np.load(hand_made().save(tmp_path / "a.npz")) as data:
        columns = dict(data)
    text = str(columns["inloop/facts"])
    assert change[0] in text
    columns["inloop/facts"] = np.array(text.replace(*change))
    np.savez(tmp_path / "b.npz", **columns)
    refused(tmp_path / "b.npz")


def test_columns_of_words_are_refused(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"t": [0.0], "x": ["word"]}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "not a column of numbers")
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    refused(tmp_path / "b.parquet", "not a Parquet file")


@pytest.mark.parametrize("ending", ["npz", "parquet", "csv"])
def test_damaged_files_are_read_or_refused(ending: str, tmp_path: Path) -> None:
    sound = hand_made().save(tmp_path / f"a.{ending}").read_bytes()
    path, rng, ends = tmp_path / f"b.{ending}", random.Random(5), {"well": 0, "refused": 0}
    for _ in range(150):
        data = bytearray(sound)
        for _ in range(rng.choice([1, 4])):
            data[rng.randrange(len(data))] = rng.choice([0, 55, rng.randrange(256)])
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.2 else data)
        try:
            str(load_result(path))
            ends["well"] += 1
        except FileFormatError:
            ends["refused"] += 1
    assert min(ends.values()) > 5


def test_what_is_no_file(tmp_path: Path) -> None:
    refused(tmp_path / "missing.npz", "there is no file .*missing.npz.* contains none that ends in")
    refused(tmp_path / "no" / "run.csv", "there is no file .* There is no folder .*no' either")
    for name in ("run.csv", "run.mcap", "run.pickle", "run"):
        (tmp_path / name).write_bytes(b"")
    refused(tmp_path / "runs.csv", r"there is no file .* Did you mean run.csv or run.mcap\?")
    for name in ("run.pickle", "run"):
        refused(tmp_path / name, "is not a file with a result")
    for name in ("run.csv", "run.mcap"):
        refused(tmp_path / name, f"{name}' is empty")
    (tmp_path / "folder.npz").mkdir()
    refused(tmp_path / "folder.npz", "is a folder, .* Give one of its files: none")
