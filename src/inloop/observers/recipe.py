"""The arguments of an observer as text, stored in recordings, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from inloop.errors import FileFormatError, InputError
from inloop.observers.unknowns import Unknown
from inloop.plant import BarePlant

MODEL, PARAMETERS = "model", "parameters"  # beside the arguments: digest, values at that time
UNKNOWNS = ("unknown", "offsets")


def written(plant: BarePlant, arguments: Mapping[str, Any]) -> str:
    """Arguments of `il.observer`, with the model and its parameters, as lossless JSON."""
    kept = {name: _plain(value) for name, value in arguments.items() if value is not None}
    kept[MODEL], kept[PARAMETERS] = plant.digest, plant.parameters.values_array.tolist()
    return json.dumps(kept)


def read(text: str, plant: BarePlant) -> dict[str, Any]:
    """The arguments of `il.observer` from their text.

    Raises:
        FileFormatError: the text is invalid.
        InputError: they belong to a different plant, or to different parameter values.
    """
    try:
        told = json.loads(text)
        model, values = told.pop(MODEL), told.pop(PARAMETERS)
        for name in UNKNOWNS:
            told[name] = {k: _unknown(v) for k, v in told.get(name, {}).items()}
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise FileFormatError(
            "the description of its observer is not valid", fix="The recording is damaged."
        ) from None
    if model != plant.digest or values != plant.parameters.values_array.tolist():
        raise InputError(
            "its observer belongs to another model, or to other parameters",
            fix="Create that observer and pass it: observer=...",
        )
    return dict(told)


def _plain(value: Any) -> Any:
    if isinstance(value, Unknown):
        return asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, str):
        return value
    return np.asarray(value).tolist()


def _unknown(value: Any) -> Unknown | float:
    return Unknown(**value) if isinstance(value, dict) else float(value)
