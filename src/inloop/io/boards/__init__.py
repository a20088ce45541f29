"""Plants for boards: static libraries in double or single precision, measured in emulators."""

from inloop.io.boards.export import export_board
from inloop.io.boards.report import BoardReport

__all__ = ["BoardReport", "export_board"]
