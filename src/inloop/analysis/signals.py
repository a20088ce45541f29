"""Signals of a plant by name, computed for rows of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.analysis.reduction import Reduction, none_if_empty
from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.readings import readings, sense_motion

RATES = {"q": "q", "qd": "v", "qdd": "a"}
AXES = {f"{kind}{axis}": (kind, k) for kind in ("", "v", "a") for k, axis in enumerate("xyz")}


def signals(reduction: Reduction, names: Sequence[str], state: dict[str, Array]) -> Array:
    """Values of signals, shape (N, names).

    Args:
        reduction: the plant.
        names: "<joint>.q", ".qd", ".qdd"; "<driven joint>.effort"; "lam.<row>"; states of force
            laws, "<law>.<state>", and their outputs; signals of sensors; "<point>.x", "y", "z" for
            its position, "vx", … for its velocity, "ax", … for its acceleration, in world axes.
        state: closed q, and v, a, lam, effort and z as `Reduction.motion` returns them; also u and
            t where outputs of laws depend on them.
    """
    observed = {output.name for output in reduction.plant.mechanism.law_outputs}
    known: dict[str, Array] = {}
    if observed.intersection(names):
        given = {key: none_if_empty(state[key]) for key in ("z", "u") if key in state}
        plant, t = reduction.plant, state.get("t", np.zeros(()))
        known = plant.law_outputs(state["q"], state["v"], t=float(t), **given)
    if {signal.name for signal in reduction.plant.mechanism.sensor_signals}.intersection(names):
        known |= _sensed(reduction, state)
    columns = [known[n] if n in known else _signal(reduction, n, state) for n in names]
    return np.stack(columns, axis=1) if columns else np.zeros((len(state["q"]), 0))


def _sensed(reduction: Reduction, state: dict[str, Array]) -> dict[str, Array]:
    """Sensor readings for rows of states with known motion."""
    plant = reduction.plant
    more: dict[str, Any] = {}
    if sense_motion(plant):
        more = {"qdd": state["a"], "lam": plant.formulation.on_all_rows(state["lam"])}
    more |= {key: none_if_empty(state[key]) for key in ("z", "u") if key in state}
    t = float(state.get("t", np.zeros(())))
    return readings(plant, q=state["q"], qd=state["v"], t=t, **more)


def _signal(reduction: Reduction, name: str, state: dict[str, Array]) -> Array:
    plant = reduction.plant
    if name in reduction.states:
        return state["z"][:, reduction.states.index(name)]
    head, _, tail = name.rpartition(".")
    if head in plant.coordinates and tail in RATES:
        return state[RATES[tail]][:, plant.coordinates.index(head)]
    driven, rows = plant.formulation.driven, plant.formulation.row_names
    if tail == "effort" and head in driven:
        return state["effort"][:, driven.index(head)]
    if name.startswith("lam.") and name[4:] in rows:
        return state["lam"][:, rows.index(name[4:])]
    if head and tail in AXES:
        return _of_point(reduction, head, tail, state)
    raise InputError(
        f"model '{plant.name}' has no signal '{name}'",
        fix="Write '<joint>.q', '.qd' or '.qdd', '<driven joint>.effort', 'lam.<row>', or "
        "'<point>.x', '.vx' or '.ax'.",
    )


def _of_point(reduction: Reduction, path: str, tail: str, state: dict[str, Array]) -> Array:
    kind, axis = AXES[tail]
    plant = reduction.plant
    plant.mechanism.point(path)  # raises for unknown names
    if kind == "":
        pose = plant.sensors.function(path, "pose")
        return reduction.evaluate(pose, q=state["q"])["p"][:, axis]
    found = reduction.evaluate(
        plant.sensors.function(path, "motion"), q=state["q"], qd=state["v"], qdd=state["a"]
    )
    return found["v" if kind == "v" else "acc"][:, axis]
