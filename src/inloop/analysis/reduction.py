"""A plant reduced to its independent coordinates, for trees and closed mechanisms alike.

With q_f = (independent, driven) and J qd + nu = 0, all velocities are qd = T qd_f + v0. The force
along the independent coordinates of a mechanism at rest is T_uᵀ (tau - c). Force laws may have
states z of their own with rates zd(q, qd, z, u, t).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, real
from inloop.simulate.refused_methods import refuse_hard_contacts
from inloop.simulate.scales import Scales, fastest_rate, natural_scales
from inloop.simulate.start import CLOSE, Given, first_position, start_of, vector

BLOCK = 200  # rows per call: few enough that no vectorized code has to be compiled
MOST_ITERATIONS = 12
SHORT = 0.05  # motion, in natural sizes, over which Newton's method alone stays on its branch
STEP_TOLERANCE = 1e-8  # last Newton correction, in natural sizes; an error of its square remains


class Reduction:
    """Independent, driven and dependent coordinates of a plant, and the relations between them.

    All functions take and return rows of states, shape (N, ...).

    Attributes:
        plant: the plant.
        independent, driven, dependent: indices of coordinates.
        following: entries of q computed by loop closure: coordinates that loops determine, and all
            entries of ball joints with any such coordinate.
        rows: constraint rows in use.
        led: dependent coordinates with free positions, due to nonholonomic constraints.
        sizes: natural sizes of the coordinates [rad or m].
        states: names of the states of force laws.
    """

    def __init__(self, plant: BarePlant) -> None:
        """Reduce a plant.

        Raises:
            InputError: it has hard contacts, whose motion is not smooth.
        """
        refuse_hard_contacts(plant)
        self.plant = plant
        self.states = tuple(state.name for state in plant.mechanism.states)
        parts = plant.formulation.partition
        self.independent, self.driven = list(parts.independent), list(parts.driven)
        self.dependent, self.rows = list(parts.dependent), list(parts.rows)
        self.led = list(plant.formulation.led_positions)
        roles = plant.formulation.position_roles
        self._closing, self._closing_rows = list(roles.dependent), list(roles.rows)
        self.following = list(dict.fromkeys([*self._closing, *self._closing_ball_joints()]))
        self.sizes = plant.coordinate_sizes
        self._as_found = plant.formulation.rows.as_found[self._closing_rows]
        self._held: Array | None = None

    def _closing_ball_joints(self) -> list[int]:
        configuration, found = self.plant.configuration, []
        for number, first in enumerate(configuration.turned):
            turns, behind = range(first, first + 3), configuration.n + 4 * number
            if set(turns) & set(self._closing):
                found += [*turns, *range(behind, behind + 4)]
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return tuple(self.plant.coordinates[k] for k in self.independent)

    def role(self, index: int) -> str:
        """Role of a coordinate: "independent", "driven" or "dependent"."""
        if index in self.driven:
            return "driven"
        return "dependent" if index in self.dependent else "independent"

    def start(self, q: Given) -> Array:
        """A position that closes the loops, shape (nq,); values given by name are kept."""
        found = first_position(self.plant, q)[0]
        self.hold(found)
        return found

    def hold(self, q: Array) -> None:
        """Set the reference position of couplings that hold the position they find."""
        self._held = np.array(q, dtype=np.float64)

    def state(self, q: Given, qd: Given) -> tuple[Array, Array]:
        """A position and velocities consistent with the loops."""
        if self.rows:
            start = start_of(self.plant, q, qd, None)
            self.hold(start.q)
            return start.q, start.qd
        return self.start(q), vector(self.plant, qd, self.plant.mechanism.first_qd, "qd")

    def scales(
        self, rates: Callable[[Array], Array], x: Array, free: Sequence[int] | None = None
    ) -> Scales:
        """Natural units of a state x = (q, qd, z), for finite differences.

        Args:
            rates: x → xd.
            x: the state.
            free: indices of its coordinates; default: all independent ones, with the positions
                `led` appended after z.
        """
        places = self.independent if free is None else list(free)
        behind = self.led if free is None else []

        def found(t: float, state: Array) -> Array | None:
            xd = rates(state)
            return xd if np.all(np.isfinite(xd)) else None

        all_places, count = [*places, *behind], len(self.states)
        units, unknown = self.sizes[all_places], self.plant.size.unknown[all_places]
        return natural_scales(found, x, units, len(places), count, unknown, fastest_rate)

    def evaluate(self, function: str, **arrays: Any) -> dict[str, Array]:
        """Call a function of the plant for rows of states, in blocks."""
        call = partial(self.plant.evaluate, function, ready=True, lanes=False)
        return _in_blocks(call, arrays)

    def close(self, q: Array, t: float | Array = 0.0) -> Array:
        """Close the loops by Newton's method: solve for the coordinates that they determine.

        Raises:
            SimulationError: the loops cannot be closed.
        """
        q = np.array(q, dtype=np.float64)
        columns = self._closing
        if not columns:
            return q
        for _ in range(MOST_ITERATIONS):
            motion = np.zeros((len(q), self.plant.n))
            motion[:, columns] = step = self._newton(q, t)
            q = self.plant.configuration.moved(q, motion)
            if not np.all(np.isfinite(step)):
                break
            if np.max(np.abs(step) / self.sizes[columns], initial=0.0) <= STEP_TOLERANCE:
                return q
        raise self._out_of_reach()

    def _out_of_reach(self) -> SimulationError:
        return SimulationError(
            f"model '{self.plant.name}': loops cannot be closed with these coordinates",
            fix="The mechanism is out of reach or at a singular position; choose another position.",
        )

    def follow(self, near: Array, goal: Array, t: float = 0.0) -> Array:
        """Close the loops at a goal on the branch of another position, shape (nq,) each.

        Newton's method alone may end on another branch, or whole turns away.

        Args:
            near: a closed position.
            goal: independent and driven coordinates where they shall be, the others as in `near`.
            t: time [s].

        Raises:
            SimulationError: the branch does not get there.
        """
        n, difference = self.plant.n, self.plant.configuration.difference
        short = SHORT * self.sizes
        if np.all(np.abs(difference(goal, near)) <= short):
            closed = self.close(goal[None], t)[0]
            if np.all(np.abs(difference(closed, near)) <= short):
                return np.asarray(closed)
        led = [k for k in range(n) if k not in self._closing]
        found = (
            self.plant.formulation.positions.lead(goal, led, start=near, t=t)
            if self._closing
            else goal
        )
        if found is None:
            raise self._out_of_reach()
        return np.asarray(self.close(found[None], t)[0])

    def _newton(self, q: Array, t: float | Array) -> Array:
        """Newton corrections of the coordinates that the loops determine."""
        if not self.led and not np.any(self._as_found):
            return self.evaluate("newton", q=q, t=t)["step"]
        still = np.zeros((len(q), self.plant.n))
        found = _in_blocks(self.plant.formulation.rows.constraints, {"q": q, "qd": still, "t": t})
        J, h = found["J"][:, self._closing_rows], found["h"][:, self._closing_rows]
        if np.any(self._as_found):
            n, held = self.plant.n, self._held
            away = q[:, :n] - (self.plant.formulation.home() if held is None else held)[:n]
            h = h + np.where(self._as_found, np.einsum("rij,rj->ri", J, away), 0.0)
        return np.asarray(np.linalg.solve(J[:, :, self._closing], -h[:, :, None])[:, :, 0])

    def refuse_led_positions(self, what: str) -> None:
        """Reject plants whose positions depend on the path taken.

        Raises:
            InputError: the plant has nonholonomic constraints.
        """
        if self.led:
            names = ", ".join(self.plant.coordinates[k] for k in self.led)
            raise InputError(
                f"model '{self.plant.name}' has velocity constraints: positions of {names} "
                f"depend on the path taken, which {what} does not follow",
                fix="Use simulate(...) with drives or slow inputs.",
            )

    def constraints(self, q: Array, qd: Array, t: float | Array = 0.0) -> dict[str, Array]:
        """J, nu and gamma of the constraint rows in use."""
        found = _in_blocks(self.plant.formulation.rows.constraints, {"q": q, "qd": qd, "t": t})
        return {key: found[key][:, self.rows] for key in ("J", "nu", "gamma")}

    def tangent(self, J: Array, columns: Sequence[int]) -> Array:
        """∂q/∂q_f for given independent or driven coordinates, shape (N, n, columns)."""
        T = np.zeros((len(J), self.plant.n, len(columns)))
        T[:, columns, range(len(columns))] = 1.0
        if self.dependent:
            T[:, self.dependent] = np.linalg.solve(J[:, :, self.dependent], -J[:, :, columns])
        return T

    def fill(self, J: Array, known: Array, extra: Array) -> Array:
        """All rates from those of independent and driven coordinates: J rates + extra = 0."""
        rates = known.copy()
        if self.dependent:
            rates[:, self.dependent] = 0.0
            right = -(np.einsum("nij,nj->ni", J, rates) + extra)
            solved = np.linalg.solve(J[:, :, self.dependent], right[:, :, None])
            rates[:, self.dependent] = solved[:, :, 0]
        return rates

    def bias(
        self, q: Array, qd: Array, z: Array, u: Array, t: float | Array
    ) -> tuple[Array, Array]:
        """Bias efforts c [N·m or N] and the rates zd of the states of force laws."""
        found = self.evaluate("bias", q=q, qd=qd, z=none_if_empty(z), u=none_if_empty(u), t=t)
        return found["c"], found.get("zd", np.zeros((len(q), 0)))

    def pull(
        self, q: Array, qd: Array, tau: Array, *, z: Array, u: Array, t: float = 0.0
    ) -> tuple[Array, Array]:
        """Forces along the independent coordinates, T_uᵀ (tau - c) [N·m or N], and rates zd.

        Args:
            q: closed positions.
            qd: velocities; those of dependent coordinates are not used.
            tau: efforts on all joints, shape (n,) or (N, n).
            z: states of force laws.
            u: inputs.
            t: time [s].
        """
        found = self.constraints(q, qd, t)
        speeds = self.fill(found["J"], qd, found["nu"])
        c, zd = self.bias(q, speeds, z, u, t)
        T = self.tangent(found["J"], self.independent)
        forces = np.asarray(np.einsum("nij,ni->nj", T, tau - c))
        if self.rows and self.states:
            # rates may depend on loop forces: take those of the mechanism held in place
            held = np.broadcast_to(tau, speeds.shape).copy()
            held[:, self.independent] -= forces
            zd = self.motion(q, speeds, np.zeros_like(speeds), tau=held, z=z, u=u, t=t)["zd"]
        return forces, zd

    def mass(self, q: Array) -> tuple[Array, Array]:
        """Reduced mass matrix Tᵀ M T and T at one closed position q, shape (n,)."""
        rest = np.zeros((1, self.plant.n))
        T = self.tangent(self.constraints(q[None], rest)["J"], self.independent)[0]
        M = self.plant.evaluate("mass_matrix", ready=True, q=q)["M"]
        return T.T @ M @ T, T

    def motion(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        *,
        tau: Array,
        z: Array,
        u: Array,
        t: float = 0.0,
    ) -> dict[str, Array]:
        """Constrained motion at closed positions.

        Returns:
            All velocities v and accelerations a, multipliers lam, efforts of driven joints, and
            the states z of force laws with their rates zd.
        """
        none = np.zeros((len(q), 0))
        given = {"q": q, "qd": qd, "tau": tau, "z": none_if_empty(z), "u": none_if_empty(u), "t": t}
        known = {"z": np.broadcast_to(z, (len(q), len(self.states))), "zd": none}
        found = _in_blocks(self.plant.formulation.motion_at, {**given, "qdd": qdd})
        return {**known, **found}


def input_vector(plant: BarePlant, given: Mapping[str, float] | None) -> Array:
    """Inputs u from values by name; others keep their defaults."""
    u = plant.first_inputs
    for name, value in by_name(given, "inputs").items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'",
                fix=name_hint(name, plant.inputs),
            )
        u[plant.inputs.index(name)] = real(value, f"input '{name}'")
    return u


def check_leading_inputs(plant: BarePlant, given: Iterable[str], q: Array, u: Array) -> None:
    """Reject inputs that would lead driven joints elsewhere: at rest they are where q has them.

    Args:
        plant: the compiled mechanism.
        given: names of inputs.
        q: position.
        u: inputs.

    Raises:
        InputError: an input of a drive differs from the position of its joint, or from rest.
    """
    names = set(given)
    for drive in plant.mechanism.drives:
        joint, unit = plant.coordinates[drive.body], plant.coordinate_sizes[drive.body]
        for signal, wanted in zip(drive.inputs, (q[drive.body], 0.0, 0.0), strict=False):
            value = u[plant.inputs.index(signal.name)]
            if signal.name in names and abs(value - wanted) > CLOSE * max(unit, abs(wanted)):
                raise InputError(
                    f"input '{signal.name}' = {value:g} leads the driven joint '{joint}', which "
                    f"rests at {q[drive.body]:g} here",
                    fix=f'Give its position instead: q={{"{joint}": ...}}.',
                )


def none_if_empty(values: Array) -> Array | None:
    """Inputs or states of laws as a plant expects them: None instead of an empty array."""
    return values if values.shape[-1] else None


def effort_unit(plant: BarePlant, index: int) -> str:
    """Unit of a joint's effort."""
    return plant.mechanism.bodies[index].joint.kind.dimension.effort


def _in_blocks(
    function: Callable[..., dict[str, Array]], arrays: dict[str, Any]
) -> dict[str, Array]:
    """Results of a function for rows of states, evaluated block by block."""
    count = len(arrays["q"])
    blocks = [
        function(**{k: _cut(k, a, b) for k, a in arrays.items()})
        for b in range(0, max(count, 1), BLOCK)
    ]
    return {key: np.concatenate([block[key] for block in blocks]) for key in blocks[0]}


def _cut(name: str, array: Any, begin: int) -> Any:
    """A block of rows; arrays shared by all rows are returned as they are."""
    per_row = np.ndim(array) == (1 if name == "t" else 2)
    return array[begin : begin + BLOCK] if per_row else array
