"""Values: finite at the default parameters, functions of parameters only, valid rotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from inloop.model.bounds import FIX
from inloop.model.checks.findings import Findings
from inloop.model.checks.quantities import symbols_of
from inloop.model.draft import Draft, LawDraft
from inloop.model.geometry import Scalar, entries
from inloop.model.laws.tracing import symbols_in
from inloop.model.names import quoted
from inloop.model.parameters import Defaults
from inloop.model.units import is_si
from inloop.symbolic import Expr

ROTATION_TOLERANCE = 1e-6
Quantity = tuple[str, str, str, Sequence[Scalar]]  # element, quantity, where, values


def check_units(draft: Draft, findings: Findings) -> None:
    """Note units that are not SI, since nothing is converted."""
    for parameter in draft.parameters:
        if not is_si(parameter.unit):
            findings.notes.append(
                f"parameter {quoted(parameter.name)} is in {parameter.unit}: equations use the "
                "number unchanged, so convert it to SI where it is used"
            )


def check_numbers(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report expressions that are not finite or use symbols other than parameters."""
    for element, quantity, where, scalars in _quantities(draft):
        foreign = [s for s in symbols_of(scalars) if not defaults.knows(s)]
        if foreign:
            findings.mistake(
                f"{element}: {quantity} uses {quoted(foreign[0].name)}, which is not a parameter",
                where,
                "Only parameters are allowed here; inputs and time belong in force laws.",
            )
            continue
        values = defaults.of(scalars) or ()
        wrong = [value for value in values if not math.isfinite(value)]
        if wrong:
            findings.mistake(
                f"{element}: {quantity} is {wrong[0]} at the default parameters",
                where,
                "Every number must be finite; change the expression or the defaults.",
            )
        elif quantity == "rotation":
            _check_rotation(element, where, values, findings)


def check_bounds(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report expressions of parameters that are out of bounds at the defaults."""
    for item in draft.bounded:
        values = defaults.of((item.value,))
        if values is not None and not item.bound.holds(values[0]):
            problem = f"{item.what} must be {item.bound.words}, got {values[0]:g}"
            findings.mistake(f"{problem} at the default parameters", item.where, FIX)


def check_joints(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report joint functions that use more than q and parameters."""
    for body in draft.bodies:
        label = f"body {quoted(body.name)}"
        for name, (traced, _) in body.joint.kind.functions().items():
            known = (s is traced.q or defaults.knows(s) for s in symbols_of(traced.values))
            if not all(known):
                findings.mistake(
                    f"{label}: {name} of the joint uses more than q and parameters",
                    body.where,
                    "Only these may determine the pose of a body; for a motion over time, use "
                    "drive(...).",
                )


def check_laws(draft: Draft, findings: Findings) -> None:
    """Report laws that use symbols of other laws, and motions that depend on inputs."""
    parameters = {p.symbol for p in draft.parameters}
    known = parameters | {i.symbol for i in draft.inputs}
    for law in draft.laws:
        own = {*symbols_in(law.symbols.values()), *(state.symbol for state in law.states)}
        own.update(symbol for item in law.quantities for symbol in item.symbols)
        rates = (state.rate for state in law.states)
        outputs = (output.value for output in law.outputs)
        written = symbols_of((*law.components, *rates, *outputs))
        foreign = [s for s in written if s not in own | known]
        if foreign:
            findings.mistake(
                f"{law.kind} {quoted(law.name)}: the law uses {quoted(foreign[0].name)}, which is "
                "neither its argument nor a parameter or input",
                law.where,
                "Take it as an argument, or declare it with parameter(...) or input(...).",
            )
        _note_turns(draft, law, set(written), findings)
    for label, where, rows, own in _motions(draft):
        foreign = [s for s in symbols_of(rows) if s not in own | parameters]
        if foreign:
            findings.mistake(
                f"{label}: the law uses {quoted(foreign[0].name)}, which is neither its argument "
                "nor a parameter",
                where,
                "It is differentiated twice, so inputs and other laws cannot be used.",
            )


def _note_turns(draft: Draft, law: LawDraft, written: set[Expr], findings: Findings) -> None:
    """Note laws that use a turn of a ball joint as a position."""
    read = law.symbols.get("q", ())
    symbols = read if isinstance(read, tuple) else (read,)
    # other laws have no q, or not one per target
    for target, symbol in zip(law.targets, symbols, strict=False):
        body = draft.body_of_joint(target)
        if body is not None and body.joint.kind.part is not None and symbol in written:
            findings.notes.append(
                f"{law.kind} {quoted(law.name)} uses q of {quoted(body.joint.name)}, which "
                "counts turns about an axis of a body on a ball joint; its attitude is given "
                "by the quaternion"
            )


def _motions(draft: Draft) -> Iterator[tuple[str, str, Sequence[Scalar], set[Expr]]]:
    """Yield label, location, rows and placeholders of constraints and prescribed motions."""
    for item in draft.constraints:
        label = f"constraint {quoted(item.name)}"
        yield (
            label,
            item.where,
            item.rows,
            {draft.time, *item.q.values(), *(item.qd or {}).values()},
        )
    for drive in draft.drives:
        if drive.position is not None:
            label = f"drive {quoted(drive.joint)}"
            yield label, drive.where, (drive.position,), {draft.time}


def _quantities(draft: Draft) -> Iterator[Quantity]:
    yield f"model {quoted(draft.name)}", "gravity", draft.where, draft.gravity
    for body in draft.bodies:
        label = f"body {quoted(body.name)}"
        yield label, "mass", body.where, (body.mass,)
        yield label, "com", body.where, body.com
        yield label, "inertia", body.where, tuple(entries(body.inertia))
        yield label, "armature", body.where, (body.joint.armature,)
        for name, (value, _) in body.joint.kind.numbers().items():
            yield label, name, body.where, (value,)
    for site in draft.sites:
        label = f"{site.kind} {quoted(site.path)}"
        yield label, "position", site.where, site.pose.p
        yield label, "rotation", site.where, tuple(entries(site.pose.R))
    for loop in draft.loops:
        word = "length" if loop.kind == "rod" else "radius"
        yield f"loop {quoted(loop.name)}", word, loop.where, (loop.length,)
    for item in draft.couplings:
        for joint, factor in item.factors:
            yield item.label, f"factor of {quoted(joint)}", item.where, (factor,)
        if item.offset is not None:
            yield item.label, "offset", item.where, (item.offset,)


def _check_rotation(element: str, where: str, values: Sequence[float], findings: Findings) -> None:
    R = np.array(values).reshape(3, 3)
    error = float(abs(R @ R.T - np.eye(3)).max())
    if error > ROTATION_TOLERANCE:
        findings.mistake(
            f"{element}: rotation is not orthonormal, R Rᵀ is off by {error:.1e}",
            where,
            "Write all digits of the matrix, or use rpy(...) or axis_angle(...).",
        )
    elif np.linalg.det(R) < 0.0:
        findings.mistake(
            f"{element}: rotation is a reflection, its determinant is -1",
            where,
            "Use a right-handed frame: change the sign of one axis.",
        )
