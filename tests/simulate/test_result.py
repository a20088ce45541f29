"""Signals by name, files and figures."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

import inloop as il

NAMES = (
    "t", "sled.q", "arm.q", "sled.qd", "arm.qd", "energy.kinetic", "energy.potential",
    "energy.total",
)  # fmt: skip


@pytest.fixture(scope="module")
def run() -> il.Result:
    model = il.Model("sled")
    sled = model.body(
        "sled", on=model.ground, joint=il.prismatic("x", initial=(0.3, 0.8)), mass=1.9
    )
    model.body(
        "arm", on=sled, joint=il.revolute("y", initial=(1.2, -0.4)), mass=0.7,
        com=(0.02, 0.0, -0.35), inertia=(0.01, 0.013, 0.008),
    )  # fmt: skip
    return model.compile(backend="c").simulate(t_end=0.4, step=2e-3)


def test_signals(run: il.Result) -> None:
    assert run.names == NAMES
    assert run.status == "OK"
    np.testing.assert_array_equal(run["t"], run.t)
    np.testing.assert_array_equal(run["arm.q"], run.q[:, 1])
    np.testing.assert_array_equal(run["sled.qd"], run.qd[:, 0])
    np.testing.assert_array_equal(run["energy.potential"], run.energy[:, 1])
    np.testing.assert_array_equal(run["energy.total"], run.energy[:, 0] + run.energy[:, 1])
    # velocities are the rates of the coordinates
    rate = np.gradient(run["arm.q"], run.t, edge_order=2)
    np.testing.assert_allclose(rate[1:-1], run["arm.qd"][1:-1], atol=1e-3)


def test_at_a_prompt_it_shows_its_summary(run: il.Result) -> None:
    assert repr(run) == str(run)
    assert repr(run).startswith("sled: OK at t = 0.4 s, 201 samples")


def test_unknown_signal(run: il.Result) -> None:
    with pytest.raises(il.InputError, match=r"'sled' has no signal 'arm\.w'. Did you mean arm\.q"):
        run["arm.w"]


def test_csv(run: il.Result, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.csv")
    head = path.read_text().splitlines()[0]
    assert head == ",".join(NAMES)
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert table.shape == (201, len(NAMES))
    for k, name in enumerate(NAMES):
        np.testing.assert_allclose(table[:, k], run[name], rtol=1e-15, atol=0)


def test_npz(run: il.Result, tmp_path: Path) -> None:
    with np.load(run.save(str(tmp_path / "run.npz"))) as data:
        assert {name for name in data if not name.startswith("inloop/")} == set(NAMES)
        for name in NAMES:
            np.testing.assert_array_equal(data[name], run[name])


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_a_full_disk_leaves_the_previous_file(
    ending: str, run: il.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / f"run{ending}"
    run.save(target)
    before = target.read_bytes()

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        run.save(target)
    assert caught.value.filename == str(target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_and_the_mode_of_a_file_are_kept(run: il.Result, tmp_path: Path) -> None:
    target, link = tmp_path / "run.csv", tmp_path / "link.csv"
    target.touch(mode=0o600)
    link.symlink_to(target)
    run.save(link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.read_text(encoding="utf-8").startswith("t,sled.q")


def test_pipes_are_written_to(run: il.Result, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        run.save(pipe)
        assert os.read(reader, 100).startswith(b"t,sled.q")
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_unknown_ending(run: il.Result, tmp_path: Path) -> None:
    with pytest.raises(il.InputError, match=r"cannot save as '\.xls'.*\.csv, \.npz or \.parquet"):
        run.save(tmp_path / "run.xls")
    assert not list(tmp_path.iterdir())


def test_plot_writes_a_png(run: il.Result, tmp_path: Path) -> None:
    figure = run.plot("arm.q", "energy.total", file=tmp_path / "run.png")
    data = (tmp_path / "run.png").read_bytes()
    assert data.startswith(b"\x89PNG") and len(data) > 5000
    assert [axis.get_ylabel() for axis in figure.axes] == ["arm.q [rad]", "energy.total [J]"]
    line = figure.axes[0].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), run["arm.q"])
    assert [a.get_ylabel() for a in run.plot().axes] == ["sled.q [m]", "arm.q [rad]"]
