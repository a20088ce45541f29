"""Linear systems whose pattern is known beforehand, compiled. Knows nothing of mechanics."""

from inloop.linear.calls import SolveReport
from inloop.linear.sparse_lu import SparseLU

__all__ = ["SolveReport", "SparseLU"]
