"""Names: unique, and not reserved by inloop."""

from __future__ import annotations

from collections.abc import Iterable

from inloop.model.checks.findings import Findings
from inloop.model.draft import Draft
from inloop.model.names import (
    GROUND_NAME,
    RESERVED_POINTS,
    RESERVED_SIGNALS,
    RESERVED_SYMBOLS,
    quoted,
)

Named = tuple[str, str, str]  # kind, name, where
STATES = ("q", "qd", "qdd")


def check_names(draft: Draft, findings: Findings) -> None:
    """Report duplicate and reserved names."""
    bodies = [("body", b.name, b.where) for b in draft.bodies]
    # a body that repeats a name repeats its joint's name too: one mistake, not two
    first = [b for b in draft.bodies if b is draft.body(b.name) and b.joint.kind.moves]
    signals = [("parameter", p.name, p.where) for p in draft.parameters]
    signals += [("input", i.name, i.where) for i in draft.inputs]
    _check_unique(bodies, findings)
    _check_unique([("joint", b.joint.name, b.where) for b in first], findings)
    _check_unique([(s.kind, s.path, s.where) for s in draft.sites], findings)
    # a signal of the same name would hide them in results
    joints = {b.joint.name: b.where for b in first}
    states = [("joint", f"{name}.{x}", joints[name]) for name in joints for x in STATES]
    _check_unique([*states, *signals], findings)
    # results and generated code identify laws, loops and constraints by name only
    acting: list[Named] = [(law.kind, law.name, law.where) for law in draft.laws]
    acting += [("loop", loop.name, loop.where) for loop in draft.loops]
    acting += [("constraint", item.name, item.where) for item in draft.constraints]
    acting += [(item.kind, item.name, item.where) for item in draft.couplings]
    acting += [("lock", item.name, item.where) for item in draft.locks]
    acting += [("sensor", item.name, item.where) for item in draft.sensors]
    _check_unique(acting, findings)
    # signals in results: efforts of drives, outputs of laws
    driven = {drive.joint: draft.body_of_joint(drive.joint) for drive in draft.drives}
    shown: list[Named] = [
        ("drive", f"{body.joint.name}.effort", body.where) for body in driven.values() if body
    ]
    shown += [("output", out.name, law.where) for law in draft.laws for out in law.outputs]
    _check_unique(shown, findings)
    _check_unique([("joint input", i.name, i.where) for i in draft.joint_inputs], findings)
    _check_unique([("external force", i.name, i.where) for i in draft.external_forces], findings)
    _check_reserved(bodies, (GROUND_NAME,), findings)
    _check_reserved([(s.kind, s.name, s.where) for s in draft.sites], RESERVED_POINTS, findings)
    _check_reserved(signals, RESERVED_SYMBOLS, findings)
    sensors = [("sensor", item.name, item.where) for item in draft.sensors]
    _check_reserved(sensors, RESERVED_SIGNALS, findings)


def _check_unique(elements: Iterable[Named], findings: Findings) -> None:
    first: dict[str, Named] = {}
    for kind, name, where in elements:
        if name not in first:
            first[name] = (kind, name, where)
            continue
        earlier_kind, _, earlier_where = first[name]
        findings.mistake(
            f"{kind} {quoted(name)}: the name is already used by the {earlier_kind} "
            f"declared at {earlier_where}",
            where,
            "Give each its own name.",
        )


def _check_reserved(
    elements: Iterable[Named], reserved: tuple[str, ...], findings: Findings
) -> None:
    for kind, name, where in elements:
        if name in reserved:
            findings.mistake(
                f"{kind} {quoted(name)}: the name is reserved by inloop",
                where,
                "Choose another name.",
            )
