"""Inverse dynamics along a trajectory, of trees and closed mechanisms (Eqs. 4 and 8).

    Tᵀ (M qdd + c) = Tᵀ Sᵀ tau_a,    J_vᵀ lam = (M qdd + c - tau)_v

with T = ∂q/∂(independent, driven) and S the selection of the actuated joints.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from inloop.analysis.law_states import state_vector
from inloop.analysis.reduction import Reduction, input_vector, none_if_empty
from inloop.analysis.trajectory_notes import branch_changes, contradictions
from inloop.errors import InputError, SimulationError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, reals
from inloop.plant.keywords import checked_call

Trajectory = Mapping[str, Sequence[float] | Array] | Array
DEGREE = 5  # degree of the splines that differentiate a trajectory
PART = 1e-6  # step of the finite difference of a state's rate, relative to its travel
STATE_TOLERANCE = 1e-10  # relative error per step of the states of force laws


@dataclass(frozen=True)
class InverseRun:
    """Efforts along a trajectory.

    Attributes:
        coordinates: names of the coordinates.
        roles: "independent", "driven", "actuated" or "passive" for each joint; passive joints have
            no effort.
        actuated: names of the joints with efforts.
        t: times [s].
        q, qd, qdd: motion of all coordinates, shape (N, n).
        tau: efforts of all joints [N·m or N], shape (N, n).
        lam: multipliers of the constraint rows in use, by name, shape (N,) each.
        states: states of force laws, by name, shape (N,) each.
        notes: contradictions in the trajectory, also issued as warnings.
    """

    coordinates: tuple[str, ...]
    roles: dict[str, str]
    actuated: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    lam: dict[str, Array]
    states: dict[str, Array]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Array:
        """A signal: "<joint>.q", ".qd", ".qdd", ".effort", ".power", "lam.<row>" or a state."""
        if name in self.states:
            return self.states[name]
        if name.startswith("lam.") and name[4:] in self.lam:
            return self.lam[name[4:]]
        joint, _, kind = name.rpartition(".")
        arrays = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "effort": self.tau}
        if joint not in self.coordinates or kind not in (*arrays, "power"):
            raise InputError(
                f"the run has no signal '{name}'",
                fix=f"Write '<joint>.effort' with a joint of {', '.join(self.coordinates[:12])}.",
            )
        k = self.coordinates.index(joint)
        if kind == "power":
            return np.asarray(self.tau[:, k] * self.qd[:, k])
        return arrays[kind][:, k]


@checked_call
def inverse_dynamics_run(
    plant: BarePlant,
    t: Sequence[float] | Array,
    q: Trajectory,
    qd: Trajectory | None = None,
    qdd: Trajectory | None = None,
    *,
    actuated: Sequence[str] | None = None,
    inputs: Mapping[str, float] | None = None,
    states: Mapping[str, float] | Array | None = None,
) -> InverseRun:
    """Efforts that make a mechanism follow a trajectory.

    States of force laws are integrated along it.

    Args:
        plant: the compiled mechanism.
        t: times [s], shape (N,).
        q: positions of all independent and driven joints by name, or of all joints, shape (N, n);
            values of dependent joints are only initial guesses.
        qd: velocities; default: the derivative of a quintic spline through q.
        qdd: accelerations; default: the derivative of a spline through qd, or the second
            derivative of that through q.
        actuated: joints with motors; default: independent and driven ones. With redundant
            actuation, the efforts of minimum norm are taken.
        inputs: values of named inputs.
        states: states of force laws at the first time; default: their initial values in a run.
    """
    reduction, time = Reduction(plant), reals(t, "t")
    reduction.refuse_led_positions("an inverse run")
    known = [*reduction.independent, *reduction.driven]
    motors = (
        known
        if actuated is None
        else [_joint(plant, name) for name in name_list(actuated, "actuated")]
    )
    q_, qd_, qdd_ = _trajectory(reduction, time, known, (q, qd, qdd))
    at = _closed(reduction, q_, time, isinstance(q, Mapping))
    found = reduction.constraints(at, qd_, time)
    J = found["J"]
    speed = reduction.fill(J, qd_, found["nu"])
    gamma = reduction.constraints(at, speed, time)["gamma"]
    acceleration = reduction.fill(J, qdd_, gamma)
    said = [name for name, value in (("qd", qd), ("qdd", qdd)) if value is not None]
    notes = (
        *contradictions(plant, time, known, (at, speed, acceleration), said),
        *branch_changes(time, J[:, :, reduction.dependent]),
    )
    for note in notes:
        warnings.warn(note, stacklevel=3)
    u = input_vector(plant, inputs)
    z = _law_states(reduction, (time, at, speed), state_vector(plant, states), u)
    loads = {"z": none_if_empty(z), "u": none_if_empty(u), "t": time}
    need = reduction.evaluate("inverse_dynamics", q=at, qd=speed, qdd=acceleration, **loads)
    tau = _efforts(plant, reduction.tangent(J, known), need["tau"], motors)
    names = plant.formulation.row_names
    lam = _multipliers(reduction, J, need["tau"] - tau)
    return InverseRun(
        plant.coordinates,
        {name: _role(reduction, k, motors) for k, name in enumerate(plant.coordinates)},
        tuple(plant.coordinates[k] for k in motors),
        time, at, speed, acceleration, tau,
        {name: lam[:, k] for k, name in enumerate(names)},
        {name: z[:, k] for k, name in enumerate(reduction.states)},
        notes,
    )  # fmt: skip


def _role(reduction: Reduction, index: int, motors: Sequence[int]) -> str:
    role = reduction.role(index)
    if role == "dependent":
        return "actuated" if index in motors else "passive"
    return role


def _joint(plant: BarePlant, name: str) -> int:
    if name not in plant.coordinates:
        raise InputError(
            f"model '{plant.name}' has no joint '{name}'",
            fix=name_hint(name, plant.coordinates),
        )
    return plant.coordinates.index(name)


def _trajectory(
    reduction: Reduction,
    t: Array,
    known: Sequence[int],
    given: tuple[Trajectory, Trajectory | None, Trajectory | None],
) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations, from splines where not given."""
    q, qd, qdd = given
    if t.ndim != 1 or len(t) < 1 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0.0):
        raise InputError(
            "t must be increasing and finite", fix="Give times [s] in increasing order, shape (N,)."
        )
    position = _table(reduction, t, known, q, "q")
    turns = reduction.plant.configuration.turned
    if qd is not None or turns:
        # velocities of ball joints are not derivatives of coordinates
        speed = (
            reduction.plant.configuration.velocities(position, _spline(t, position, 1))
            if qd is None
            else _table(reduction, t, known, qd, "qd")
        )
        second = _spline(t, speed, 1) if qdd is None else _table(reduction, t, known, qdd, "qdd")
        return position, speed, second
    second = _spline(t, position, 2) if qdd is None else _table(reduction, t, known, qdd, "qdd")
    return position, _spline(t, position, 1), second


def _table(
    reduction: Reduction, t: Array, known: Sequence[int], given: Trajectory, what: str
) -> Array:
    plant = reduction.plant
    shape = (len(t), plant.nq if what == "q" else plant.n)
    if isinstance(given, Mapping):
        _check_named(reduction, known, given, what)
        table = np.tile(reduction.start(None), (len(t), 1)) if what == "q" else np.zeros(shape)
        for name, values in given.items():
            places = plant.equations.places(name, shape[1])
            column = _column(values, (len(t), len(places)), f"{what} of '{name}'")
            table[:, places] = column
    else:
        table = reals(given, what).copy()
    if table.shape != shape or not np.all(np.isfinite(table)):
        raise InputError(
            f"{what} has shape {table.shape} or holds NaN, model '{plant.name}' needs {shape}",
            fix="Give one row per time and one column per coordinate, or columns by name.",
        )
    return table


def _column(given: Any, shape: tuple[int, int], what: str) -> Array:
    """One value per time, or a constant; rows of several values for ball joints."""
    values, (count, width) = reals(given, what), shape
    fits = ((), (1,), (count,)) if width == 1 else ((width,), (count, width))
    if values.shape not in fits:
        row = "" if width == 1 else f" of {width} numbers"
        raise InputError(
            f"{what} has shape {values.shape}", fix=f"Give {count} values{row}, one per time."
        )
    return values[:, None] if width == 1 and values.shape == (count,) else values


def _check_named(
    reduction: Reduction, known: Sequence[int], given: Mapping[str, object], what: str
) -> None:
    plant = reduction.plant
    joints = {k: a.name for a in plant.mechanism.attitudes for k in a.bodies}
    names = list(dict.fromkeys(joints.get(k, plant.coordinates[k]) for k in known))
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(
            f"{what} of {', '.join(missing)} is missing",
            fix=f"Give all independent and driven joints: {', '.join(names)}.",
        )


def _spline(t: Array, values: Array, order: int) -> Array:
    if len(t) <= DEGREE:
        raise InputError(
            f"{len(t)} samples are too few to differentiate",
            fix=f"Give at least {DEGREE + 1}, or give qd and qdd.",
        )
    return np.asarray(
        scipy.interpolate.make_interp_spline(t, values, k=DEGREE).derivative(order)(t)
    )


def _closed(reduction: Reduction, q: Array, t: Array, follow: bool) -> Array:
    """Closed positions; with `follow`, each one is on the branch of the one before."""
    if not reduction.dependent:
        return q
    result, others = q.copy(), reduction.following
    before = reduction.start(None)
    if not follow:
        reduction.hold(q[0])
    # a guess of dependent joints chooses the branch
    guessed = not np.array_equal(q[0, others], before[others])
    for k in range(len(t)):
        try:
            if follow and (k > 0 or not guessed):
                result[k, others] = before[others]
                result[k] = _led(reduction, before, result[k], float(t[k]))
            else:
                result[k] = reduction.close(result[k : k + 1], float(t[k]))[0]
            before = result[k]
        except SimulationError as error:
            raise SimulationError(
                f"{error.mistakes[0].what} at t = {t[k]:g} s", fix=error.mistakes[0].fix
            ) from error
    return result


def _led(reduction: Reduction, before: Array, goal: Array, t: float) -> Array:
    """The next position of a trajectory; beyond a singular one, the nearest that Newton finds."""
    try:
        return reduction.follow(before, goal, t)
    except SimulationError:
        return np.asarray(reduction.close(goal[None], t)[0])


def _law_states(
    reduction: Reduction, motion: tuple[Array, Array, Array], first: Array, u: Array
) -> Array:
    """States of force laws along a known motion (t, q, qd), shape (N, states)."""
    t, q, qd = motion
    if not reduction.states or len(t) == 1:
        return np.tile(first, (len(t), 1))
    degree = min(DEGREE, len(t) - 1)
    at, speed = (scipy.interpolate.make_interp_spline(t, values, k=degree) for values in (q, qd))

    def rates(now: float, z: Array) -> Array:
        return np.asarray(reduction.bias(at(now)[None], speed(now)[None], z, u, now)[1][0])

    found = scipy.integrate.solve_ivp(
        rates, (t[0], t[-1]), first, "LSODA", t_eval=t, rtol=STATE_TOLERANCE,
        atol=1e-3 * STATE_TOLERANCE * _state_sizes(reduction, motion, first, u),
    )  # fmt: skip
    if not found.success or not np.all(np.isfinite(found.y)):
        raise SimulationError(
            f"model '{reduction.plant.name}': states of force laws cannot be followed along the "
            "trajectory",
            fix="A force law gives NaN there, or its states grow without bound.",
        )
    return np.ascontiguousarray(found.y.T)


def _state_sizes(
    reduction: Reduction, motion: tuple[Array, Array, Array], first: Array, u: Array
) -> Array:
    """Approximate maximum of each state of a force law along a motion.

    A state grows at its initial rate until its own feedback stops it, or the motion ends.
    """
    t, q, qd = motion

    def rates(z: Array) -> Array:
        rows = np.tile(z, (len(t), 1))
        return np.asarray(reduction.bias(q, qd, rows, u, t)[1])

    here, most = rates(first), t[-1] - t[0]
    way = np.abs(here).max(axis=0) * most + np.abs(first)
    sizes = np.where(way > 0.0, way, 1.0)
    for k, width in enumerate(PART * sizes):
        there = first.copy()
        there[k] += width
        slope = np.abs(rates(there)[:, k] - here[:, k]) / width
        reached = np.abs(here[:, k]) / (1.0 / most + slope)
        found = max(float(reached.max()), abs(float(first[k])))
        sizes[k] = found if np.isfinite(found) and found > 0.0 else 1.0
    return sizes


def _efforts(plant: BarePlant, T: Array, need: Array, motors: Sequence[int]) -> Array:
    """Motor efforts of minimum norm that produce the required generalized forces."""
    right = np.einsum("nij,ni->nj", T, need)
    acting = np.swapaxes(T[:, motors], 1, 2)
    solved = np.einsum("nij,nj->ni", np.linalg.pinv(acting, rcond=1e-12), right)
    left = right - np.einsum("nij,nj->ni", acting, solved)
    if np.abs(left).max(initial=0.0) > 1e-9 * np.abs(right).max(initial=0.0):
        raise InputError(
            f"model '{plant.name}' cannot follow the trajectory with motors at "
            f"{', '.join(plant.coordinates[k] for k in motors)} only",
            fix="Name more joints in actuated=.",
        )
    tau = np.zeros_like(need)
    tau[:, motors] = solved
    return tau


def _multipliers(reduction: Reduction, J: Array, left: Array) -> Array:
    """lam with Jᵀ lam = efforts not supplied by the motors."""
    if not reduction.dependent:
        return np.zeros((len(left), 0))
    dependent = reduction.dependent
    JvT = np.swapaxes(J[:, :, dependent], 1, 2)
    return np.asarray(np.linalg.solve(JvT, left[:, dependent, None])[:, :, 0])
