"""Derivatives of the equations of a tree by its live parameters, at a state."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inloop.plant.engine import Array
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant


def parameter_derivatives(
    plant: BarePlant, names: Sequence[str], q: Any, qd: Any, *, qdd: Any, tau: Any
) -> dict[str, Array]:
    """∂tau/∂p and ∂qdd/∂p, one column per name.

    Their functions are derived when they are first asked for.

    Args:
        plant: of a mechanism without loops and drives.
        names: of live parameters.
        q: coordinates.
        qd: velocities.
        qdd: accelerations, for ∂tau/∂p.
        tau: joint efforts, for ∂qdd/∂p.
    """
    for name in names:
        plant.parameters[name]  # complains about unknown names
    key = hashlib.sha256(json.dumps(list(names)).encode()).hexdigest()[:8]
    kinds = (f"inverse_dynamics_by_{key}", f"direct_dynamics_by_{key}")

    def derive() -> list[Program]:
        programs = plant.equations.derivation.parameter_derivatives(names)
        return [
            Program(kind, p.inputs, p.outputs, p.doc, p.formalism)
            for kind, p in zip(kinds, programs, strict=True)
        ]

    for kind in kinds:
        plant.equations.offer(kind, derive)
    first = plant.evaluate(kinds[0], q=q, qd=qd, qdd=qdd)
    return {**first, **plant.evaluate(kinds[1], q=q, qd=qd, tau=tau)}
