"""A result that can be looked at: it knows the plant that it is a result of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from inloop import simulate
from inloop.plant import BarePlant
from inloop.simulate.energies import check_same_plant


@dataclass(frozen=True)
class Result(simulate.Result):
    """Samples of a run: arrays by name, tables, files, plots and moving pictures.

    It holds what `inloop.simulate.Result` holds, and the plant, so that it can draw the mechanism.

    Attributes:
        plant: whose result it is; None for one that was read from a file alone.
    """

    plant: BarePlant | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, found: simulate.Result, plant: BarePlant | None = None) -> Self:
        """The same samples, of a plant."""
        if plant is not None:
            check_same_plant(found, plant)
        known = {name: getattr(found, name) for name in simulate.Result.__dataclass_fields__}
        return cls(**known, plant=plant)
