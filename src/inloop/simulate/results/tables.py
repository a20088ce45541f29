"""Results as pandas tables and labeled xarray arrays, if these are installed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inloop.errors import InputError

if TYPE_CHECKING:
    from inloop.simulate.results.result import Result

INSTALL = "Install it with: pip install inloop[tables]"


def data_frame(result: Result) -> Any:
    """A pandas.DataFrame with a column for each signal and the time [s] as index."""
    try:
        import pandas
    except ImportError as error:
        raise InputError("tables of results need pandas", fix=INSTALL) from error
    columns = {name: result[name] for name in result.names if name != "t"}
    if result.modes is not None:
        columns["mode"] = result.modes
    frame = pandas.DataFrame(columns, index=pandas.Index(result.t, name="t"))
    frame.attrs.update(_facts(result))
    return frame


def dataset(result: Result) -> Any:
    """An xarray.Dataset over t [s]: a variable for each signal, with its unit."""
    try:
        import xarray
    except ImportError as error:
        raise InputError("labeled arrays of results need xarray", fix=INSTALL) from error
    variables = {
        name: ("t", result[name], {"units": result.units.get(name, "")})
        for name in result.names
        if name != "t"
    }
    if result.modes is not None:
        variables["mode"] = ("t", result.modes, {"units": ""})
    return xarray.Dataset(
        variables, coords={"t": ("t", result.t, {"units": "s"})}, attrs=_facts(result)
    )


def _facts(result: Result) -> dict[str, Any]:
    """What the columns do not contain."""
    return {
        "model": result.name,
        "status": result.status,
        "units": {name: result.units.get(name, "") for name in result.names},
        "parameters": dict(result.parameters),
        "gaps": [asdict(gap) for gap in result.gaps],
        "notes": list(result.notes),
    }
