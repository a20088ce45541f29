"""Loops, constraints and drives: lengths > 0, rows that joints influence, no joint driven twice.

Names and references are checked elsewhere; here they may still be wrong.
"""

from __future__ import annotations

from inloop.model.checks.findings import Findings
from inloop.model.constraints.elements import Loop
from inloop.model.draft import BodyDraft, ConstraintDraft, Draft
from inloop.model.laws.effects import FrameForce, LineForce
from inloop.model.mechanism import Mechanism
from inloop.model.names import quoted
from inloop.model.parameters import Defaults
from inloop.symbolic import Expr

# kinds of loops with a length: name of the length, and how to fix a missing one
LENGTHS = {
    "rod": ("length", 'To make two points coincide, write kind="ball".'),
    "disc": ("radius", "Write the distance from the center to the rim [m]."),
    "sphere": ("radius", "Write the distance from the center to the surface [m]."),
}


def check_loops(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report rods without length and wheels without radius, at the default parameters."""
    for loop in draft.loops:
        values = defaults.of((loop.length,))
        if loop.kind not in LENGTHS or values is None or values[0] > 0.0:
            continue
        word, fix = LENGTHS[loop.kind]
        label = f"loop {quoted(loop.name)}"
        findings.mistake(f"{label}: {word} must be > 0 m, got {values[0]:g}", loop.where, fix)


def check_rows(draft: Draft, findings: Findings) -> None:
    """Report rows of constraints that no joint can influence."""
    for item in draft.constraints:
        for number, row in enumerate(item.rows, start=1):
            used = row.graph.symbols_of([row]) if isinstance(row, Expr) else []
            wanted = item.q if item.qd is None else item.qd
            if not set(used) & set(wanted.values()):
                _report_row(item, number, findings)


def _report_row(item: ConstraintDraft, number: int, findings: Findings) -> None:
    what, symbol = ("coordinate", "q") if item.qd is None else ("velocity", "qd")
    which = "it does" if len(item.rows) == 1 else f"row {number} does"
    findings.mistake(
        f"constraint {quoted(item.name)}: {which} not depend on any {what}",
        item.where,
        f'Return expressions of {symbol}["..."] that must vanish.',
    )


def check_drives(draft: Draft, findings: Findings) -> None:
    """Report driven joints that are also commanded by something else."""
    driven: dict[str, str] = {}
    inputs = {_name(draft, item.target) for item in draft.joint_inputs}
    for drive in draft.drives:
        name = _name(draft, drive.joint)
        label = f"drive {quoted(name)}"
        if name in driven:
            findings.mistake(
                f"{label}: the joint is already driven by {driven[name]}",
                drive.where,
                "Drive each joint once.",
            )
            continue
        driven[name] = drive.where
        if name in inputs:
            findings.mistake(
                f"{label}: the joint also has a joint_input",
                drive.where,
                "Prescribe its motion or its effort, not both.",
            )
    for wanted in draft.independent:
        if _name(draft, wanted.joint) in driven:
            findings.mistake(
                f"independent: joint {quoted(_name(draft, wanted.joint))} is driven",
                wanted.where,
                "Choose joints that are free to move.",
            )


def _name(draft: Draft, target: str) -> str:
    """Return the name of the joint that a target refers to, or the target if there is none."""
    body: BodyDraft | None = draft.body_of_joint(target)
    return target if body is None else body.joint.name


def check_ends(mechanism: Mechanism, findings: Findings) -> None:
    """Report line forces, frame forces and loops between two ends on the same rigid body."""
    pairs: list[tuple[str, LineForce | FrameForce | Loop]] = []
    pairs += [("line_force", law) for law in mechanism.line_forces]
    pairs += [("frame_force", law) for law in mechanism.frame_forces]
    pairs += [("loop", loop) for loop in mechanism.loops]
    for kind, pair in pairs:
        if pair.a.body == pair.b.body:
            findings.mistake(
                f"{kind} {quoted(pair.name)}: {quoted(pair.a.path)} and {quoted(pair.b.path)} are "
                "on the same rigid body",
                pair.where,
                "Connect points of two bodies that can move relative to each other.",
            )
