"""Roads of OpenCRG, against ASAM's own C library.

The files of `data` were written by pyopencrg 0.2.2. What they hold was evaluated by pycrg 2.2.0,
which binds ASAM's library: bilinear heights between points of the grid.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import inloop as il

DATA = Path(__file__).parent / "data"
BEGIN = 5.0  # u of the first record
# u, v, x, y, z
KNOWN = np.array(
    [
        [9.94, -1.10, 8.12761265, -1.71711274, 1.07635789],
        [19.71, -0.06, 16.37686438, 3.86017558, 0.92420602],
        [9.82, -0.72, 7.88382275, -1.40060442, 1.09128829],
        [16.77, -0.68, 14.25971775, 1.68480519, 0.99655180],
        [17.97, -0.88, 15.40278273, 2.17612563, 0.98505100],
        [10.89, -0.86, 8.95899997, -1.14905600, 1.08294312],
        [11.58, 0.88, 8.94803831, 0.72253630, 1.16396952],
        [10.62, -0.22, 8.47230978, -0.65105004, 1.09574635],
    ]
)


@pytest.mark.parametrize(("name", "close"), [("binary", 6e-9), ("text", 1e-7)])
def test_heights_and_places(name: str, close: float) -> None:
    """Heights to the digits at hand; places within 0.3 mm: steps of 25 cm are made smooth."""
    road = il.load_road(DATA / f"curved_{name}.crg", kind="linear")
    u, v, x, y, z = KNOWN.T
    np.testing.assert_allclose(road.height(u - BEGIN, v), z, rtol=0.0, atol=close)
    s, t = road.place(x, y)
    np.testing.assert_allclose(s, u - BEGIN, atol=3e-4)
    np.testing.assert_allclose(t, v, atol=3e-4)


def test_smooth_and_in_parts() -> None:
    path = DATA / "curved_binary.crg"
    whole, linear = il.load_road(path), il.load_road(path, kind="linear")
    u, v = 0.25 * np.arange(20, 40), 0.5 * np.arange(-3, 4)[:, None]
    np.testing.assert_allclose(whole.height(u, v), linear.height(u, v), atol=1e-12)  # at points
    part = il.load_road(path, between=(10.0, 15.0), every=2)
    u = 0.5 * np.arange(3)
    np.testing.assert_allclose(part.height(u, 0.5), whole.height(5.0 + u, 0.5), atol=1e-12)
    np.testing.assert_allclose(part.position(1.0, 0.5), whole.position(6.0, 0.5), atol=1e-3)
    mesh = whole.surface_mesh()
    assert np.ptp(mesh.vertices[:, 2]) > 0.1


def _changed(tmp_path: Path, old: bytes, new: bytes, name: str = "curved_text.crg") -> Path:
    data = (DATA / name).read_bytes()
    assert old in data
    path = tmp_path / "my.crg"
    path.write_bytes(data.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"#:LRFI", b"#:ABCD", r"written as 'ABCD' .*my\.crg:\d+"),
        (b"5.0000000000000000e+00", b"five", r"'five' is not a number .*my\.crg:5"),
        (b"$KD_DEFINITION", b"$KD_DEFINITIONS", "no block"),
        (b"D:long section", b"E:long section", r"more numbers than 9 channels .*my\.crg:\d+"),
        (b"-1.5000000000000000e+00", b"-2.5", "7 long sections do not reach from v = -2.5 to 1.5"),
        (b"2.0000000000000000e+01", b"3.0e1", "61 records, 101 are needed"),
        (b"reference line phi", b"reference line psi", None),
        (b".02", b".x2", r"a number cannot be read: .*my\.crg:\d+"),
        (b"$$$$$$", b"$ $ $ ", "no numbers after"),
    ],
)
def test_hostile_files(tmp_path: Path, old: bytes, new: bytes, message: str | None) -> None:
    path = _changed(tmp_path, old, new)
    if message is None:  # without headings the road is straight
        assert il.load_road(path).heading(3.0) == pytest.approx(0.2, abs=0.1)
        return
    with pytest.raises(il.FileFormatError, match=message):
        il.load_road(path)


def test_two_long_sections_at_the_same_place(tmp_path: Path) -> None:
    data = (DATA / "curved_text.crg").read_bytes()
    for k, v in enumerate((-1.5, -1.0, -0.5, 0.0, -1.0, 1.0, 1.5), start=1):
        data = data.replace(b"D:long section %d," % k, b"D:long section at v = %.1f," % v)
    line = data[: data.rindex(b"v = -1.0")].count(b"\n") + 1
    path = tmp_path / "my.crg"
    path.write_bytes(data)
    with pytest.raises(il.FileFormatError, match=rf"same v = -1 m .*my\.crg:{line}\b"):
        il.load_road(path)


def test_binary_files_that_were_damaged(tmp_path: Path) -> None:
    data = (DATA / "curved_binary.crg").read_bytes()
    path = tmp_path / "my.crg"
    path.write_bytes(data[:-3])
    with pytest.raises(il.FileFormatError, match="line endings were probably converted"):
        il.load_road(path)
    with pytest.raises(il.InputError, match="from u = 5 to 20 m"):
        il.load_road(DATA / "curved_binary.crg", between=(0.0, 9.0))
    with pytest.raises(il.InputError, match="every = 0"):
        il.load_road(DATA / "curved_binary.crg", every=0)
