"""The motion of driven joints in a run: from the model, or replaced by the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.time_functions import TimeFunction, motions_over_time


@dataclass(frozen=True)
class Drives:
    """Motion of all driven joints of a plant.

    Attributes:
        given: q of the joints whose motion the run replaces, then their qd, then their qdd; None if
            all joints move as in the model.
        places: indices of these joints among the driven ones.
    """

    given: TimeFunction | None = None
    places: tuple[int, ...] = ()

    def at(
        self,
        plant: BarePlant,
        t: float,
        u: Array | None,
        z: Array | None = None,
        values: Array | None = None,
    ) -> Array:
        """Positions, velocities and accelerations of the driven joints, shape (3, joints).

        Args:
            plant: the compiled mechanism.
            t: time [s].
            u: inputs.
            z: states of laws and drives.
            values: live parameters; default: those of the plant.
        """
        pre = None if values is None else plant.equations.prepared_for("drives", values)
        found = plant.evaluate("drives", pre=pre, t=t, u=u, z=z)
        motion = np.array([found["qs"], found["qds"], found["qdds"]])
        if self.given is not None:
            motion[:, list(self.places)] = self.given.at(t).reshape(3, -1)
        return motion


def read_drives(plant: BarePlant, motions: Mapping[str, Signal]) -> Drives | None:
    """The motion of the driven joints in a run; None if no joint is driven.

    Args:
        plant: the compiled mechanism.
        motions: functions of time or samples by joint, which replace those of the model.

    Raises:
        InputError: a joint is not driven, or its motion cannot be used.
    """
    driven = plant.formulation.driven
    unknown = [joint for joint in motions if joint not in driven]
    if unknown:
        raise InputError(
            f"{', '.join(unknown)}: not a driven joint of model '{plant.name}'",
            fix="Declare it with m.drive(...).",
        )
    if not driven:
        return None
    if not motions:
        return Drives()
    return Drives(motions_over_time(motions), tuple(driven.index(joint) for joint in motions))
