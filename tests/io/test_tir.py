"""Tyres from .tir files: what is read, what is told, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import inloop as il

TEXT = (Path(__file__).parent / "data" / "passenger_235_60_r16.tir").read_text()
Write = Callable[[str], Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "some.tir"
        path.write_text(text, encoding="latin-1")
        return path

    return write


def test_coefficients_side_and_notes(written: Write) -> None:
    tyre = il.load_tyre(written(TEXT.replace("'LEFT'", "'Right'") + "\nKPUMAX = 1.5 $ limit\n"))
    assert (tyre["PKY1"], tyre.nominal_load, tyre.radius) == (-21.92, 4850.0, 0.344)
    assert (tyre.side, tyre.vertical_stiffness) == ("right", 2.1e5)
    assert tyre.notes == ("not used: KPUMAX, MBELT, QTZ1",)


def test_comments_spaces_and_capitals_do_not_matter(written: Write) -> None:
    changed = TEXT.replace("PCX1 = ", "  pcx1=").replace("PDX1 = 1.1739", "PDX1 = 1.1739$µ of Fx")
    assert il.load_tyre(written(changed)).coefficients == il.load_tyre(written(TEXT)).coefficients


def test_a_tyre_of_both_sides_is_not_mirrored(written: Write) -> None:
    assert il.load_tyre(written(TEXT.replace("'LEFT'", "'SYMMETRIC'"))).side is None


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("LENGTH = 'meter'", "LENGTH = 'mm'", "LENGTH is in 'mm'"),
        ("ANGLE = 'radians'", "ANGLE = 'degree'", "ANGLE is in 'degree'"),
        ("'PAC2002'", "'FTIRE'", "PROPERTY_FILE_FORMAT is 'FTIRE'"),
        ("[MODEL]", "[MODEL]\nFITTYP = 62", "FITTYP = 62 is another formula"),
        ("PCY1 = 1.3507", "PCY1 = one", "PCY1 = 'one' is not a number"),
        ("PCY1 = 1.3507", "PCY1 = nan", "PCY1 = 'nan' is not a number"),
        ("PCY1 = 1.3507", "", "needs coefficient PCY1"),
        ("PKY2 = 2.0012", "PKY2 = 0", "needs coefficient PKY2"),
        ("FNOMIN = 4850.0", "FNOMIN = -4850", "FNOMIN = -4850 must be > 0"),
        ("PCY1 = 1.3507", "PCY1 = 1.3507\nPCY1 = 1.4", "PCY1 is given twice"),
    ],
)
def test_what_is_refused(written: Write, old: str, new: str, what: str) -> None:
    assert old in TEXT
    with pytest.raises(il.FileFormatError) as error:
        il.load_tyre(written(TEXT.replace(old, new)))
    assert what in str(error.value) and "some.tir" in str(error.value)


@pytest.mark.parametrize("text", ["", "<robot/>", "\0" * 100, "[UNITS]\n" * 10, "A" * 2_000_000])
def test_files_that_are_no_tyres(written: Write, text: str) -> None:
    with pytest.raises(il.FileFormatError):
        il.load_tyre(written(text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(il.FileFormatError, match="cannot be read"):
        il.load_tyre(tmp_path / "none.tir")
    with pytest.raises(il.FileFormatError, match="cannot be read"):
        il.load_tyre(tmp_path)
