"""C text → loaded library: compiler, build cache, calls, and the hand-written C99 runtime.

Knows nothing of mechanics or of symbolic programs.
"""

from inloop.native.build import build_library
from inloop.native.compiler import Compiler, explain_no_compiler, find_compiler
from inloop.native.library import (
    COUNT,
    POINTER,
    REAL,
    NativeLibrary,
    address_of,
    aligned_zeros,
)
from inloop.native.options import DEFAULT_FLAGS, STRICT_FLAGS, BuildOptions
from inloop.native.runtime_library import (
    include_dir,
    load_realtime,
    load_runtime,
    realtime_headers,
    realtime_sources,
    runtime_headers,
    runtime_sources,
)
from inloop.native.schedule import AdaptiveSteps, FixedSteps, Method, Status
from inloop.native.steppers import Run, Schedule, Snapshot, System, run

__all__ = [
    "COUNT",
    "DEFAULT_FLAGS",
    "POINTER",
    "REAL",
    "STRICT_FLAGS",
    "AdaptiveSteps",
    "BuildOptions",
    "Compiler",
    "FixedSteps",
    "Method",
    "NativeLibrary",
    "Run",
    "Schedule",
    "Snapshot",
    "Status",
    "System",
    "address_of",
    "aligned_zeros",
    "build_library",
    "explain_no_compiler",
    "find_compiler",
    "include_dir",
    "load_realtime",
    "load_runtime",
    "realtime_headers",
    "realtime_sources",
    "run",
    "runtime_headers",
    "runtime_sources",
]
