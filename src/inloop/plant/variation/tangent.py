"""`plant.tangent`: rates of a state with exact derivatives along any directions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import POINTER, REAL, Status, aligned_zeros
from inloop.native.mirror import mirror
from inloop.plant.arguments import name_list
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.variation.code import LANES, VariationCode, build_variation
from inloop.plant.variation.names import check_varied, refuse_rough, roles_of


class Tangent:
    """xd = f(t, x, u, p) of a plant, with its exact derivatives.

    x holds positions and velocities of the independent coordinates, states of force laws, positions
    that constraints on velocities leave free, and components of quaternions (`states`). Coordinates
    that loops determine follow, in values and in derivatives. Parameters are those of the plant
    when it is called.

    Attributes:
        plant: where it comes from.
        states: names of x.
        varied: names of the parameters, efforts and inputs of the derivatives, in their order.
        observed: names of what `observe` tells.
    """

    def __init__(
        self, plant: BarePlant, by: Sequence[str] = (), *, directions: int = LANES[-1]
    ) -> None:
        """Derive and compile.

        Args:
            plant: the compiled mechanism.
            by: live parameters, inputs and "<joint>.tau", by name.
            directions: how many are wanted at a time: 1, 2, 4 or 8 share one evaluation.

        Raises:
            InputError: there is no such name, or the motion of the plant is not smooth.
            BuildError: there is no compiler.
        """
        refuse_rough(plant)
        self.plant = plant
        check_varied(plant, by)
        self._code: VariationCode = build_variation(plant, roles_of(plant), by, directions)
        self.states = self._code.states
        self.varied = self._code.varied
        self.observed = self._code.observed
        self._version = -1
        dependent = self._code.layout.dependent
        self._dep = np.array(plant.formulation.home()[list(dependent)])

    @property
    def x0(self) -> Array:
        """The state at the declared start of the plant."""
        plant, layout = self.plant, self._code.layout
        x = np.zeros(len(self.states))
        q, qd = plant.formulation.home(), np.array(plant.mechanism.first_qd)
        for k, i in layout.q:
            x[i] = q[k]
        for k, i in layout.qd:
            x[i] = qd[k]
        z = plant.first_states
        x[layout.z : layout.z + len(z)] = z
        return x

    def __call__(
        self, x: Array, dx: Array, dg: Array | None = None, *, t: float = 0.0,
        u: Array | None = None, tau: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """xd, and its derivatives along directions.

        Args:
            x: the state.
            dx: its directions, shape (states, directions).
            dg: directions of what is varied, shape (varied, directions); none by default.
            t: time [s].
            u: inputs, in the order of `plant.inputs`; as the plant begins with them by default.
            tau: efforts of the joints; 0 by default.

        Returns:
            xd of shape (states,) and its derivatives of shape (states, directions).
        """
        return self._evaluate("slopes", len(self.states), x, dx, dg, t, u, tau)

    def observe(
        self, x: Array, dx: Array, dg: Array | None = None, *, t: float = 0.0,
        u: Array | None = None, tau: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """What is told of the motion (`observed`), and its derivatives; arguments as for a call."""
        return self._evaluate("observe", len(self.observed), x, dx, dg, t, u, tau)

    def jacobian(
        self, x: Array, *, t: float = 0.0, u: Array | None = None, tau: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """xd, ∂xd/∂x of shape (states, states) and ∂xd/∂g of shape (states, varied)."""
        return self._jacobian("slopes", len(self.states), x, t, u, tau)

    def observation_jacobian(
        self, x: Array, *, t: float = 0.0, u: Array | None = None, tau: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """y, ∂y/∂x and ∂y/∂g of what is told of the motion."""
        return self._jacobian("observe", len(self.observed), x, t, u, tau)

    def _jacobian(
        self, name: str, rows: int, x: Array, t: float, u: Array | None, tau: Array | None
    ) -> tuple[Array, Array, Array]:
        nx, ng = len(self.states), len(self.varied)
        every = np.eye(nx + ng)
        y, dy = self._evaluate(name, rows, x, every[:nx], every[nx:], t, u, tau)
        return y, dy[:, :nx], dy[:, nx:]

    @cached_property
    def _context(self) -> Any:
        return mirror("il_variation")()

    def _refresh(self) -> None:
        """Take over the parameters of the plant."""
        version = self.plant.parameters.version
        if version != self._version:
            self._pre = self._code.prepare(self.plant.parameters.values_array)
            self._unit = self.plant.coordinate_sizes[list(self._code.layout.dependent)].copy()
            self._context.pre, self._context.unit = self._pre.ctypes.data, self._unit.ctypes.data
            self._version = version

    def _evaluate(
        self, name: str, rows: int, x: Array, dx: Array, dg: Array | None, t: float,
        u: Array | None, tau: Array | None,
    ) -> tuple[Array, Array]:  # fmt: skip
        self._refresh()
        plant, code, lanes = self.plant, self._code, self._code.lanes
        state = _numbers(x, (len(self.states),), "x")
        directions = np.asarray(dx, dtype=np.float64).shape[-1]
        wide = _numbers(dx, (len(self.states), directions), "dx")
        more = np.zeros((len(self.varied), directions))
        if dg is not None:
            more = _numbers(dg, more.shape, "dg")
        given = _numbers(plant.first_inputs if u is None else u, (len(plant.inputs),), "u")
        efforts = _numbers(np.zeros(plant.n) if tau is None else tau, (plant.n,), "tau")
        function = code.library.function(
            f"{code.prefix}_{name}", POINTER, REAL, *[POINTER] * 6, returns=ctypes.c_int
        )
        y, dy = np.zeros(rows), np.zeros((rows, directions))
        lane_x, lane_y = aligned_zeros(len(state), lanes), aligned_zeros(rows, lanes)
        lane_g = aligned_zeros(max(len(more), 1), lanes)
        self._context.tau, self._context.dg = efforts.ctypes.data, lane_g.ctypes.data
        for first in range(0, max(directions, 1), lanes):
            part = slice(first, min(first + lanes, directions))
            count = part.stop - part.start
            lane_x[:, :count], lane_g[: len(more), :count] = wide[:, part], more[:, part]
            status = function(
                ctypes.addressof(self._context), float(t), given.ctypes.data, state.ctypes.data,
                self._dep.ctypes.data, lane_x.ctypes.data, y.ctypes.data, lane_y.ctypes.data,
            )  # fmt: skip
            if status != Status.OK:
                raise SimulationError(
                    f"model '{plant.name}' cannot close its loops at this state",
                    fix="Give a state near the start of the plant, or near the last one.",
                )
            dy[:, part] = lane_y[:, :count]
        return y, dy


def tangent(plant: BarePlant, by: Sequence[str] = (), *, directions: int = LANES[-1]) -> Tangent:
    """The rates of the state of a plant, with exact derivatives.

        tangent = plant.tangent(by=["mass", "motor"])
        xd, A, B = tangent.jacobian(x)  # ∂xd/∂x, ∂xd/∂(mass, motor)

    Args:
        plant: the compiled mechanism.
        by: live parameters, inputs and "<joint>.tau" to differentiate by, beside the state.
        directions: how many are wanted at a time: 1, 2, 4 or 8 share one evaluation.

    Raises:
        InputError: there is no such name, or the motion of the plant is not smooth.
        BuildError: there is no compiler.
    """
    return Tangent(plant, name_list(by, "by"), directions=directions)


def _numbers(given: Array, shape: tuple[int, ...], name: str) -> Array:
    found = np.ascontiguousarray(given, dtype=np.float64)
    if found.shape != shape or not np.all(np.isfinite(found)):
        raise InputError(
            f"{name} has shape {found.shape}, or is not finite", fix=f"It needs shape {shape}."
        )
    return found
