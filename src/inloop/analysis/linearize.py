"""Linearization about a state: δxd = A δx + B δw, δy = C δx + D δw.

x = (q_ind, qd_ind, z, q_led) with z the states of force laws, and q_led the positions of
coordinates with dependent velocities that nonholonomic constraints leave free. For a ball joint
with angular velocity om, small rotations δ in body axes obey δd = δom - om × δ. For trees, the
accelerations' derivatives by coordinates, velocities and efforts come from generated code.
Everything else comes from central differences of the constrained motion, extrapolated to step zero
(see `differences`). Velocities and accelerations are varied in natural units (see
`simulate.scales`), named inputs by fractions of their own unit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.analysis.at_rest import not_at_rest
from inloop.analysis.differences import FIRST_STEP, derivative, rough_columns
from inloop.analysis.law_states import state_vector
from inloop.analysis.reduction import Reduction, input_vector, none_if_empty
from inloop.analysis.signals import signals
from inloop.analysis.small_motion import Complex
from inloop.analysis.unknowns import Setting
from inloop.errors import InputError, SimulationError, first_of
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, real
from inloop.plant.keywords import checked_call
from inloop.simulate.start import Given, vector


@dataclass(frozen=True)
class Linear:
    """Linear state-space equations about a state.

    Attributes:
        A, B, C, D: the state-space matrices.
        states, inputs, outputs: names of the entries of x, w and y.
        q, qd: the operating point, all coordinates.
        z: states of force laws at the operating point.
        rates: xd at the operating point; zero at an equilibrium.
        error: estimated maximum error of the entries computed by finite differences; a warning
            names variables in which the motion is not smooth.
        step: largest step of these differences, in natural units.
        notes: a note if velocities are zero, but the state is not an equilibrium: eigenvalues are
            then not those of a vibration.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Array
    qd: Array
    z: Array
    rates: Array
    error: float
    step: float = FIRST_STEP
    notes: tuple[str, ...] = ()

    @property
    def eigenvalues(self) -> Complex:
        """Eigenvalues of A [1/s]."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    def response(self, frequency: Sequence[float] | Array) -> Complex:
        """Transfer matrix C (iω - A)⁻¹ B + D, shape (frequencies, outputs, inputs).

        Args:
            frequency: [Hz].
        """
        s = 2j * np.pi * np.asarray(frequency, dtype=np.float64)[:, None, None]
        inner = np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B)
        return np.asarray(self.C @ inner + self.D)


@dataclass
class _State:
    """A state with the loads acting on it; each attribute has one row or many."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    z: Array
    u: Array

    def rows(self, count: int) -> _State:
        return _State(*(np.tile(a, (count, 1)) for a in vars(self).values()))


Place = tuple[str, int]  # attribute of a state, and index in it
EDGE = 1e-3  # error, as a fraction of the largest change of a value, above which to warn


@checked_call
def linearize(
    plant: BarePlant,
    q: Given = None,
    qd: Given = None,
    *,
    tau: Given = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    input_values: Mapping[str, float] | None = None,
    states: Mapping[str, float] | Array | None = None,
    t: float = 0.0,
) -> Linear:
    """Linearize the motion about a state.

    Args:
        plant: the compiled mechanism.
        q: coordinates, by name or as a vector; default: the joints' initial values.
        qd: velocities; those of dependent coordinates are computed.
        tau: joint efforts [N·m or N].
        inputs: names of w: "<joint>.effort", named inputs, and "<driven joint>.q", ".qd", ".qdd",
            which are treated as independent of each other.
        outputs: names of y, see `signals.signals`.
        input_values: values of named inputs.
        states: states of force laws, by name or as a vector; default: their initial values in a
            run. At an equilibrium, pass its own: `states=found.z`.
        t: time in force laws and constraints [s].
    """
    reduction = Reduction(plant)
    at, speed = reduction.state(q, qd)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    u, z = input_vector(plant, input_values), state_vector(plant, states)
    state = _State(at, speed, np.zeros(plant.n), efforts, z, u)
    places = [_place(reduction, name) for name in name_list(inputs, "inputs")]
    outputs, t = name_list(outputs, "outputs"), real(t, "t")
    found, error, edges = _differentiate(reduction, state, places, outputs, t)
    ind = reduction.independent
    size = 2 * len(ind) + len(z) + len(reduction.led)
    if plant.formulation.unconstrained:
        _put_exact(reduction, state, t, places, (found, error))
    now = reduction.motion(at[None], speed[None], state.qdd[None], tau=efforts, z=z, u=u, t=t)
    led = (f"{plant.coordinates[k]}.q" for k in reduction.led)
    moving = tuple(f"{name}.{kind}" for kind in ("q", "qd") for name in reduction.names)
    names = (*moving, *reduction.states, *led)
    rows = (*(f"the rate of {name}" for name in names), *outputs)
    _refuse_nan(plant, found, rows, (*names, *inputs))
    _tell_edges([name for name, edge in zip((*names, *inputs), edges, strict=True) if edge])
    return Linear(
        found[:size, :size], found[:size, size:], found[size:, :size], found[size:, size:],
        states=names, inputs=tuple(inputs), outputs=tuple(outputs),
        q=at, qd=speed, z=z,
        rates=np.concatenate(
            [speed[ind], now["a"][0, ind], now["zd"][0], speed[reduction.led]]
        ),
        error=float(error.max(initial=0.0)),
        notes=_notes(reduction, state, found, t),
    )  # fmt: skip


def _notes(reduction: Reduction, state: _State, found: Array, t: float) -> tuple[str, ...]:
    """Notes on a mechanism with zero velocities that is not at rest."""
    if np.any(state.qd != 0.0):
        return ()
    n, setting = len(reduction.independent), Setting(state.q, state.tau, state.u, state.z, t)
    M, _ = reduction.mass(state.q)
    note = not_at_rest(reduction, setting, reduction.independent, M, -M @ found[n : 2 * n, :n])
    return (f"{note}; `rates` is not zero",) if note else ()


def _differentiate(
    reduction: Reduction, state: _State, places: Sequence[Place], outputs: Sequence[str], t: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Derivatives of (xd, y) by (x, w), their errors, and which columns are not smooth."""
    ind = reduction.independent
    where: list[Place] = [("q", k) for k in ind] + [("qd", k) for k in ind]
    where += [("z", k) for k in range(len(reduction.states))]
    where += [("q", k) for k in reduction.led] + list(places)
    configuration = reduction.plant.configuration

    def function(x: Array) -> Array:
        rows = state.rows(len(x))
        for column, (block, k) in enumerate(where):
            getattr(rows, block)[:, k] = x[:, column]
        coordinates = rows.q[:, : reduction.plant.n]
        at = reduction.close(configuration.placed(state.q, coordinates), t)
        found = reduction.motion(at, rows.qd, rows.qdd, tau=rows.tau, z=rows.z, u=rows.u, t=t)
        shown = {"q": at, "z": rows.z, "u": rows.u, "t": np.array(t), **found}
        y = signals(reduction, outputs, shown)
        speeds = configuration.variation_rates(configuration.difference(at, state.q), found["v"])
        led = speeds[:, reduction.led]
        return np.concatenate([speeds[:, ind], found["a"][:, ind], found["zd"], led, y], axis=1)

    start = np.array([getattr(state, block)[k] for block, k in where])
    if not len(start):
        nothing = np.zeros((len(outputs), 0))
        return nothing, nothing, np.zeros(0, dtype=np.bool_)
    sizes = _sizes(reduction, function, start, where)
    found, error = derivative(function, start, sizes)
    return found, error, rough_columns(found * sizes, error * sizes, EDGE)


def _sizes(
    reduction: Reduction, function: Callable[[Array], Array], x: Array, where: Sequence[Place]
) -> Array:
    """Natural sizes of all variables."""
    count = 2 * len(reduction.independent) + len(reduction.states) + len(reduction.led)
    natural = reduction.scales(lambda state: function(_put(x, state)[None])[0, :count], x[:count])
    power = {"q": 0, "qd": 1, "qdd": 2}
    given = [
        reduction.sizes[k] * natural.rate ** power[block] if block in power else 1.0
        for block, k in where[count:]
    ]
    return np.concatenate([natural.sizes, given])


def _put(x: Array, state: Array) -> Array:
    """x with its states replaced and its inputs kept."""
    return np.concatenate([state, x[len(state) :]])


def _refuse_nan(
    plant: BarePlant, found: Array, rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Raise if a derivative is not finite."""
    bad = np.argwhere(~np.isfinite(found))
    if len(bad):
        row, column = (int(k) for k in bad[0])
        raise SimulationError(
            f"model '{plant.name}' cannot be linearized here: {rows[row]} has no finite "
            f"derivative with respect to {columns[column]}",
            fix="Choose another position: a law divides by a zero length or leaves its domain, "
            "or a joint moves no mass.",
        )


def _tell_edges(names: Sequence[str]) -> None:
    """Warn about variables in which the motion is not smooth; exact derivatives do not show it."""
    if names:
        warnings.warn(
            f"the motion is not smooth in {first_of(names, 4)} at this state, for "
            "example where dry friction or a contact switches: derivatives there are not "
            "reliable",
            stacklevel=4,
        )


def _put_exact(
    reduction: Reduction,
    state: _State,
    t: float,
    places: Sequence[Place],
    result: tuple[Array, Array],
) -> None:
    """Replace finite differences of a tree by its generated derivatives.

    Args:
        reduction: the plant.
        state: the operating point.
        t: time [s].
        places: the inputs.
        result: derivatives of (xd, y) by (x, w), and their errors; changed in place.
    """
    n, size = reduction.plant.n, 2 * reduction.plant.n + len(reduction.states)
    given = {"z": none_if_empty(state.z), "u": none_if_empty(state.u), "t": t}
    given |= {"q": state.q, "qd": state.qd, "tau": state.tau}
    exact = reduction.plant.evaluate("direct_dynamics_derivatives", ready=True, **given)
    columns = {range(n): exact["dqdd_dq"], range(n, 2 * n): exact["dqdd_dqd"]}
    for column, (block, k) in enumerate(places):
        if block == "tau":
            columns[range(size + column, size + column + 1)] = exact["dqdd_dtau"][:, [k]]
    found, error = result
    if not reduction.plant.configuration.turned:
        found[:n, :size], found[:n, n : 2 * n] = 0.0, np.eye(n)
        error[:n] = 0.0
    for where, values in columns.items():
        found[n : 2 * n, where] = values
        error[n : 2 * n, where] = 0.0


def _place(reduction: Reduction, name: str) -> Place:
    """Location of an input in a state."""
    plant = reduction.plant
    joint, _, kind = name.rpartition(".")
    if joint in plant.coordinates:
        k = plant.coordinates.index(joint)
        driven = k in reduction.driven
        if kind == "effort" and not driven:
            return "tau", k
        if kind in ("q", "qd", "qdd") and driven:
            return kind, k
    if name in plant.inputs:
        return "u", plant.inputs.index(name)
    known = ", ".join((*plant.inputs[:8], *(f"{name}.effort" for name in reduction.names[:8])))
    raise InputError(
        f"'{name}' is not an input of model '{plant.name}'",
        fix=f"Inputs are: {known}; '.q', '.qd' and '.qdd' of driven joints.",
    )
