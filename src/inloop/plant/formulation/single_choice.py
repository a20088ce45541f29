"""Formulations that have no coordinates to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from inloop.formalisms.loops.partition import Partition
from inloop.plant.engine import Array
from inloop.plant.formulation.formulation import Formulation


class SingleChoice(Formulation):
    """One partition is good wherever the mechanism is."""

    @property
    def known(self) -> tuple[Partition, ...]:
        """See `Formulation`."""
        return (self.partition,)

    @property
    def chooses_freely(self) -> bool:
        """See `Formulation`."""
        return False

    @property
    def rows_that_may_act(self) -> tuple[int, ...]:
        """See `Formulation`."""
        return tuple(sorted(self.partition.rows))

    def with_partition(self, partition: Partition) -> Self:
        """See `Formulation`."""
        return self

    def partition_of(self, roles: Array) -> Partition:
        """See `Formulation`."""
        return self.partition

    def compile_partitions(self, partitions: Iterable[Partition]) -> None:
        """See `Formulation`."""

    def repartition(self, q: Array, t: float = 0.0) -> Self | None:
        """See `Formulation`."""
        return None

    def good_at(self, q: Array, t: float = 0.0) -> Self:
        """See `Formulation`."""
        return self

    def guard(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`."""
        return np.zeros(0)
