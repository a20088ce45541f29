"""Tyres from .tir files: PAC2002, and other files with the coefficients of MF-Tyre 5.2.

A file has sections, `[VERTICAL]`, and lines `NAME = value  $ comment`; strings are quoted.
Unused entries are reported.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from inloop.errors import FileFormatError, InputError
from inloop.model.names import quoted
from inloop.model.tyres.pac2002 import KNOWN, Pac2002

LARGEST = 1_000_000
"""Maximum file size [bytes]; real files have about 10,000."""

FORMATS = ("PAC2002", "MF_05", "MF-TYRE", "MF_TYRE", "MF-TIRE", "MF05")
FITS = (5, 6, 21, 52)
"""FITTYP of files with the coefficients of MF-Tyre 5.2; 61 and 62 are later versions."""

# names of SI units, as spelled in files
UNITS = {
    "LENGTH": ("meter", "meters", "metre", "m"),
    "FORCE": ("newton", "newtons", "n"),
    "ANGLE": ("radian", "radians", "rad"),
    "MASS": ("kg", "kilogram", "kilograms"),
    "TIME": ("second", "seconds", "sec", "s"),
}
# describe the whole file; not reported as unused
HEADER = ("FILE_TYPE", "FILE_VERSION", "FILE_FORMAT", "PROPERTY_FILE_FORMAT", "FITTYP", "TYRESIDE")
_LINE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([^\s$!]+))")


def read_tyre(path: str | os.PathLike[str]) -> Pac2002:
    """Read a tyre from a .tir file.

    Raises:
        FileFormatError: the file is malformed, of a different format, or not in SI units.
    """
    lines = _lines_of(Path(path))
    where = {name: f"{path}:{number}" for name, (_, number) in lines.items()}
    texts = {name: text for name, (text, _) in lines.items()}
    _check_format(texts, where, str(path))
    for name, known in UNITS.items():
        if texts.get(name, known[0]).lower() not in known:
            raise FileFormatError(
                f"{name} is in {quoted(texts[name])}", where[name], f"Write the file in {known[0]}."
            )
    numbers = {name: _number(name, texts[name], where[name]) for name in texts if name in KNOWN}
    side = texts.get("TYRESIDE", "left").lower()
    symmetric = side not in ("left", "right")
    unused = sorted(set(texts) - set(KNOWN) - set(HEADER) - set(UNITS))
    notes = (f"not used: {', '.join(unused)}",) if unused else ()
    try:
        return Pac2002(numbers, None if symmetric else side, notes)  # type: ignore[arg-type]
    except InputError as error:
        raise FileFormatError(str(error), str(path), "Complete the file.") from None


def _lines_of(path: Path) -> dict[str, tuple[str, int]]:
    """Texts by name in upper case, each with its line number."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileFormatError(f"the file has {size} bytes", str(path), "Give a .tir file.")
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise FileFormatError(f"the file cannot be read: {error.strerror}", str(path)) from None
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.match(line)
        if match is None:
            continue
        name = match.group(1).upper()
        value = next(group for group in match.groups()[1:] if group is not None)
        if name in found and name in KNOWN and found[name][0] != value:
            raise FileFormatError(
                f"{name} is given twice, as {found[name][0][:20]} and as {value[:20]}",
                f"{path}:{number}",
                "Leave one of them out.",
            )
        found[name] = value, number
    return found


def _check_format(texts: dict[str, str], where: dict[str, str], path: str) -> None:
    told = texts.get("PROPERTY_FILE_FORMAT", "").upper()
    if not told and "PCX1" not in texts:
        raise FileFormatError(
            "the file does not describe a tyre", path, "Give a .tir file of PAC2002."
        )
    if told and told not in FORMATS:
        raise FileFormatError(
            f"PROPERTY_FILE_FORMAT is {quoted(told)}",
            where["PROPERTY_FILE_FORMAT"],
            f"Give a file in one of: {', '.join(FORMATS)}.",
        )
    fit = texts.get("FITTYP")
    if fit is not None and _number("FITTYP", fit, where["FITTYP"]) not in FITS:
        raise FileFormatError(
            f"FITTYP = {fit[:20]} is another formula",
            where["FITTYP"],
            f"Give a file of MF-Tyre 5.2 (FITTYP {', '.join(map(str, FITS))}).",
        )


def _number(name: str, text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FileFormatError(
            f"{name} = {quoted(text[:40])} is not a number", where, "Give a number."
        )
    return value
