"""Load results from files written by `Result.save` or by other programs.

These files are not trusted: sizes are checked against limits before anything is read, nothing in
them is ever executed, and invalid content raises a FileFormatError.
"""

from __future__ import annotations

import csv
import io
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from inloop.errors import FileFormatError
from inloop.plant import Array
from inloop.simulate.results.result import ENERGIES, Result
from inloop.simulate.results.saved_facts import SAME, SavedFacts
from inloop.simulate.results.saving import ENDINGS, FACTS, VIOLATION, WORK, need_parquet
from inloop.simulate.results.whole_positions import whole_positions

LARGEST = 1 << 30  # maximum bytes of all numbers
LARGEST_TEXT = 1 << 28  # bytes of a .csv file: a number takes eight times its shortest text
MOST_COLUMNS = 20_000
LONGEST_NAME = 1000  # characters

# what the readers of Python and NumPy raise for invalid archives and headers
BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError, EOFError, MemoryError,
    NotImplementedError, OverflowError, RuntimeError, SyntaxError, ValueError,
)  # fmt: skip

Columns = dict[str, Array]


def load_result(path: Path) -> Result:
    """Read a .npz, .csv or .parquet file.

    Raises:
        FileFormatError: the file is of a different kind, too large or invalid.
    """
    readers: dict[str, Callable[[Path], tuple[Columns, str | None]]] = dict(
        zip(ENDINGS, (_read_csv, _read_npz, _read_parquet), strict=True)
    )
    try:
        columns, text = readers[path.suffix](path)
        _check(path, columns)
        return _result(path, columns, None if text is None else SavedFacts.read(text))
    except ValueError as error:
        _refuse(path, f"does not describe its contents: {str(error)[:200]!a}")
    except OSError as error:
        _refuse(path, f"cannot be read: {error.strerror or error}")


def _refuse(path: Path, why: str) -> NoReturn:
    fix = "Give a file written by Result.save or inloop run --save."
    if path.suffix == ".csv":
        fix = "Its first line must name the columns, 't' [s] among them; numbers follow."
    raise FileFormatError(f"{str(path)!a} {why}", fix=fix) from None


def _read_csv(path: Path) -> tuple[Columns, None]:
    if path.stat().st_size > LARGEST_TEXT:
        _refuse(path, f"is larger than {LARGEST_TEXT >> 20} MB")
    try:
        # spreadsheets write a byte order mark, and people write spaces after commas
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline(MOST_COLUMNS * 64)
            names = [name.strip() for name in next(csv.reader([first]), [])]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # empty files are reported below
                table = np.loadtxt(file, delimiter=",", ndmin=2, comments=None)
    except (ValueError, csv.Error) as error:
        _refuse(path, f"is not a table of numbers: {str(error)[:200]!a}")
    if table.shape[1] != len(names):
        _refuse(path, f"has {len(names)} names above {table.shape[1]} columns")
    _check_unique(path, names)
    return dict(zip(names, table.T, strict=True)), None


def _check_unique(path: Path, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        _refuse(path, "has two columns of the same name")


def _read_npz(path: Path) -> tuple[Columns, str | None]:
    columns: Columns = {}
    text = None
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_COLUMNS or sum(e.file_size for e in entries) > LARGEST:
                _refuse(path, f"holds more than {MOST_COLUMNS} columns or {LARGEST >> 20} MB")
            _check_unique(path, [entry.filename for entry in entries])
            for entry in entries:
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    _refuse(path, "is compressed in a way that NumPy does not use")
                name = entry.filename.removesuffix(".npy")
                # reads no more than the size checked above
                array = _array(archive.read(entry))
                if name == FACTS and array.dtype.kind == "U" and array.shape == ():
                    text = str(array)
                elif array.dtype.kind in "fiub" and array.ndim == 1:
                    columns[name] = array.astype(np.float64)
                else:
                    _refuse(path, f"contains {name[:60]!a}, which is not a column of numbers")
    except BROKEN as error:
        _refuse(path, f"is not an archive of arrays: {str(error)[:200]!a}")
    return columns, text


def _array(data: bytes) -> np.ndarray[Any, Any]:
    """The array of a .npy file, if its header matches the length of the data.

    Raises:
        ValueError: it does not.
    """
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"version {version}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about files of an old Python
        shape, fortran, dtype = read(file)
    size = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or fortran or size != len(data) - file.tell():
        raise ValueError("an array is not as long as its header says")
    return np.frombuffer(data, dtype, offset=file.tell()).reshape(shape)


def _read_parquet(path: Path) -> tuple[Columns, str | None]:
    pyarrow, parquet = need_parquet()
    try:
        with parquet.ParquetFile(path) as file:
            metadata = file.metadata
            if (
                metadata.num_columns > MOST_COLUMNS
                or 8 * metadata.num_rows * metadata.num_columns > LARGEST
            ):
                _refuse(path, f"holds more than {MOST_COLUMNS} columns or {LARGEST >> 20} MB")
            kinds = file.schema_arrow
            _check_unique(path, kinds.names)
            numbers = (pyarrow.types.is_floating, pyarrow.types.is_integer)
            for column in kinds:
                if not any(fits(column.type) for fits in numbers):
                    _refuse(
                        path, f"contains {column.name[:60]!a}, which is not a column of numbers"
                    )
            table = file.read()
            if len(table) != metadata.num_rows:
                _refuse(path, "is not as long as its header says")
            facts = (kinds.metadata or {}).get(FACTS.encode())
            columns = {
                name: table.column(k).to_numpy().astype(np.float64)
                for k, name in enumerate(table.column_names)
            }
            return columns, None if facts is None else facts.decode()
    except (pyarrow.ArrowException, ValueError) as error:
        _refuse(path, f"is not a Parquet file: {str(error)[:200]!a}")


def _check(path: Path, columns: Columns) -> None:
    """Check times, that names are printable, and that all columns have the same length."""
    for name in columns:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            _refuse(path, f"has a column {name[:60]!a}")
    if "t" not in columns or len(columns["t"]) == 0:
        _refuse(path, "has no times: a column 't' is missing or empty")
    if {len(column) for column in columns.values()} != {len(columns["t"])}:
        _refuse(path, "has columns of different lengths")
    if not np.isfinite(columns["t"]).all():
        _refuse(path, "has times that are not finite")


def _result(path: Path, columns: Columns, facts: SavedFacts | None) -> Result:
    """A result from the columns."""
    left = dict(columns)
    t = left.pop("t")
    unknown = np.full(len(t), np.nan)
    coordinates = _coordinates(columns) if facts is None else facts.coordinates
    missing = [c for c in coordinates if not {f"{c}.q", f"{c}.qd"} <= left.keys()]
    if missing or len(set(coordinates)) != len(coordinates):
        _refuse(path, f"has no columns of {[c[:60] for c in missing]!a}")
    q, qd = (
        np.column_stack([np.zeros((len(t), 0)), *(left.pop(f"{c}.{kind}") for c in coordinates)])
        for kind in ("q", "qd")
    )
    energy = np.column_stack([left.pop(name, unknown) for name in ENERGIES[:2]])
    left.pop(ENERGIES[2], None)
    work, violation = left.pop(WORK, unknown), left.pop(VIOLATION, None)
    q = whole_positions(q, left)
    recorded = None if facts is None else facts.recorded
    if recorded is None:
        # without energies, assume that it is a recording
        recorded = bool(np.isnan(energy[0]).all())
    common: dict[str, Any] = {"t": t, "q": q, "qd": qd, "energy": energy, "work": work}
    common["recorded"] = recorded
    if facts is None:
        # it is unknown whether there are loops
        note = "the file contains neither units nor events"
        more: dict[str, Any] = {"violation": unknown, "units": {"t": "s"}, "notes": (note,)}
        more["columns_only"] = True
        return Result(path.stem, coordinates, signals=left, **common, **more)
    rows = [gap.row for gap in facts.gaps] + [change.row for change in facts.changes]
    if any(not 0 < row < len(t) for row in rows):
        _refuse(path, "has gaps or changes where it has no samples")
    inputs = {name: left.pop(name) for name in facts.inputs if name in left}
    known = {name: getattr(facts, name) for name in SAME}
    units = {"t": "s", **facts.units}
    more = {"signals": left, "inputs": inputs, "violation": violation, "units": units}
    return Result(**{**known, **common, **more, "modes": facts.modes_of(len(t))})


def _coordinates(names: Mapping[str, Array]) -> tuple[str, ...]:
    """Names that have both a position and a velocity."""
    heads = [name.removesuffix(".q") for name in names if name.endswith(".q")]
    return tuple(head for head in heads if f"{head}.qd" in names)
