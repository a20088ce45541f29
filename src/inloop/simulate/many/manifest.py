"""Description of a sweep: facts that determine its numbers, and others for information only."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from inloop.native import FixedSteps
from inloop.native.running.many import NAMES
from inloop.native.runtime_library import runtime_digest
from inloop.plant.quantities.inputs_outputs import input_quantities, output_units
from inloop.simulate.many.order import Order

FORMAT = 1
TOLD = "told"  # facts for information only
_PACKAGES = ("inloop", "numpy", "scipy", "pyarrow")
_SHOWN = 4  # differences listed in a message


def manifest_of(order: Order, design: Mapping[str, Any] | None, chunk: int) -> dict[str, Any]:
    """The facts of a sweep, as JSON values.

    Args:
        order: the runs.
        design: description of the design of the varied values.
        chunk: runs in each file.
    """
    return {
        "format": FORMAT,
        "model": order.name,
        "plant": _plant_digest(order),
        "parameters": dict(order.plant.parameters),
        "method": order.method,
        **_schedule_facts(order),
        "runs": order.count,
        "chunk": chunk,
        "design": _plain(design),
        "varied": {name: _digest(column) for name, column in order.varied.items()},
        "start": _start_digest(order),
        TOLD: {
            "coordinates": list(order.coordinates),
            "positions": list(order.positions),
            "units": _units(order),
            "t": order.t.tolist(),
            "notes": list(order.notes),
            "versions": {"python": platform.python_version(), **_versions()},
        },
    }


def _units(order: Order) -> dict[str, str]:
    """Units of the columns of its files, by name, without what is before names of columns."""
    known = output_units(order.plants)
    known |= {quantity.name: quantity.unit for quantity in input_quantities(order.plants)}
    known |= {parameter.name: parameter.unit for parameter in order.plant.parameters.declared}
    rates = (f"{name}.qd" for name in order.coordinates)
    columns = {name: known.get(name, "") for name in (*order.varied, *order.positions, *rates)}
    return columns | {"reached": "s", "t": "s"}


def _schedule_facts(order: Order) -> dict[str, Any]:
    schedule = order.work.schedule
    if isinstance(schedule, FixedSteps):
        h, spacing = schedule.step, schedule.step * schedule.stride
        return {"t_end": h * schedule.steps, "step": h, "sample": spacing, "tolerance": None}
    facts = {"t_end": schedule.t_end, "sample": schedule.sample, "tolerance": order.tolerance}
    return {"step": None, **facts}


def digest_of(manifest: Mapping[str, Any]) -> str:
    """A digest that identifies a sweep."""
    deciding = {name: value for name, value in manifest.items() if name != TOLD}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """The first differences between two sweeps, in words."""
    texts = list(_differing("", _deciding(there), _deciding(here)))
    left = len(texts) - _SHOWN
    return texts[:_SHOWN] + ([f"and {left} more"] if left > 0 else [])


def _deciding(manifest: Mapping[str, Any]) -> dict[str, Any]:
    # as read back from a file
    plain = json.loads(json.dumps({n: v for n, v in manifest.items() if n != TOLD}))
    return dict(plain)


def _differing(path: str, there: Any, here: Any) -> Any:
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys((*there, *here)):
            yield from _differing(f"{path}{name}/", there.get(name), here.get(name))
    elif there != here:
        head, _, name = path.strip("/").partition("/")
        yield _words(head, name, there, here)


def _words(head: str, name: str, there: Any, here: Any) -> str:
    if head == "varied":
        return f"values of '{name}'" + ("" if there and here else ", which only one of them varies")
    texts = {"plant": "the equations, or the version of inloop", "start": "starts or inputs"}
    if head in texts:
        return texts[head]
    name = name.replace("/", " ")
    called = {"parameters": f"parameter '{name}'", "design": f"{name} of the design"}
    return f"{called.get(head, head)}: {there!r} there, {here!r} here"


def _plant_digest(order: Order) -> str:
    """Digest of all C code of the plant."""
    content = hashlib.sha256(runtime_digest().encode())
    for text in order.unit.texts:
        flags = (text.flags, text.extra_flags)
        content.update(repr((sorted(text.sources.items()), flags)).encode())
    return content.hexdigest()


def _start_digest(order: Order) -> str:
    """Digest of everything else that determines starts and inputs of runs."""
    content = hashlib.sha256(order.starts.kind.encode())
    for name in NAMES:
        for rows in (getattr(order.starts.known, name), getattr(order.starts.rows, name)):
            content.update(_digest(rows).encode())
    for mode in order.work.recipe.modes:
        for array in mode.numbers.values():
            content.update(_digest(array).encode())
        for value in vars(mode.tape).values() if mode.tape is not None else ():
            content.update(_digest(np.asarray(value)).encode())
    return content.hexdigest()


def _digest(array: Any) -> str:
    flat = np.ascontiguousarray(array)
    return hashlib.sha256(f"{flat.dtype.str}{flat.shape}".encode() + flat.tobytes()).hexdigest()


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=float))


def _versions() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
