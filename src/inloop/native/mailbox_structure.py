"""The structures of inloop.h and il_loop.h, and the functions that take them."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from inloop.native.library import COUNT, POINTER, REAL
from inloop.native.runtime_library import load_realtime
from inloop.native.structures import SystemStructure

WORD = ctypes.c_uint64
BINS = 1024  # INLOOP_BINS

OUTPUTS, INPUTS, PARAMETERS, COMMANDS = range(4)
RINGS = 4
STATUSES = 13  # of il_status.h


class RecordStructure(ctypes.Structure):
    """inloop_record."""

    _fields_ = (
        ("sequence", WORD),
        ("stamp", COUNT),
        ("answers", WORD),
        ("parameters", WORD),
        ("step", COUNT),
        ("status", COUNT),
        ("flags", COUNT),
        ("partition", COUNT),
    )


class PlaceStructure(ctypes.Structure):
    """inloop_place."""

    _fields_ = (("offset", WORD), ("slots", ctypes.c_uint32), ("values", ctypes.c_uint32))


class HeaderStructure(ctypes.Structure):
    """inloop_header."""

    _fields_ = (
        ("magic", WORD),
        ("version", ctypes.c_uint32),
        ("header_size", ctypes.c_uint32),
        ("size", WORD),
        ("layout_hash", WORD),
        ("creator", WORD),
        ("period", REAL),
        ("coordinates", ctypes.c_uint32),
        ("states", ctypes.c_uint32),
        ("signals", ctypes.c_uint32),
        ("inputs", ctypes.c_uint32),
        ("parameters", ctypes.c_uint32),
        ("stepper_states", ctypes.c_uint32),
        ("text_offset", WORD),
        ("text_size", WORD),
        ("statistics_offset", WORD),
        ("clock_offset", WORD),
        ("rings", PlaceStructure * RINGS),
    )


class RingStructure(ctypes.Structure):
    """inloop_ring."""

    _fields_ = (
        ("head", WORD),
        ("owner", WORD),
        ("bell", ctypes.c_uint32),
        ("waiting", ctypes.c_uint32),
        ("reserved", WORD * 13),
    )


class ClockStructure(ctypes.Structure):
    """inloop_clock."""

    _fields_ = (
        ("now", COUNT),
        ("limit", COUNT),
        ("grants", ctypes.c_uint32),
        ("asleep", ctypes.c_uint32),
        ("waiting", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32 * 9),
    )


class HistogramStructure(ctypes.Structure):
    """inloop_histogram."""

    _fields_ = (("count", WORD), ("sum", WORD), ("most", WORD), ("bins", WORD * BINS))


COUNTERS = (
    "commands_done", "steps", "failed", "partitions", "singular", "events", "periods", "overruns",
    "woken_late", "preempted", "too_long", "made_up", "skipped", "backlog", "stale_inputs",
    "bad_inputs", "torn_inputs", "drive_jumps", "brief_contacts", "bad_parameters", "bad_commands",
    "safe_steps", "lost_telemetry", "floor_periods", "floor_overruns",
)  # fmt: skip
HISTOGRAMS = ("step", "step_cpu", "latency", "input_age", "floor")


class StatisticsStructure(ctypes.Structure):
    """inloop_statistics."""

    _fields_ = (
        ("state", WORD),
        ("status", WORD),
        ("failure", WORD),
        ("latched", WORD),
        ("parameters_seen", WORD),
        ("parameters_refused", WORD),
        ("beyond", WORD),
        ("jumped", WORD),
        ("touched", WORD),
        ("heartbeat", WORD),
        ("thread", WORD),
        ("speed", REAL),
        *((name, WORD) for name in COUNTERS),
        *((name, HistogramStructure) for name in HISTOGRAMS),
    )


class MailboxStructure(ctypes.Structure):
    """inloop_mailbox."""

    _fields_ = (
        ("base", POINTER),
        ("size", WORD),
        ("layout", HeaderStructure),
        ("self", WORD),
        ("seen", WORD),
        ("cursor", WORD),
        ("lost", WORD),
    )


class PrepareStructure(ctypes.Structure):
    """il_prepare."""

    _fields_ = (("function", POINTER), ("prepared", POINTER))


class TargetStructure(ctypes.Structure):
    """il_target."""

    _fields_ = (("input", COUNT), ("place", POINTER))


class LiveDriveStructure(ctypes.Structure):
    """il_live_drive."""

    _fields_ = (("position", COUNT), ("velocity", COUNT))


class TouchStructure(ctypes.Structure):
    """il_touch."""

    _fields_ = (("gap", COUNT), ("last", REAL), ("change", REAL), ("pressed", COUNT))


class ViewStructure(ctypes.Structure):
    """il_view."""

    _fields_ = (
        ("pre", POINTER),
        ("u", POINTER),
        ("t", REAL),
        *((name, POINTER) for name in ("q", "qd", "lam", "effort", "z", "e")),
    )


class AspectStructure(ctypes.Structure):
    """il_aspect."""

    _fields_ = (
        ("system", SystemStructure),
        ("sources", POINTER),
        ("expand", POINTER),
        ("context", POINTER),
        ("expanded", POINTER * 5),
        ("observe", POINTER),
        ("view", ViewStructure),
        ("observed", POINTER),
        ("places", POINTER),
        ("independent", POINTER),
        ("dependent", POINTER),
        ("dependent_count", COUNT),
        ("guard", POINTER),
        ("tolerance", POINTER),
        ("pivots", POINTER),
    )


class PrivilegesStructure(ctypes.Structure):
    """il_privileges."""

    _fields_ = tuple(
        (name, COUNT)
        for name in (
            "priority", "core", "lock_memory", "priority_error", "core_error", "lock_error",
        )
    )  # fmt: skip


class ScriptStructure(ctypes.Structure):
    """il_script."""

    _fields_ = (
        ("box", POINTER),
        ("late", POINTER),
        ("took", POINTER),
        ("used", POINTER),
        ("late_count", COUNT),
        ("took_count", COUNT),
        ("used_count", COUNT),
        ("sleeps", COUNT),
        ("steps", COUNT),
        ("processor", COUNT),
        ("bell", WORD),
    )


class LoopStructure(ctypes.Structure):
    """The public part of il_loop; the private one lies behind it, see `il_loop_size`."""

    _fields_ = (
        ("machine", POINTER),
        ("modes", POINTER),
        ("aspects", POINTER),
        ("aspect_count", COUNT),
        ("worst_pivot", REAL),
        ("tolerances", REAL * 2),
        ("start", POINTER),
        ("told", POINTER),
        ("h", REAL),
        ("substeps", COUNT),
        ("targets", POINTER),
        ("target_count", COUNT),
        ("drives", POINTER),
        ("drive_count", COUNT),
        ("touches", POINTER),
        ("touch_count", COUNT),
        ("prepares", POINTER),
        ("prepare_count", COUNT),
        ("parameters", POINTER),
        ("least", POINTER),
        ("most", POINTER),
        ("inputs_start", POINTER),
        ("inputs_safe", POINTER),
        ("scratch", POINTER),
        ("mode", COUNT),
        ("period", REAL),
        ("speed", REAL),
        ("steps_wanted", COUNT),
        ("paused", COUNT),
        ("extrapolate", COUNT),
        ("stale_after", COUNT),
        ("policy", COUNT * STATUSES),
        ("most_backlog", COUNT),
        ("floor", COUNT),
        ("clock", POINTER),
        ("clock_self", POINTER),
        ("privileges", PrivilegesStructure),
        ("box", MailboxStructure),
        ("stop", ctypes.c_int32),
        ("end_status", COUNT),
        ("failure", COUNT),
    )


_FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "il_mailbox_use": ((POINTER, POINTER, WORD, WORD), COUNT),
    "il_mailbox_take": ((POINTER, COUNT), COUNT),
    "il_mailbox_take_briefly": ((POINTER, COUNT), COUNT),
    "il_mailbox_release": ((POINTER, COUNT), None),
    "il_mailbox_owner": ((POINTER, COUNT), WORD),
    "il_mailbox_read": ((POINTER, POINTER, POINTER), COUNT),
    "il_mailbox_wait": ((POINTER, REAL, POINTER, POINTER), COUNT),
    "il_mailbox_attend": ((POINTER, WORD, WORD, REAL), COUNT),
    "il_mailbox_next": ((POINTER, POINTER, POINTER), COUNT),
    "il_mailbox_newest": ((POINTER, COUNT, POINTER, POINTER), COUNT),
    "il_mailbox_copy": ((POINTER, COUNT, WORD, POINTER, POINTER), COUNT),
    "il_mailbox_write": ((POINTER, POINTER), COUNT),
    "il_mailbox_rest": ((POINTER, POINTER), COUNT),
    "il_mailbox_write_parameters": ((POINTER, POINTER), COUNT),
    "il_mailbox_publish": ((POINTER, COUNT, POINTER, POINTER), WORD),
    "il_mailbox_publish_briefly": ((POINTER, COUNT, POINTER, POINTER), WORD),
    "il_mailbox_send": ((POINTER, COUNT, POINTER, POINTER), COUNT),
    "il_mailbox_gone": ((POINTER,), COUNT),
    "il_mailbox_hash": ((POINTER, POINTER), WORD),
    "il_mailbox_self": ((WORD,), WORD),
    "il_mailbox_alive": ((WORD,), COUNT),
    "il_mailbox_index": ((POINTER, ctypes.c_char_p, ctypes.c_char_p), COUNT),
    "il_mailbox_bin": ((WORD,), COUNT),
    "il_mailbox_sizes": ((POINTER,), None),
    "il_mailbox_time": ((POINTER,), COUNT),
    "il_mailbox_grant": ((POINTER, COUNT), ctypes.c_uint32),
    "il_mailbox_settle": ((POINTER, ctypes.c_uint32, REAL), COUNT),
    "il_scripted_clock": ((), POINTER),
    "il_shelter_add": ((POINTER, WORD), COUNT),
    "il_shelter_lost": ((COUNT,), COUNT),
    "il_shelter_remove": ((COUNT,), None),
    "il_loop_size": ((), COUNT),
    "il_loop_scratch": ((POINTER,), COUNT),
    "il_loop_start": ((POINTER,), COUNT),
    "il_loop_stop": ((POINTER,), None),
    "il_loop_join": ((POINTER,), None),
    "il_loop_unlock": ((), None),
}


@functools.cache
def realtime_function(name: str) -> Any:
    """A function of the real-time library by name, with its argument types."""
    arguments, returns = _FUNCTIONS[name]
    return load_realtime().function(name, *arguments, returns=returns)
