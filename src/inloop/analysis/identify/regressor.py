"""The regressor of inverse dynamics of a plant: tau = Y(q, qd, qdd) π."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.analysis.identify.closing import Closing, Motion
from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, reals
from inloop.plant.inertias import InertialParameters, inertial_parameters, regressor_of
from inloop.plant.keywords import checked_call

FRICTION = ("viscous", "coulomb", "offset")  # kinds, in the order of their columns


@dataclass(frozen=True)
class Regressor:
    """Y(q, qd, qdd) with named columns: `regressor(q, qd, qdd) @ values` are efforts.

    Ten columns for each body: "<body>.mass" [kg], "<body>.mc.x" … [kg·m], the first moment, and
    "<body>.J.xx" … [kg·m²], the matrix entries of the inertia about the origin of the body frame,
    in its axes. That frame is the one of the joint: it lies where the body hangs. Then, where they
    were asked for, one column for each joint: "<joint>.armature", and efforts against the motion,
    "<joint>.viscous" times qd, "<joint>.coulomb" with the sign of qd, "<joint>.offset".

    In a mechanism with loops the rows are those of the measured coordinates, and all parts of
    the efforts count that act along them (see `closing`).

    Attributes:
        plant: the compiled mechanism.
        names: names of the columns.
        units: units of the parameters.
        values: parameter values of the model; friction is zero.
        inertial: the parameters of the bodies.
        kinds: kinds of columns per joint.
        closing: computes all coordinates from the measured ones.
    """

    plant: BarePlant
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    inertial: InertialParameters
    kinds: tuple[str, ...]
    closing: Closing

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the measured coordinates, which are the rows."""
        return self.closing.names

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y at one state, shape (rows, p), or at many, shape (N, rows, p).

        Args:
            q: positions of the measured coordinates: all of a tree, the independent and driven
                ones of a mechanism with loops. Loops are closed from state to state: give several
                states in the order of the motion.
            qd: their velocities.
            qdd: their accelerations.
        """
        given = [reals(q, "q"), reals(qd, "qd"), reals(qdd, "qdd")]
        single = given[0].ndim == 1
        rows = [self.closing.picked(np.atleast_2d(table)) for table in given]
        Y = self.along(self.closing.complete(*rows))
        return Y[0] if single else Y

    def along(self, motion: Motion) -> Array:
        """Y along a motion that satisfies the loops, shape (N, rows, p)."""
        columns = {"viscous": motion.qd, "coulomb": np.sign(motion.qd), "armature": motion.qdd}
        columns["offset"] = np.ones_like(motion.qd)
        Y = regressor_of(self.plant, motion.q, motion.qd, motion.qdd)
        unit = np.eye(self.plant.n)
        every = np.concatenate([Y, *(columns[kind][..., None] * unit for kind in self.kinds)], -1)
        return motion.along(every)

    def index(self, name: str) -> int:
        """The column of a parameter."""
        return self.names.index(name)


@checked_call
def regressor(
    plant: BarePlant, *, armature: bool = True, friction: str | Sequence[str] = ()
) -> Regressor:
    """The regressor of inverse dynamics.

    Args:
        plant: the compiled mechanism, without modes and flexible links.
        armature: add a column for the armature of each joint.
        friction: kinds of friction columns per joint: "viscous", "coulomb" and "offset", which
            allows dry friction to depend on the direction; or "all".
    """
    _refuse_others(plant)
    wanted = FRICTION if friction == "all" else name_list(friction, "friction")
    unknown = [kind for kind in wanted if kind not in FRICTION]
    if unknown:
        raise InputError(
            f"no friction '{unknown[0]}'", fix=f'Kinds are: {", ".join(FRICTION)}; or "all".'
        )
    kinds = (*(("armature",) if armature else ()), *(k for k in FRICTION if k in wanted))
    own = inertial_parameters(plant)
    joints = [body.joint for body in plant.mechanism.bodies]
    units = [_unit(kind, joint.kind.dimension.unit) for kind in kinds for joint in joints]
    zero = np.zeros(plant.n)
    return Regressor(
        plant,
        (*own.names, *(f"{joint.name}.{kind}" for kind in kinds for joint in joints)),
        (*own.units, *units),
        np.concatenate([own.values, *(own.armature if k == "armature" else zero for k in kinds)]),
        own,
        kinds,
        Closing(plant),
    )


def _unit(kind: str, coordinate: str) -> str:
    """Unit of a joint's parameter, for a coordinate in rad or m."""
    turns = coordinate == "rad"
    effort = "N·m" if turns else "N"
    of_kind = {"armature": "kg·m²" if turns else "kg", "viscous": f"{effort}·s/{coordinate}"}
    return of_kind.get(kind, effort)


def _refuse_others(plant: BarePlant) -> None:
    """Reject plants whose efforts are not functions of the motion alone."""
    if plant.has_events or plant.mechanism.locks:
        raise InputError(
            f"model '{plant.name}' has modes: its efforts do not follow from its motion",
            fix="Identify one of its modes as a model of its own.",
        )
    if plant.formulation.method is not None:
        raise InputError(
            f"model '{plant.name}' has six coordinates for each body (formulation='redundant')",
            fix="Compile it without formulation= to identify it.",
        )
    if plant.mechanism.states:
        raise InputError(
            f"model '{plant.name}': state '{plant.mechanism.states[0].name}' of a force law "
            "cannot be determined from motion and efforts",
            fix="Identify the mechanism without this law; friction= adds columns for friction.",
        )
