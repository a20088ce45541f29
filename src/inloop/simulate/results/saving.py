"""Save results: all signals as columns, with what columns cannot express as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import file_path
from inloop.simulate.results.result import Result
from inloop.simulate.results.saved_facts import SavedFacts
from inloop.simulate.results.whole_files import replacing

# names of signals contain no slash
FACTS, WORK, VIOLATION = "inloop/facts", "inloop/work", "inloop/violation"
ENDINGS = (".csv", ".npz", ".parquet")


def save(result: Result, path: str | Path) -> Path:
    """Write all signals; the suffix determines the format. A failure leaves the previous file."""
    target = file_path(path, "the file of a result")
    writers = dict(zip(ENDINGS, (_write_csv, _write_npz, _write_parquet), strict=True))
    if target.suffix not in writers:
        raise InputError(
            f"cannot save as '{target.suffix}'",
            fix="Use a name that ends in .csv, .npz or .parquet.",
        )
    with replacing(target) as unfinished:
        writers[target.suffix](result, unfinished)
    return target


def _write_csv(result: Result, target: Path) -> None:
    table = np.column_stack([result[name] for name in result.names])
    np.savetxt(target, table, delimiter=",", header=",".join(result.names), comments="")


def _write_npz(result: Result, target: Path) -> None:
    columns: dict[str, Any] = {**_columns(result), FACTS: np.array(SavedFacts.of(result).text())}
    np.savez_compressed(target, **columns)


def _write_parquet(result: Result, target: Path) -> None:
    pyarrow, parquet = need_parquet()
    table = pyarrow.table(_columns(result))
    metadata = {FACTS: SavedFacts.of(result).text()}
    parquet.write_table(table.replace_schema_metadata(metadata), target)


def need_parquet() -> tuple[Any, Any]:
    """The library for Parquet files.

    Raises:
        InputError: it is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError(
            "Parquet files need pyarrow", fix="Install it with: pip install inloop[parquet]"
        ) from error
    return pyarrow, parquet


def _columns(result: Result) -> dict[str, Array]:
    columns = {name: result[name] for name in result.names}
    if result.work is not None:
        columns[WORK] = result.work
    if result.violation is not None:
        columns[VIOLATION] = result.violation
    return columns
