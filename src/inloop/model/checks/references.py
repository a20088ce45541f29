"""References: every element referred to must exist, and the bodies must form a tree."""

from __future__ import annotations

from collections import Counter

from inloop.joints import quaternion
from inloop.model import topology
from inloop.model.checks.findings import Findings
from inloop.model.draft import Draft, InputDraft, LawDraft, Place, SensorDraft, SiteDraft
from inloop.model.geometry import Pose
from inloop.model.merge import parent_indices
from inloop.model.names import GROUND_NAME, quoted, suggestion


def check_tree(draft: Draft, findings: Findings) -> None:
    """Report unknown parents and cycles of bodies."""
    for body in draft.bodies:
        if draft.resolve(body.on) is None:
            findings.mistake(
                f"body {quoted(body.name)}: is attached to {quoted(body.on)}, which does not exist",
                body.where,
                suggestion(body.on, draft.paths()),
            )
    _check_ball_joints(draft, findings)
    for ring in topology.cycles(parent_indices(draft)):
        names = [quoted(draft.bodies[k].name) for k in (*ring, ring[0])]
        shown = names if len(names) <= 8 else [*names[:6], "...", names[-1]]
        findings.mistake(
            f"body {names[0]}: is attached to itself: {' on '.join(shown)}",
            draft.bodies[ring[0]].where,
            "Attach one of them to the ground.",
        )


def _check_ball_joints(draft: Draft, findings: Findings) -> None:
    """Check that the three parts of a ball joint are in series, with nothing else in between."""
    for body in draft.bodies:
        place = draft.resolve(body.on)
        below = None if place is None else draft.body(place.body)
        part = body.joint.kind.part
        before = None if below is None else below.joint.kind.part
        # a frame between the parts would offset them from the joint
        apart = place is not None and place != Place(place.body, Pose())
        if part and (before != part - 1 or apart):
            findings.mistake(
                f"body {quoted(body.name)}: part {part + 1} of a ball joint is attached to "
                f"{quoted(body.on)}",
                body.where,
                "Declare the body with its joint: m.body(..., joint=ball()).",
            )
        elif before in (0, 1) and part != before + 1:
            findings.mistake(
                f"body {quoted(body.name)}: is attached to {quoted(body.on)}, a part of a ball "
                "joint",
                body.where,
                "Attach it to the body that the joint moves.",
            )
    for site in draft.sites:
        _check_moved(draft, f"{site.kind} {quoted(site.path)}: is fixed on", site, findings)
    hanging = Counter(body.on for body in draft.bodies)
    for body in draft.bodies:
        if body.joint.kind.part in (0, 1) and hanging[body.name] != 1:
            findings.mistake(
                f"body {quoted(body.name)}: a ball joint has three parts, each attached to the "
                "previous one",
                body.where,
                "Declare the body with its joint: m.body(..., joint=ball()).",
            )


def _check_moved(draft: Draft, label: str, at: SiteDraft | Place, findings: Findings) -> None:
    """Report a place on one of the first two parts of a ball joint, which are not bodies."""
    body = draft.body(at.body)
    if body is not None and body.joint.kind.part in (0, 1):
        findings.mistake(
            f"{label} {quoted(at.body)}, a part of a ball joint",
            at.where if isinstance(at, SiteDraft) else body.where,
            "Use the body that the joint moves.",
        )


def check_references(draft: Draft, findings: Findings) -> None:
    """Report targets of laws, inputs, loops and drives that do not exist or cannot be used."""
    for law in draft.laws:
        label = f"{law.kind} {quoted(law.name)}"
        if law.kind in ("joint_force", "coupled_force"):
            for target in law.targets:
                _check_joint(draft, label, target, law.where, findings)
        else:
            _check_places(draft, label, law, findings)
    for loop in draft.loops:
        label = f"loop {quoted(loop.name)}"
        for path in (loop.a, loop.b):
            _check_place(draft, f"{label}: ends at", path, loop.where, findings)
    for constraint in draft.constraints:
        label = f"constraint {quoted(constraint.name)}"
        for name in constraint.q:
            _check_position(draft, label, name, constraint.where, findings)
        for joint in constraint.qd or ():
            _check_joint(draft, label, joint, constraint.where, findings)
    for coupling in draft.couplings:
        for joint, _ in coupling.factors:
            _check_joint(draft, coupling.label, joint, coupling.where, findings)
    for drive in draft.drives:
        _check_joint(draft, f"drive {quoted(drive.joint)}", drive.joint, drive.where, findings)
    for wanted in draft.independent:
        _check_joint(draft, "independent", wanted.joint, wanted.where, findings)
    for sensor in draft.sensors:
        _check_sensor(draft, sensor, findings)
    for item in draft.joint_inputs:
        _check_joint(draft, f"joint input {quoted(item.name)}", item.target, item.where, findings)
    for item in draft.external_forces:
        _check_external_force(draft, item, findings)


def _check_position(draft: Draft, label: str, name: str, where: str, findings: Findings) -> None:
    """Check an entry of q: a joint coordinate, or a component of a quaternion."""
    owner, _, component = name.rpartition(".")
    body = draft.body_of_joint(name)
    turned = draft.body(owner)
    if body is None and component in quaternion.NAMES and turned is not None:
        if turned.joint.kind.part == 2:
            return
        findings.mistake(
            f"{label}: body {quoted(owner)} has no quaternion",
            where,
            "Only bodies on ball or free joints have one; for others, use the coordinates.",
        )
    elif body is not None and body.joint.kind.part is not None:
        findings.mistake(
            f"{label}: uses q of joint {quoted(name)}, which defines no attitude",
            where,
            'Use the quaternion of its body, q["hull.qw"], "hull.qx", "hull.qy", "hull.qz".',
        )
    else:
        _check_joint(draft, label, name, where, findings)


def _check_joint(draft: Draft, label: str, target: str, where: str, findings: Findings) -> None:
    body = draft.body_of_joint(target)
    if body is None:
        known = [b.joint.name for b in draft.bodies if b.joint.kind.moves]
        findings.mistake(
            f"{label}: there is no joint {quoted(target)}", where, suggestion(target, known)
        )
    elif not body.joint.kind.moves:
        findings.mistake(
            f"{label}: joint {quoted(target)} is fixed and has no coordinate",
            where,
            "Act on a joint that moves, or use force(...) or torque(...).",
        )


def _check_places(draft: Draft, label: str, law: LawDraft, findings: Findings) -> None:
    for path in law.targets:
        place = draft.resolve(path)
        _check_place(draft, f"{label}: acts on", path, law.where, findings)
        if place is not None and law.kind == "torque" and path != place.body:
            findings.mistake(
                f"{label}: acts on the point {quoted(path)}",
                law.where,
                f"A torque acts on a body: write {quoted(place.body)}.",
            )


def _check_place(draft: Draft, label: str, path: str, where: str, findings: Findings) -> None:
    place = draft.resolve(path)
    if place is not None:
        _check_moved(draft, label, place, findings)
    else:
        findings.mistake(
            f"{label} {quoted(path)}, which does not exist",
            where,
            suggestion(path, draft.paths()),
        )


def _check_sensor(draft: Draft, sensor: SensorDraft, findings: Findings) -> None:
    label = f"sensor {quoted(sensor.name)}"
    others = {
        "contact": [contact.name for contact in draft.contacts],
        "flexible link": [link.name for link in draft.flexible_links],
    }
    for role, path in zip(sensor.kind.roles, sensor.at, strict=True):
        if role == "joint":
            _check_joint(draft, label, path, sensor.where, findings)
        elif role == "frame":
            _check_place(draft, f"{label}: sits on", path, sensor.where, findings)
        elif path not in others[role]:
            findings.mistake(
                f"{label}: there is no {role} {quoted(path)}",
                sensor.where,
                suggestion(path, others[role]),
            )


def _check_external_force(draft: Draft, item: InputDraft, findings: Findings) -> None:
    label = f"external force {quoted(item.name)}"
    place = draft.resolve(item.target)
    if draft.body(item.body) is None:
        known = [body.name for body in draft.bodies]
        reason = "the ground does not move" if item.body == GROUND_NAME else "there is no such body"
        findings.mistake(f"{label}: {reason}", item.where, suggestion(item.body, known))
    elif place is None:
        known = [site.path for site in draft.sites if site.body == item.body]
        findings.mistake(
            f"{label}: there is no point {quoted(item.target)}",
            item.where,
            suggestion(item.target, known),
        )
    elif place.body != item.body:
        findings.mistake(
            f"{label}: point {quoted(item.target)} is not on body {quoted(item.body)}",
            item.where,
            "Choose a point of the same body.",
        )
