"""Errors of runs that ended early; they carry what was computed."""

from __future__ import annotations

import numpy as np

from inloop.errors import SimulationError
from inloop.simulate.results.result import Result

SETTLE = (
    "Give the event a mode to settle in, or friction or damping that ends it; one whose indicator "
    "is below zero when its mode begins happens at once"
)


def interrupted(result: Result, t_end: float) -> KeyboardInterrupt:
    """Ctrl-C as an exception that ends the whole program and carries the partial result."""
    error = KeyboardInterrupt(
        f"interrupted at t = {float(result.t[-1]):.6g} s of {t_end:g} s; error.result "
        "holds the run so far"
    )
    error.result = result  # type: ignore[attr-defined]
    return error


def interrupted_check(result: Result) -> KeyboardInterrupt:
    """Ctrl-C after a run while its steps were checked."""
    error = KeyboardInterrupt("interrupted while checking the steps; error.result holds the run")
    error.result = result  # type: ignore[attr-defined]
    return error


def failed(
    result: Result, step: float, blame: str, loop: str = "", jump: str = ""
) -> SimulationError:
    """The error of a run that ended early.

    Args:
        result: what was computed.
        step: step of the run [s].
        blame: what was not finite, or jumped, as text, if known.
        loop: name of the loop that could not be closed, if known.
        jump: jump of a drive before that and what to do about it, as text, if any.
    """
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    before = dict.fromkeys(f"'{event.name}'" for event in result.events if event.t >= last - step)
    what = {
        "DIVERGED": f"diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        "LOOP_OPEN": f"cannot close its loops after t = {last:.6g} s: "
        + (f"loop '{loop}' is at a singular position or out of reach; " if loop else "")
        + f"fastest coordinate '{worst}'",
        "OUT_OF_BOUNDS": f"went out of bounds after t = {last:.6g} s: {blame}",
        "CHATTERING": f"chatters after t = {last:.6g} s: too many events in one step"
        + (f", after {', '.join(before)}" if before else ""),
        "CONTACT_JAMMED": f"has sliding contacts after t = {last:.6g} s that "
        "no finite forces keep closed (Painlevé)",
        "CONTACT_INEXACT": f"has contacts after t = {last:.6g} s that cannot be followed "
        "from event to event: the contact point jumps, as for a rim lying flat",
        "TOO_MANY_STEPS": f"needs too many steps after t = {last:.6g} s",
        "STEP_TOO_SMALL": f"requires too small a step after t = {last:.6g} s",
    }.get(result.status, f"stopped with {result.status} after t = {last:.6g} s")
    fix = {
        "LOOP_OPEN": "Choose other dimensions, another motion, or a smaller step",
        "OUT_OF_BOUNDS": f"Use a step smaller than {step:g} s or an implicit method, "
        "look for force laws that add energy, or set wider bounds: plant.bounds",
        "CHATTERING": SETTLE,
        "CONTACT_JAMMED": "Use method='moreau', which resolves jamming with impulses",
        "CONTACT_INEXACT": "Use method='moreau'",
    }.get(result.status, f"Use a step smaller than {step:g} s")
    if result.tolerance is not None and result.status in ("STEP_TOO_SMALL", "TOO_MANY_STEPS"):
        fix = f"Use a tolerance above {result.tolerance:g}, or look for what jumps there"
    if result.method == "event_driven" and result.status in ("STEP_TOO_SMALL", "CHATTERING"):
        fix = "Use method='moreau', which steps over events"
    if result.status == "LOOP_OPEN" and blame:
        what = f"cannot close its loops after t = {last:.6g} s: {blame}"
        fix = 'Give it a motion without jumps, or declare it with derivatives="filtered"'
    if result.status == "DIVERGED" and jump:
        fix = jump.rstrip(".")
    if result.status == "DIVERGED" and blame:
        what = f"cannot continue after t = {last:.6g} s: {blame}"
        fix = "Make sure that it stays finite until the end of the run"
    error = SimulationError(
        f"model '{result.name}' {what}", fix=f"{fix}; error.result holds the run so far."
    )
    error.result = result  # type: ignore[attr-defined]
    return error
