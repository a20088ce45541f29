"""Roads from OpenCRG files (.crg): heights over a curved reference line.

A file has blocks of text, `$NAME` to `$`, then a line of `$$$$`, then records of numbers, one for
each step along the reference line: LRFI and LDFI as text of 10 or 20 characters per number in
lines of 80, KRBI and KDBI as big-endian floats of 4 or 8 bytes. Heights are given at v to the left
of the line; slope and banking of the line are added. See ASAM OpenCRG 1.2.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from inloop.errors import ExpressionError, FileFormatError, InputError
from inloop.model.geometry import Scalar
from inloop.model.names import quoted
from inloop.model.tyres.line_roads import LineRoad
from inloop.model.tyres.roads import Height
from inloop.symbolic import Expr
from inloop.symbolic.lines import Curve
from inloop.symbolic.spline_surfaces import MOST_POINTS, SplineSurface

Reals = np.ndarray[Any, np.dtype[Any]]

LARGEST = 300_000_000
"""Maximum file size [bytes]."""

LONGEST_HEADER = 100_000
BYTES = {"KRBI": ">f4", "KDBI": ">f8"}
CHARACTERS = {"LRFI": 10, "LDFI": 20}
CLOSE = 1e-4  # tolerance of splines at points of the reference line [m]
IGNORED = ("ROAD_CRG_OPTS", "ROAD_CRG_MODS", "ROAD_CRG_MPRO")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^\s!]+)")
_SECTION = re.compile(r"long section(?:\s+at\s+v\s*=\s*([-+0-9.eE]+)|\s+(\d+))", re.IGNORECASE)


@dataclass
class _Header:
    """Header of a file.

    Attributes:
        path: path of the file.
        keys: numbers of the block ROAD_CRG.
        channels: column names, in lower case, each with its line.
        virtual: first value and step of u, if given as a virtual channel.
        form: format of the numbers.
        blocks: lines of blocks by name.
        end: offset of the first number [bytes].
        lines: number of lines before it.
    """

    path: str
    keys: dict[str, float] = field(default_factory=dict)
    channels: list[tuple[str, int]] = field(default_factory=list)
    virtual: tuple[float, float] | None = None
    form: str = ""
    blocks: dict[str, int] = field(default_factory=dict)
    end: int = 0
    lines: int = 0

    def fail(self, what: str, line: int | None = None, fix: str = "") -> NoReturn:
        where = self.path if line is None else f"{self.path}:{line}"
        raise FileFormatError(what, where, fix or "Get a new copy of the file from its source.")


def read_crg(
    path: str | os.PathLike[str],
    *,
    grip: Scalar | Height = 1.0,
    kind: str = "cubic",
    between: tuple[float, float] | None = None,
    every: int = 1,
) -> LineRoad:
    """Read a road; see `il.load_road`."""
    data = _bytes_of(Path(path))
    header = _read_header(data, os.fspath(path))
    values = _numbers(data, header)
    notes = [f"not used: block {name}" for name in IGNORED if name in header.blocks]
    u, step = _stations(header, len(values))
    first, last = _part(header, u, step, len(values), between)
    line = _reference(header, values, u, step)
    vs, z = _surface(header, values, line, notes)
    z, stations = z[first:last:every], u + step * np.arange(first, last, every, dtype=float)
    return _road(header, line, (vs, z, stations, step * every), grip, kind, notes)


def _bytes_of(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileFormatError(f"the file has {size} bytes", str(path), "Give a smaller part.")
        return path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"the file cannot be read: {error.strerror}", str(path)) from None


def _read_header(data: bytes, path: str) -> _Header:
    """Read the text blocks up to the line of dollar signs."""
    header = _Header(path)
    block, offset = "", 0
    for number in range(1, LONGEST_HEADER):
        stop = data.find(b"\n", offset)
        if stop < 0:
            header.fail("there are no numbers after the line of $$$$", number)
        text = data[offset:stop].decode("latin-1").rstrip()
        offset = stop + 1
        if text.startswith("$$") and set(text) == {"$"}:
            header.end, header.lines = offset, number
            break
        if text.startswith("$"):
            block = text[1:].split("!")[0].strip().upper()
            if block:
                header.blocks[block] = number
        elif not text.startswith("*"):
            _read_line(header, block, text.split("!")[0].strip(), number)
    else:
        header.fail(f"the header has more than {LONGEST_HEADER} lines")
    if "ROAD_CRG_FILE" in header.blocks:
        header.fail("the numbers are in another file", header.blocks["ROAD_CRG_FILE"],
                    "Merge both into one file.")  # fmt: skip
    if "KD_DEFINITION" not in header.blocks:
        header.fail("the file has no block $KD_DEFINITION", fix="Give a file of OpenCRG.")
    if header.form not in (*BYTES, *CHARACTERS):
        header.fail(f"numbers are written as {quoted(header.form)}", header.blocks["KD_DEFINITION"],
                    f"Write them as one of: {', '.join((*BYTES, *CHARACTERS))}.")  # fmt: skip
    return header


def _read_line(header: _Header, block: str, text: str, number: int) -> None:
    if block == "ROAD_CRG":
        match = _KEY.match(text)
        if match:
            header.keys[match.group(1).lower()] = _float(header, match.group(2), number)
    elif block == "KD_DEFINITION" and text:
        start, rest = text[:2].upper(), text[2:].strip()
        if start == "#:":
            header.form = rest.upper()[:20]
        elif start == "U:":
            parts = rest.split(",")
            if parts[0].strip().lower() == "reference line u" and len(parts) >= 4:
                begin, step = (_float(header, part, number) for part in parts[2:4])
                header.virtual = begin, step
        elif start == "D:":
            header.channels.append((rest.split(",")[0].strip().lower(), number))


def _float(header: _Header, text: str, number: int) -> float:
    try:
        value = float(text.strip().replace("d", "e").replace("D", "e"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        header.fail(f"{quoted(text.strip()[:40])} is not a number", number, "Write a number.")
    return value


def _numbers(data: bytes, header: _Header) -> Reals:
    """One row per record, one column per channel; NaN where nothing was measured."""
    columns = len(header.channels)
    if not columns:
        header.fail("the block names no channels (D:)", header.blocks["KD_DEFINITION"])
    if header.form in CHARACTERS:
        return _from_text(data, header, columns)
    kind = np.dtype(BYTES[header.form])
    rest = data[header.end :]
    extra = len(rest) % kind.itemsize
    if extra and rest[-extra:].strip():
        header.fail(
            f"{len(rest)} bytes of numbers are not whole numbers of {kind.itemsize} bytes",
            fix="Its line endings were probably converted; get it again as a binary file.",
        )
    with np.errstate(invalid="ignore"):  # signaling NaNs raise a warning
        values = np.frombuffer(rest, kind, len(rest) // kind.itemsize).astype(float)
    # the last record is padded with NaN to lines of 80 bytes
    whole = len(values) // columns * columns
    if not np.all(np.isnan(values[whole:])):
        header.fail(f"the last of the records has {len(values) - whole} of {columns} numbers")
    table = values[:whole].reshape(-1, columns)
    filled = np.flatnonzero(~np.all(np.isnan(table), axis=1))
    return table[: filled[-1] + 1 if len(filled) else 0]


def _from_text(data: bytes, header: _Header, columns: int) -> Reals:
    """Numbers in fixed columns; each record starts a new line."""
    width = CHARACTERS[header.form]
    lines = data[header.end :].decode("latin-1").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    per_record = -(-columns // (80 // width))
    if len(lines) % per_record:
        header.fail(
            f"the last record is not whole: {per_record} lines each", header.lines + len(lines)
        )
    rows = []
    for begin in range(0, len(lines), per_record):
        text = "".join(line.ljust(80)[:80] for line in lines[begin : begin + per_record])
        fields = [text[k * width : (k + 1) * width] for k in range(columns)]
        if text[columns * width :].strip():
            header.fail(f"a record has more numbers than {columns} channels",
                        header.lines + 1 + begin)  # fmt: skip
        try:
            rows.append([_field(cell) for cell in fields])
        except ValueError as error:
            line = header.lines + 1 + begin
            header.fail(f"a number cannot be read: {str(error)[:80]}", line)
    return np.array(rows).reshape(-1, columns)


def _field(text: str) -> float:
    """A number; asterisks and blanks mean missing data."""
    if "*" in text or not text.strip():
        return math.nan
    return float(text.replace("D", "e").replace("d", "e"))


def _stations(header: _Header, count: int) -> tuple[float, float]:
    """u of the first record, and the step between records."""
    keys = header.keys
    if header.virtual is not None:
        u, step = header.virtual
    else:
        u = keys.get("reference_line_start_u", 0.0)
        step = keys.get("reference_line_increment", math.nan)
        if math.isnan(step) and "reference_line_end_u" in keys and count > 1:
            step = (keys["reference_line_end_u"] - u) / (count - 1)
    if not step > 0.0:
        header.fail("the step along the reference line is not given",
                    fix="Add reference_line_increment, or U:reference line u.")  # fmt: skip
    if count < 2:
        header.fail(f"the file has {count} records", fix="A road needs at least two.")
    end = keys.get("reference_line_end_u", u + step * (count - 1))
    if abs(u + step * (count - 1) - end) > 0.5 * step:
        header.fail(f"the file has {count} records, {(end - u) / step + 1.0:.6g} are needed to "
                    f"u = {end:g} m")  # fmt: skip
    return u, step


def _part(
    header: _Header, u: float, step: float, count: int, between: tuple[float, float] | None
) -> tuple[int, int]:
    """First record of the requested part, and the one after its last."""
    if between is None:
        return 0, count
    low, high = (round((value - u) / step) for value in between)
    if not 0 <= low < high < count:
        raise InputError(
            f"between = ({between[0]:g}, {between[1]:g}) is not part of {header.path}",
            fix=f"It reaches from u = {u:g} to {u + step * (count - 1):g} m.",
        )
    return low, high + 1


@dataclass(frozen=True)
class _Reference:
    """The reference line at each record: stations, points, height, banking."""

    u: Reals
    points: Reals
    height: Reals
    banking: Reals


def _column(header: _Header, values: Reals, name: str) -> Reals | None:
    names = [channel for channel, _ in header.channels]
    return values[:, names.index(name)] if name in names else None


def _reference(header: _Header, values: Reals, u: float, step: float) -> _Reference:
    """Integrate the line; headings and slopes are those from the previous record."""
    keys, count = header.keys, len(values)
    heading = _column(header, values, "reference line phi")
    if heading is None:
        heading = np.full(count, keys.get("reference_line_start_phi", 0.0))
        ends = [keys.get(f"reference_line_{end}", math.nan) for end in
                ("start_x", "start_y", "end_x", "end_y")]  # fmt: skip
        if "reference_line_start_phi" not in keys and np.all(np.isfinite(ends)):
            heading[:] = math.atan2(ends[3] - ends[1], ends[2] - ends[0])
    slope = _column(header, values, "reference line slope")
    if slope is None:
        slope = np.full(count, keys.get("reference_line_start_s", 0.0))
    banking = _column(header, values, "reference line banking")
    if banking is None:
        banking = np.full(count, keys.get("reference_line_start_b", 0.0))
    for name, column in (("phi", heading[1:]), ("slope", slope[1:]), ("banking", banking)):
        if not np.all(np.isfinite(column)):
            header.fail(f"the reference line has records without {name}")
    start = [keys.get(f"reference_line_start_{axis}", 0.0) for axis in "xyz"]
    ways = step * np.column_stack([np.cos(heading[1:]), np.sin(heading[1:]), slope[1:]])
    way = np.vstack([start, start + np.cumsum(ways, axis=0)])
    return _Reference(u + step * np.arange(count, dtype=float), way[:, :2], way[:, 2], banking)


def _surface(
    header: _Header, values: Reals, line: _Reference, notes: list[str]
) -> tuple[Reals, Reals]:
    """v of evenly spaced columns, and heights of all records there [m]."""
    channels = [(k, _SECTION.match(name)) for k, (name, _) in enumerate(header.channels)]
    sections = [(k, match) for k, match in channels if match is not None]
    if len(sections) < 2:
        header.fail("the file has fewer than two channels of a long section")
    v = _across(header, [match.group(1) for _, match in sections], sections)
    z = values[:, [k for k, _ in sections]]
    order = np.argsort(v, kind="stable")
    v, z = v[order], z[:, order]
    same = np.flatnonzero(np.diff(v) <= 0.0)
    if len(same):
        line_number = header.channels[sections[order[same[0] + 1]][0]][1]
        header.fail(f"two long sections have the same v = {v[same[0]]:g} m", line_number)
    z = _filled(header, z, notes)
    z = z + line.height[:, None] + line.banking[:, None] * v
    steps = np.diff(v)
    if steps.max() - steps.min() < 1e-6 * steps.max():
        return v, z
    even = np.linspace(v[0], v[-1], round((v[-1] - v[0]) / steps.min()) + 1)
    if len(even) > 20 * len(v):
        header.fail("the long sections are too unevenly spaced", fix="Resample them evenly.")
    notes.append("long sections are uneven: resampled in even steps")
    return even, np.array([np.interp(even, v, row) for row in z])


def _across(header: _Header, texts: list[str | None], sections: list[Any]) -> Reals:
    """v of each long section."""
    keys, count = header.keys, len(texts)
    if all(text is not None for text in texts):
        lines = [header.channels[k][1] for k, _ in sections]
        return np.array(
            [_float(header, text or "", n) for text, n in zip(texts, lines, strict=True)]
        )
    right, left = keys.get("long_section_v_right"), keys.get("long_section_v_left")
    step = keys.get("long_section_v_increment")
    if None not in (right, left, step) and abs(right + step * (count - 1) - left) > 0.5 * step:  # type: ignore[operator]
        header.fail(f"{count} long sections do not reach from v = {right:g} to {left:g} m in steps "
                    f"of {step:g} m")  # fmt: skip
    if right is not None and step is not None:
        return right + step * np.arange(count, dtype=float)
    if left is not None and step is not None:
        return left - step * np.arange(count, dtype=float)[::-1]
    if right is not None and left is not None:
        return np.linspace(right, left, count)
    header.fail("v of the long sections is not given",
                fix="Add long_section_v_right and long_section_v_increment.")  # fmt: skip


def _filled(header: _Header, z: Reals, notes: list[str]) -> Reals:
    """Interpolate missing heights from their neighbors in the same record."""
    missing = np.isnan(z)
    if not missing.any():
        return z
    empty = np.flatnonzero(missing.all(axis=1))
    if len(empty):
        header.fail(f"record {empty[0] + 1} has no heights",
                    fix="Cut it off with between=(u, u), or fill it.")  # fmt: skip
    columns = np.arange(z.shape[1])
    z = z.copy()
    for k in np.flatnonzero(missing.any(axis=1)):
        known = ~missing[k]
        z[k] = np.interp(columns, columns[known], z[k, known])
    notes.append(f"{int(missing.sum())} heights are missing: filled in from their neighbours")
    return z


def _road(
    header: _Header,
    line: _Reference,
    grid: tuple[Reals, Reals, Reals, float],
    grip: Scalar | Height,
    kind: str,
    notes: list[str],
) -> LineRoad:
    v, z, u, step = grid
    if kind not in ("linear", "cubic"):
        raise InputError(f"a road cannot be of kind {quoted(kind)}", fix='Use "cubic" or "linear".')
    if z.size > MOST_POINTS:
        raise InputError(
            f"{header.path} has {z.shape[0]} x {z.shape[1]} points, {MOST_POINTS} at the most can "
            "be used",
            fix="Read a part with between=(u, u) [m], or every n-th record with every=n.",
        )
    # stations of a plant start at 0
    try:
        surface = SplineSurface.through(
            (0.0, step), (float(v[0]), float(v[1] - v[0])), z, 1 if kind == "linear" else 3
        )
    except ExpressionError as error:
        header.fail(error.mistakes[0].what)

    def height(s: Scalar, t: Scalar) -> Scalar:
        if isinstance(s, Expr):
            return s.graph.call("table2", s, s.graph.wrap(t), payload=surface)
        return float(surface(s, t))

    right, left = float(v[0]), float(v[-1])
    return LineRoad(
        curves=(_thinned(line, float(u[0]), float(u[-1])),),
        profile=height,
        edges=(lambda s: np.full(np.shape(s), right), lambda s: np.full(np.shape(s), left)),
        friction=grip,
        notes=tuple(notes),
        name=Path(header.path).name,
    )


def _thinned(line: _Reference, begin: float, end: float) -> Curve:
    """As few points as a smooth curve needs to stay close to all."""
    from scipy.interpolate import CubicSpline

    inside = (line.u >= begin - 1e-9) & (line.u <= end + 1e-9)
    u, points = line.u[inside] - begin, line.points[inside]
    length = u[-1]
    count = max(2, math.ceil(length / 4.0) + 1)
    while True:
        picked = np.unique(np.linspace(0, len(u) - 1, min(count, len(u))).round().astype(int))
        spline = CubicSpline(u[picked], points[picked])
        if len(picked) == len(u) or np.abs(spline(u) - points).max() < CLOSE:
            return Curve(u[picked], points[picked], spline(u[picked], 1))
        count *= 2
