"""Compiled solvers of sparse linear systems with a fixed pattern. Independent of mechanics."""

from inloop.linear.calls import SolveReport
from inloop.linear.sparse_lu import SparseLU

__all__ = ["SolveReport", "SparseLU"]
