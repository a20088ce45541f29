"""Explain refused privileges of a real-time thread, and what to do."""

from __future__ import annotations

import ctypes
import os


def refusals(privileges: ctypes.Structure) -> tuple[str, ...]:
    """One sentence for each privilege that was requested and refused."""
    sentences = []
    if privileges.priority_error:
        sentences.append(
            f"SCHED_FIFO was refused ({os.strerror(privileges.priority_error)}), so other programs "
            "can delay the loop: add '<user> - rtprio 95' to /etc/security/limits.conf and log in "
            "again, or run with CAP_SYS_NICE."
        )
    if privileges.lock_error:
        sentences.append(
            f"Memory could not be locked ({os.strerror(privileges.lock_error)}), so a page fault "
            "can delay the loop: add '<user> - memlock unlimited' to /etc/security/limits.conf and "
            "log in again."
        )
    if privileges.core_error:
        sentences.append(
            f"Core {privileges.core} was refused ({os.strerror(privileges.core_error)}): choose "
            "one that this process may use (taskset -p)."
        )
    return tuple(sentences)
