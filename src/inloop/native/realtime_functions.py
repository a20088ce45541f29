"""Functions of the real-time library that Python calls, and the ids of the mailbox rings."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from inloop.native.library import COUNT, POINTER, REAL
from inloop.native.runtime_library import load_realtime

OUTPUTS, INPUTS, PARAMETERS, COMMANDS, HAND, PULLS = RINGS = range(6)  # inloop_ring_id

_WORD = ctypes.c_uint64

_FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "il_mailbox_use": ((POINTER, POINTER, _WORD, _WORD), COUNT),
    "il_mailbox_take": ((POINTER, COUNT), COUNT),
    "il_mailbox_take_briefly": ((POINTER, COUNT), COUNT),
    "il_mailbox_release": ((POINTER, COUNT), None),
    "il_mailbox_owner": ((POINTER, COUNT), _WORD),
    "il_mailbox_read": ((POINTER, POINTER, POINTER), COUNT),
    "il_mailbox_wait": ((POINTER, REAL, POINTER, POINTER), COUNT),
    "il_mailbox_attend": ((POINTER, _WORD, _WORD, REAL), COUNT),
    "il_mailbox_next": ((POINTER, POINTER, POINTER), COUNT),
    "il_mailbox_newest": ((POINTER, COUNT, POINTER, POINTER), COUNT),
    "il_mailbox_copy": ((POINTER, COUNT, _WORD, POINTER, POINTER), COUNT),
    "il_mailbox_write": ((POINTER, POINTER), COUNT),
    "il_mailbox_rest": ((POINTER, POINTER), COUNT),
    "il_mailbox_write_parameters": ((POINTER, POINTER), COUNT),
    "il_mailbox_publish": ((POINTER, COUNT, POINTER, POINTER), _WORD),
    "il_mailbox_publish_briefly": ((POINTER, COUNT, POINTER, POINTER), _WORD),
    "il_mailbox_send": ((POINTER, COUNT, POINTER, POINTER), COUNT),
    "il_mailbox_gone": ((POINTER,), COUNT),
    "il_mailbox_hash": ((POINTER, POINTER), _WORD),
    "il_mailbox_self": ((_WORD,), _WORD),
    "il_mailbox_alive": ((_WORD,), COUNT),
    "il_mailbox_index": ((POINTER, ctypes.c_char_p, ctypes.c_char_p), COUNT),
    "il_mailbox_bin": ((_WORD,), COUNT),
    "il_mailbox_time": ((POINTER,), COUNT),
    "il_mailbox_grant": ((POINTER, COUNT), ctypes.c_uint32),
    "il_mailbox_settle": ((POINTER, ctypes.c_uint32, REAL), COUNT),
    "il_scripted_clock": ((), POINTER),
    "il_bus_guard_add": ((POINTER, _WORD), COUNT),
    "il_bus_guard_lost": ((COUNT,), COUNT),
    "il_bus_guard_remove": ((COUNT,), None),
    "il_hand_scratch": ((POINTER, POINTER), COUNT),
    "il_follower_count": ((POINTER,), COUNT),
    "il_follower_scratch": ((POINTER,), COUNT),
    "il_beside_scratch": ((POINTER,), COUNT),
    "il_beside_start": ((POINTER,), COUNT),
    "il_beside_stop": ((POINTER,), None),
    "il_beside_join": ((POINTER,), None),
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
