"""Programs as text; one file per language. Knows no mechanics."""

from inloop.codegen.c_library import CFiles, emit_accelerations, emit_lanes, emit_library

__all__ = ["CFiles", "emit_accelerations", "emit_lanes", "emit_library"]
