"""Export of plants to boards: static libraries in double or single precision, and their cost."""

from inloop.io.boards.export import export_board
from inloop.io.boards.report import BoardReport

__all__ = ["BoardReport", "export_board"]
