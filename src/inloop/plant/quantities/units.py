"""Units of the signals of a run, from what the model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.formalisms.loops.cut_forces import CARRY_MOMENTS

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

ENERGIES = ("energy.kinetic", "energy.potential", "energy.total")
# of the multiplier of a user's constraint, by the unit of the constraint
OF_MULTIPLIERS = {"m": "N", "m/s": "N", "rad": "N·m", "rad/s": "N·m"}


def signal_units(plant: BarePlant) -> dict[str, str]:
    """Unit by name of signal; states of force laws have none."""
    units = {"t": "s", **dict.fromkeys(ENERGIES, "J")}
    for body in plant.mechanism.bodies:
        for kind, unit in body.joint.kind.dimension.units.items():
            units[f"{body.joint.name}.{kind}"] = unit
    units |= dict.fromkeys(plant.positions[plant.n :], "1")  # components of quaternions
    given = {c.name: OF_MULTIPLIERS.get(c.unit, "") for c in plant.mechanism.constraints}
    for item in plant.mechanism.couplings:
        at = item.reference
        joint = None if at is None else plant.mechanism.bodies[at].joint
        given[item.name] = "" if joint is None else joint.kind.dimension.effort
    for name in plant.formulation.rows.names:
        element, _, direction = name.partition(".")
        turns = direction.startswith(("turn", "tilt"))
        units[f"lam.{name}"] = given.get(element, "N·m" if turns else "N")
    for lock in plant.mechanism.locks:
        joint = plant.mechanism.bodies[lock.body].joint
        units[f"lam.{lock.name}.hold"] = joint.kind.dimension.effort
    for axis in "xyz":
        for loop in plant.mechanism.loops:
            units[f"{loop.name}.force.{axis}"] = units[f"{loop.name}.tension"] = "N"
            units[f"{loop.name}.torque.{axis}"] = "N·m"
        for joint_name in plant.coordinates:
            units[f"{joint_name}.force.{axis}"] = "N"
            units[f"{joint_name}.moment.{axis}"] = "N·m"
    units |= plant.mechanism.coupled_efforts
    units |= {output.name: output.unit for output in plant.mechanism.law_outputs}
    return units | {signal.name: signal.unit for signal in plant.mechanism.sensor_signals}


def cut_signals(plant: BarePlant) -> list[str]:
    """Names of what results tell of cuts and couplings: forces, torques, tensions, efforts."""
    names = []
    for loop in plant.mechanism.loops:
        kinds = ("force", "torque") if loop.kind in CARRY_MOMENTS else ("force",)
        names += [f"{loop.name}.{kind}.{axis}" for kind in kinds for axis in "xyz"]
        names += [f"{loop.name}.tension"] if loop.kind == "rod" else []
    return [*names, *plant.mechanism.coupled_efforts]
