"""Modes, locks and events: unique names, existing modes and joints, modes that fit together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from inloop.errors import ModelError
from inloop.model.checks.findings import EnoughError, Findings
from inloop.model.draft import Draft, EventDraft
from inloop.model.mechanism import Mechanism
from inloop.model.names import quoted, suggestion


def check_modes(draft: Draft, findings: Findings) -> None:
    """Report modes, locks and events that cannot be used."""
    _check_twice("mode", ((mode.name, mode.where) for mode in draft.modes), findings)
    _check_twice("event", ((event.name, event.where) for event in draft.events), findings)
    for lock in draft.locks:
        _check_joint(draft, f"lock {quoted(lock.name)}", lock.joint, lock.where, findings)
    for event in draft.events:
        _check_event(draft, event, findings)


def check_machine(modes: Mapping[str, Mechanism]) -> None:
    """Check that the modes of a machine fit together.

    Raises:
        ModelError: with all mistakes at once.
    """
    findings = Findings()
    with suppress(EnoughError):
        _check_targets(modes, findings)
    if findings.mistakes:
        name = next(iter(modes.values())).name
        raise ModelError.of(name, findings.in_order())


def _check_targets(modes: Mapping[str, Mechanism], findings: Findings) -> None:
    """Report events with target modes that do not exist or are incompatible."""
    for mechanism in modes.values():
        for event in mechanism.events:
            label = f"event {quoted(event.name)}"
            named = [name for name in (event.to, event.impact, event.settles_in) if name]
            for name in named:
                if name not in modes:
                    findings.mistake(
                        f"{label}: unknown mode {quoted(name)}",
                        event.where,
                        suggestion(name, modes),
                    )
            if event.impact and event.impact in modes and event.to in modes:
                ours, theirs = modes[event.to].coordinates, modes[event.impact].coordinates
                if ours != theirs:
                    findings.mistake(
                        f"{label}: modes {quoted(event.to)} and {quoted(event.impact)} have "
                        "different coordinates",
                        event.where,
                        "An impact needs the coordinates of the mode that follows.",
                    )


def _check_twice(kind: str, named: Iterable[tuple[str, str]], findings: Findings) -> None:
    seen: dict[str, str] = {}
    for name, where in named:
        if name in seen:
            findings.mistake(
                f"{kind} {quoted(name)} is declared twice, first at {seen[name]}",
                where,
                "Give each one its own name.",
            )
        seen.setdefault(name, where)


def _check_joint(draft: Draft, label: str, joint: str, where: str, findings: Findings) -> None:
    body = draft.body_of_joint(joint)
    if body is None or not body.joint.kind.moves:
        known = [b.joint.name for b in draft.bodies if b.joint.kind.moves]
        what = "cannot move" if body is not None else "does not exist"
        findings.mistake(f"{label}: joint {quoted(joint)} {what}", where, suggestion(joint, known))


def _check_event(draft: Draft, event: EventDraft, findings: Findings) -> None:
    label = f"event {quoted(event.name)}"
    known = [mode.name for mode in draft.modes]
    named = (event.mode, event.to, event.impact, event.settles_in)
    for mode in dict.fromkeys(name for name in named if name):
        # a model without modes may be part of a machine, whose modes are checked later
        if known and mode not in known:
            findings.mistake(
                f"{label}: unknown mode {quoted(mode)}", event.where, suggestion(mode, known)
            )
    for item in event.quantities:
        if item.kind in ("q", "qd", "effort"):
            _check_joint(draft, label, item.key, event.where, findings)
        elif item.kind in ("p", "v") and draft.resolve(item.key) is None:
            findings.mistake(
                f"{label}: no point {quoted(item.key)}",
                event.where,
                suggestion(item.key, draft.paths()),
            )
