"""A plant with other parameters for a while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from inloop.plant import Array, BarePlant


@contextmanager
def with_parameters(
    plant: BarePlant, names: Sequence[str], values: Sequence[float] | Array
) -> Iterator[None]:
    """A plant with other parameters for a while; nobody asks whether these are within ranges."""
    parameters = plant.parameters
    before, places = parameters.values_array.copy(), list(parameters)
    try:
        parameters.values_array[[places.index(name) for name in names]] = values
        parameters.version += 1
        yield
    finally:
        parameters.values_array[:] = before
        parameters.version += 1
