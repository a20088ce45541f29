"""Couplings: each joint listed once, with the dimension that gears and racks need."""

from __future__ import annotations

from inloop.joints import ANGLE, LENGTH
from inloop.model.checks.findings import Findings
from inloop.model.draft import CouplingDraft, Draft
from inloop.model.elements import Joint
from inloop.model.names import quoted
from inloop.model.parameters import Defaults

# required dimensions of the joints of a coupling, in the order of its factors
NEEDED = {"gear": (ANGLE, ANGLE), "rack": (LENGTH, ANGLE)}
WORDS = {ANGLE: "turn", LENGTH: "slide"}
FIX = (
    "A gear connects two joints that turn, a rack one that turns and one that "
    "slides; couple({joint: factor, ...}) connects any joints, each listed once."
)


def check_couplings(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report couplings that have no effect, or unsuitable joints."""
    for item in draft.couplings:
        bodies = [draft.body_of_joint(joint) for joint, _ in item.factors]
        joints = [body.joint for body in bodies if body is not None and body.joint.kind.moves]
        if len(joints) < len(bodies):  # already reported
            continue
        problem = _problem_of_joints(item, joints)
        if problem is None:
            _check_factors(item, defaults, findings)
        else:
            findings.mistake(f"{item.label}: {problem}", item.where, FIX)


def _problem_of_joints(item: CouplingDraft, joints: list[Joint]) -> str | None:
    names = [joint.name for joint in joints]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        return f"{quoted(twice[0])} occurs twice"
    if len(names) < 2:
        return "it needs at least two joints"
    for joint, needed in zip(joints, NEEDED.get(item.kind, ()), strict=False):
        dimension = joint.kind.dimension
        if dimension is not needed:
            unit = dimension.unit
            return f"joint {quoted(joint.name)} must {WORDS[needed]}, its coordinate is in {unit}"
    return None


def _check_factors(item: CouplingDraft, defaults: Defaults, findings: Findings) -> None:
    values = defaults.of(tuple(factor for _, factor in item.factors))
    if values is None:
        return
    # the last factor of a gear or a rack is the one given by the user
    if item.kind != "coupling" and values[-1] == 0.0:
        word = {"gear": "ratio", "rack": "radius"}[item.kind]
        findings.mistake(
            f"{item.label}: {word} must not be 0",
            item.where,
            "To hold a joint in place, use lock(...) or drive(...).",
        )
    elif not any(values):
        findings.mistake(
            f"{item.label}: all factors are 0, so it constrains nothing",
            item.where,
            "Write couple({joint: factor, ...}) with factors that are not 0.",
        )
