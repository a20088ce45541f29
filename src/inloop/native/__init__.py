"""From C text to a loaded library: compiler, build cache, calls, and the C99 runtime.

Independent of mechanics and of symbolic programs.
"""

from inloop.native.building.build import build_library
from inloop.native.building.compiler import Compiler, explain_no_compiler, find_compiler
from inloop.native.building.options import (
    CHAIN_FLAGS,
    DEFAULT_FLAGS,
    RUNTIME_FLAGS,
    STRICT_FLAGS,
    TERMS_FLAGS,
    BuildOptions,
    model_options,
)
from inloop.native.building.translation import merged_sources
from inloop.native.building.way import (
    require_compiler,
    runs_as_python,
    tell_slowness,
    usable_compiler,
)
from inloop.native.library import (
    COUNT,
    POINTER,
    REAL,
    NativeLibrary,
    address_of,
    aligned_zeros,
)
from inloop.native.progress import ProgressLine
from inloop.native.running.contact_solver import ContactSolution, solve_contacts
from inloop.native.running.interruptible import Watch
from inloop.native.running.machine import run_machine
from inloop.native.running.machine_run import Event, Fault, MachineRun, MachineSnapshot
from inloop.native.running.mode_table import ModeTable
from inloop.native.running.schedule import AdaptiveSteps, FixedSteps, Method, Schedule, Status
from inloop.native.running.tapes import GivenInputs, GivenMotions, LoadedTape
from inloop.native.runtime_library import (
    absent_sources,
    include_dir,
    load_realtime,
    load_runtime,
    realtime_headers,
    realtime_sources,
    runtime_headers,
    runtime_sources,
    serial_files,
    variation_headers,
    variation_sources,
)

__all__ = [
    "CHAIN_FLAGS",
    "COUNT",
    "DEFAULT_FLAGS",
    "POINTER",
    "REAL",
    "RUNTIME_FLAGS",
    "STRICT_FLAGS",
    "TERMS_FLAGS",
    "AdaptiveSteps",
    "BuildOptions",
    "Compiler",
    "ContactSolution",
    "Event",
    "Fault",
    "FixedSteps",
    "GivenInputs",
    "GivenMotions",
    "LoadedTape",
    "MachineRun",
    "MachineSnapshot",
    "Method",
    "ModeTable",
    "NativeLibrary",
    "ProgressLine",
    "Schedule",
    "Status",
    "Watch",
    "absent_sources",
    "address_of",
    "aligned_zeros",
    "build_library",
    "explain_no_compiler",
    "find_compiler",
    "include_dir",
    "load_realtime",
    "load_runtime",
    "merged_sources",
    "model_options",
    "realtime_headers",
    "realtime_sources",
    "require_compiler",
    "run_machine",
    "runs_as_python",
    "runtime_headers",
    "runtime_sources",
    "serial_files",
    "solve_contacts",
    "tell_slowness",
    "usable_compiler",
    "variation_headers",
    "variation_sources",
]
