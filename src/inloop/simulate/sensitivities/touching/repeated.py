"""Derivatives of a run with hard contacts along directions that share a pass."""

from __future__ import annotations

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.variation.names import TIME, refuse_rough, roles_of
from inloop.plant.variation.touched_system import TouchedSystem
from inloop.plant.variation.varied_system import VariedSamples
from inloop.simulate.inputs import input_rates, read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.sensitivities.derived import Derived
from inloop.simulate.sensitivities.directions import Directions, start_changes
from inloop.simulate.sensitivities.event_changes import Moment, Surroundings
from inloop.simulate.sensitivities.run_arguments import (
    TOUCHING,
    RunArguments,
    check_same,
    refuse_steps,
)
from inloop.simulate.sensitivities.touching.phase import Phase
from inloop.simulate.sensitivities.touching.touched_run import TouchedRun
from inloop.simulate.start import first_internal_states, vector


def has_known_contacts(plant: BarePlant) -> bool:
    """True if a plant has hard contacts, all of them declared."""
    mechanism = plant.mechanism
    declared = mechanism.declared_contacts
    return bool(declared) and len(declared) == len(mechanism.hard_contacts) and not plant.by_mode


def refuse_touched(plant: BarePlant, result: Result, arguments: RunArguments) -> None:
    """Refuse contacts and runs without derivatives here.

    Raises:
        InputError: says why.
    """
    refuse_rough(plant, contacts_known=True)
    refuse_steps(plant, result, arguments, TOUCHING)
    why, fix = "", "Leave out sensitivities, or use finite differences of runs."
    for contact in plant.mechanism.declared_contacts:
        if getattr(contact.law, "stiffness", None) is not None:
            why, fix = f"contact '{contact.name}' is compliant", "Leave out its stiffness."
        elif getattr(contact.law, "impacts", "newton") != "newton" and not _alone(plant):
            why = f"impacts of contact '{contact.name}' are Poisson's"
            fix = 'Write impacts="newton".'
    if TouchedSystem.reads_reactions(plant):
        why = "a law uses reactions, which include contact forces"
    if why:
        raise InputError(
            f"sensitivities: the run of model '{plant.name}' has hard contacts, and {why}", fix=fix
        )


def _alone(plant: BarePlant) -> bool:
    """Whether a plant has a single frictionless contact: Poisson's impacts equal Newton's there."""
    first, *more = plant.mechanism.declared_contacts
    return not more and not getattr(first.law, "rubs", True)


def touched(
    plant: BarePlant, result: Result, directions: Directions, arguments: RunArguments
) -> Derived:
    """Derivatives along directions that share a pass.

    Raises:
        SimulationError: the run has no derivative, or cannot be repeated.
    """
    inputs = read_inputs(plant, arguments.inputs or {})
    rates = input_rates(plant, arguments.inputs or {})
    tau = vector(plant, arguments.tau, [0.0] * plant.n, "tau")
    moving = [plant.inputs[k] for k in rates.places if plant.inputs[k] not in directions.varied]
    varied = (*directions.varied, *moving, TIME)
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    system = TouchedSystem.touched(plant, roles, varied)
    asked, count = len(directions.varied), len(directions.names)
    dg = np.vstack([directions.of_varied(), np.zeros((len(varied) - asked, count))])
    name = plant.name
    around = Surroundings(
        {name: plant}, {name: inputs}, {name: rates}, {name: tau}, varied, dg, asked
    )
    u = inputs.at(0.0)
    state = system.packed(result.q[0], result.qd[0], first_internal_states(plant, u))
    dx = start_changes(system, directions, (0.0, u, tau), state, arguments, dg)
    sizes = [abs(plant.parameters[n]) or 1.0 if n in plant.parameters else 1.0
             for n in directions.names]  # fmt: skip
    run = TouchedRun(Phase(system, around), result.t, directions.names, sizes)
    run.go(Moment(0.0, *state, dx))
    samples = VariedSamples(
        *(np.array([getattr(row, part) for row in run.rows]) for part in ("x", "dep", "dx"))
    )
    constant = inputs.function is None
    given = inputs.constant if constant else inputs.over(result.t)
    y, dy = system.observe_samples(result.t, given, tau, samples, dg)
    observed = system.code.observed
    apart = check_same(name, result, dict(zip(observed, y.T, strict=True)))
    # forces of a result are means over its steps, not those at its samples
    kept = [k for k, signal in enumerate(observed) if signal not in system.force_signals]
    switches = tuple(s for s in system.code.switches if s not in system.contacts)
    return Derived(tuple(observed[k] for k in kept), dy[:, kept], switches, apart)
