"""Linear systems whose pattern is known beforehand, compiled. Knows nothing of mechanics."""

from inloop.linear.sparse_lu import SolveReport, SparseLU

__all__ = ["SolveReport", "SparseLU"]
