"""Check that mass and inertia are physically possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inloop.model.bounds import Bounded
from inloop.model.checks.findings import Findings
from inloop.model.draft import BodyDraft, Draft
from inloop.model.geometry import entries
from inloop.model.laws.coefficients import NOT_NEGATIVE
from inloop.model.names import quoted
from inloop.model.parameters import Defaults
from inloop.symbolic import Expr

TOLERANCE = 1e-6  # relative to the sum of the principal moments


def check_inertia(draft: Draft, defaults: Defaults, findings: Findings) -> None:
    """Report physically impossible masses and inertias, at the default parameters."""
    for body in draft.bodies:
        scalars = (body.mass, body.joint.armature, *entries(body.inertia))
        values = defaults.of(scalars)
        # non-finite values have been reported already
        if values is None or not np.all(np.isfinite(values)):
            continue
        mass, armature, *inertia = values
        _check_signs(body, mass, armature, findings)
        _check_moments(body, mass, np.array(inertia).reshape(3, 3), draft.strict_inertia, findings)


def bounded_masses(draft: Draft) -> Iterator[Bounded]:
    """Masses and armatures that are expressions, with their bounds."""
    for body in draft.bodies:
        for quantity, value in (("mass", body.mass), ("armature", body.joint.armature)):
            if isinstance(value, Expr):
                what = f"body {quoted(body.name)}: {quantity}"
                yield Bounded(value, NOT_NEGATIVE, what, body.where)


def _check_signs(body: BodyDraft, mass: float, armature: float, findings: Findings) -> None:
    if mass < 0.0:
        findings.mistake(
            f"body {quoted(body.name)}: mass must be >= 0 kg, got {mass:g}",
            body.where,
            "Check its sign and the defaults of its parameters.",
        )
    if armature < 0.0:
        findings.mistake(
            f"body {quoted(body.name)}: armature must be >= 0, got {armature:g}",
            body.where,
            "It is the inertia of the drive as seen at the joint: gear ratio squared times "
            "rotor inertia.",
        )


def _check_moments(
    body: BodyDraft, mass: float, inertia: np.ndarray, strict: bool, findings: Findings
) -> None:
    label = f"body {quoted(body.name)}"
    if mass == 0.0 and inertia.any():
        findings.doubt(
            strict,
            f"{label}: has inertia but no mass",
            body.where,
            "Give it a mass; the inertia of a drive belongs in the joint's armature.",
        )
    small, middle, large = (float(moment) for moment in np.linalg.eigvalsh(inertia))
    tolerance = TOLERANCE * (abs(small) + abs(middle) + abs(large))
    if small < -tolerance:
        findings.doubt(
            strict,
            f"{label}: inertia is not positive semidefinite, a principal moment is {small:g} kg·m²",
            body.where,
            "Check the signs, and that the products are not larger than the moments allow.",
        )
    elif small + middle < large - tolerance:
        findings.doubt(
            strict,
            f"{label}: inertia violates the triangle inequality, principal moments "
            f"{small:g} + {middle:g} < {large:g} kg·m²",
            body.where,
            "Two principal moments must together exceed the third; check the units, and that the "
            "inertia is taken about the center of mass.",
        )
