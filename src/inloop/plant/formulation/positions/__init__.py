"""Positions and velocities that fit the constraints of a mechanism: loops closed, starts kept."""

from __future__ import annotations

from inloop.plant.formulation.positions.closed_positions import ClosedPositions
from inloop.plant.formulation.positions.positions import Positions, TreePositions

__all__ = ["ClosedPositions", "Positions", "TreePositions"]
