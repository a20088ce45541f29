"""Forces and moments that the joints of a plant transmit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant


def joint_reactions(
    plant: BarePlant,
    q: Any,
    qd: Any,
    qdd: Any = None,
    lam: Any = None,
    tau: Any = None,
    **others: Any,
) -> dict[str, Array]:
    """Reactions by name, from given accelerations or from those that the efforts produce.

    Args:
        plant: the compiled mechanism.
        q: coordinates; a closed position for a mechanism with loops.
        qd: velocities.
        qdd: accelerations; if not given, those under the efforts `tau`, and dependent
            coordinates and velocities of a mechanism with loops follow from the others.
        lam: multipliers of the rows in use, with given accelerations of a mechanism with loops.
        tau: joint efforts, zero if not given.
        others: z, u, t.

    Returns:
        "<joint>.force" [N] and "<joint>.moment" [N·m], shape (3,) or (N, 3).
    """
    if qdd is None:
        q, qd, qdd, lam = _motion(plant, q, qd, tau, others)
    elif lam is None and plant.formulation.rows.names:
        raise InputError(
            "joint_reactions needs the multipliers that belong to the given accelerations",
            fix="Give lam as well, or leave out qdd: both then follow from the efforts.",
        )
    if lam is not None:
        others["lam"] = plant.formulation.on_all_rows(np.asarray(lam))
    found = plant.evaluate("joint_reactions", ready=True, q=q, qd=qd, qdd=qdd, **others)
    return {
        f"{name}.{kind}": found[kind][..., k, :]
        for k, name in enumerate(plant.coordinates)
        for kind in ("force", "moment")
    }


def _motion(
    plant: BarePlant, q: Any, qd: Any, tau: Any, others: dict[str, Any]
) -> tuple[Array, Array, Array, Array]:
    """Position, velocities, accelerations and multipliers under given efforts."""
    efforts = np.zeros(plant.n) if tau is None else np.asarray(tau, dtype=np.float64)
    if np.ndim(q) != 1 and not plant.formulation.unconstrained:
        raise InputError(
            "joint_reactions takes one state of a mechanism with loops at a time",
            fix="Give qdd and lam for many states, or simulate with reactions=...",
        )
    found = plant.formulation.motion(np.asarray(q), np.asarray(qd), efforts, **others)
    return found["q"], found["v"], found["a"], found["lam"]
