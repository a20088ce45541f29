"""Print programs as text, one file per language, or as tapes. Independent of mechanics."""

from inloop.codegen.c_library import CFiles, emit_lanes, emit_library, emit_rates

__all__ = ["CFiles", "emit_lanes", "emit_library", "emit_rates"]
