"""Names of the quantities by which the motion of a plant can be differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inloop.errors import InputError, name_hint
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.variation.balance import Roles
from inloop.plant.bare_plant import BarePlant

TIME = "t"  # among the varied quantities


def roles_of(plant: BarePlant, partition: Partition | None = None) -> Roles:
    """Roles of the coordinates of a plant; optionally with another choice of independent ones."""
    formulation = plant.formulation
    if partition is not None and partition != formulation.partition:
        formulation = formulation.with_partition(partition)
    positions = _without_holds(plant, formulation.position_roles)
    return Roles(formulation.partition, positions, formulation.unconstrained)


def _without_holds(plant: BarePlant, roles: Partition) -> Partition:
    """Roles of positions, in which joints held in place keep free positions."""
    mechanism = plant.mechanism
    if not (mechanism.locks or mechanism.couplings):
        return roles
    d = plant.equations.fresh_derivation()
    rows = ClosedLoops(d, plant.equations.external_forces).rows
    closing = [k for k, row in enumerate(roles.rows) if rows[row].h is not d.graph.zero]
    held = [k for place, k in enumerate(roles.dependent) if place not in closing]
    return replace(
        roles,
        independent=(*roles.independent, *held),
        dependent=tuple(roles.dependent[k] for k in closing),
        rows=tuple(roles.rows[k] for k in closing),
    )


def state_names(plant: BarePlant, roles: Roles) -> tuple[str, ...]:
    """Names of x: free positions and velocities, states of laws, quaternions."""
    names, free = plant.coordinates, roles.velocities.independent
    return (
        *(f"{names[k]}.q" for k in free),
        *(f"{names[k]}.qd" for k in free),
        *(state.name for state in plant.mechanism.states),
        *(f"{names[k]}.q" for k in roles.led),
        *plant.positions[plant.n :],
    )


def varied_names(plant: BarePlant) -> tuple[str, ...]:
    """Live parameters, efforts of joints that are not driven, and inputs."""
    led = {f"{plant.coordinates[k]}.tau" for k in plant.formulation.driven_indices}
    efforts = (f"{name}.tau" for name in plant.coordinates if f"{name}.tau" not in led)
    return (*plant.parameters, *efforts, *plant.inputs)


def check_varied(plant: BarePlant, names: Sequence[str]) -> None:
    """Check that all names are live parameters, efforts of joints that are not driven, or inputs.

    Raises:
        InputError: one is not.
    """
    known = varied_names(plant)
    for name in names:
        if name not in known:
            raise InputError(
                f"model '{plant.name}' has no live parameter or input '{name}'",
                fix=name_hint(name, known),
            )


def refuse_rough(plant: BarePlant, *, contacts_known: bool = False) -> None:
    """Refuse plants whose motion has no derivatives here.

    Args:
        plant: the compiled mechanism.
        contacts_known: the caller handles the events of declared hard contacts.

    Raises:
        InputError: the motion is not supported; the message gives the reason.
    """
    why, fix = "", "Leave out sensitivities, or use finite differences of runs."
    mechanism = plant.mechanism
    if mechanism.hard_contacts and not contacts_known:
        why = "has hard contacts, whose impacts and friction are not smooth"
        fix = "Write them as modes with an impact, or as stiff contacts with short steps."
        if mechanism.found_contacts:
            why = f"detects hard contact '{mechanism.found_contacts[0].name}' at run time"
            fix = "Declare contacts of points or spheres with a plane, or use stiff contacts."
        elif mechanism.pile is not None:
            why = "has a pile, whose contacts are detected at run time"
        elif plant.by_mode:
            why = "has hard contacts and modes"
    elif plant.formulation.method is not None:
        why = "has six coordinates for each body (formulation='redundant')"
    elif plant.mechanism.attitudes and not plant.formulation.unconstrained:
        why = "has loops or drives as well as ball joints"
    elif plant.mechanism.controller is not None:
        why = "has a controller of its own, which is sampled"
    if why:
        raise InputError(
            f"model '{plant.name}' {why}: exact derivatives of its motion are not available",
            fix=fix,
        )
