"""Linear systems whose pattern is known beforehand, compiled.

Knows nothing of mechanics.
"""

from inloop.linear.sparse_lu import SingularMatrixError, SolveReport, SparseLU

__all__ = ["SingularMatrixError", "SolveReport", "SparseLU"]
