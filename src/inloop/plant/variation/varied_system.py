"""The equations of a plant along a run, with derivatives along directions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from inloop.errors import SimulationError
from inloop.formalisms.variation.balance import Roles
from inloop.native import POINTER, REAL, Status, aligned_zeros
from inloop.native.mirror import mirror
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.variation.code import VariationCode, variation_code
from inloop.plant.variation.collocation import Collocation
from inloop.plant.variation.corner_watch import CornerWatch

ALIGNED = 64  # bytes: alignment of arrays with directions


@dataclass(frozen=True)
class Tableau:
    """A Runge-Kutta method; without stages it is symplectic Euler.

    Attributes:
        a: weights of the other stages in each stage.
        b: weights of the step.
        c: fractions of the step at which stages are evaluated.
        implicit: whether stages depend on each other, the last one being the end of the step.
    """

    a: Array
    b: Array
    c: Array
    implicit: bool = False

    @property
    def times(self) -> Array:
        """Fractions of the step at which inputs are read."""
        return self.c if len(self.c) else np.zeros(1)


@dataclass(frozen=True)
class VariedSamples:
    """States of a run with their derivatives.

    Attributes:
        x: shape (samples, states).
        dep: dependent coordinates, shape (samples, dependent).
        dx: shape (samples, states, directions).
    """

    x: Array
    dep: Array
    dx: Array


@dataclass(frozen=True)
class Stages:
    """Data kept of steps for a backward pass.

    Attributes:
        x: states of all stages, shape (steps, stages, states).
        dep: their dependent coordinates.
        lengths: of quaternions after each step, before normalization, shape (steps, quaternions).
    """

    x: Array
    dep: Array
    lengths: Array


class VariedSystem:
    """Rates of a state x, and their derivatives along directions of x and of varied quantities.

    Attributes:
        plant: the compiled mechanism.
        code: the compiled functions.
        corner_watch: corners that runs with directions have passed; None: there are none.
        goes_back: whether it supports a backward pass.
    """

    goes_back = False

    def __init__(self, plant: BarePlant, roles: Roles, code: VariationCode) -> None:
        self.plant, self.roles, self.code = plant, roles, code
        self.context: Any = mirror("il_variation")()
        self.corner_watch = CornerWatch(code, self.goes_back) if code.corner_owners else None
        self._version = -1

    @classmethod
    def forward(
        cls, plant: BarePlant, roles: Roles, varied: Sequence[str], directions: int,
        implicit: bool = False,
    ) -> Self:  # fmt: skip
        """With derivatives along directions of x and of the varied quantities."""
        return cls(plant, roles, variation_code(plant, roles, varied, directions, implicit))

    def packed(self, q: Array, qd: Array, z: Array) -> tuple[Array, Array]:
        """x and the dependent coordinates, from all positions, velocities and states of laws."""
        layout = self.code.layout
        x = np.zeros(len(self.code.states))
        for k, i in layout.q:
            x[i] = q[k]
        for k, i in layout.qd:
            x[i] = qd[k]
        x[layout.z : layout.z + len(z)] = z
        return x, np.array(q)[list(layout.dependent)]

    def slopes(
        self, t: float, u: Array, tau: Array, state: tuple[Array, Array], dx: Array, dg: Array
    ) -> tuple[Array, Array]:
        """xd and its derivatives; arguments as for `observe`."""
        return self._evaluate("slopes", len(self.code.states), t, u, tau, state, dx, dg)

    def observe(
        self, t: float, u: Array, tau: Array, state: tuple[Array, Array], dx: Array, dg: Array
    ) -> tuple[Array, Array]:
        """Observed signals of a motion, and their derivatives.

        Args:
            t: time [s].
            u: inputs.
            tau: efforts of the joints.
            state: x and a guess of the dependent coordinates, which is corrected to closure.
            dx: directions of x, shape (states, directions).
            dg: directions of the varied quantities, shape (varied, directions).
        """
        return self._evaluate("observe", len(self.code.observed), t, u, tau, state, dx, dg)

    def _evaluate(
        self, name: str, rows: int, t: float, u: Array, tau: Array, state: tuple[Array, Array],
        dx: Array, dg: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        code, lanes, directions = self.code, self.code.lanes, dx.shape[1]
        function = code.library.function(
            f"{code.prefix}_{name}", POINTER, REAL, *[POINTER] * 6, returns=ctypes.c_int
        )
        x, dep = np.ascontiguousarray(state[0]), state[1]
        given = np.ascontiguousarray(u)
        y, dy = np.zeros(rows), np.zeros((rows, directions))
        lane_x, lane_y = aligned_zeros(len(x), lanes), aligned_zeros(max(rows, 1), lanes)
        for first in range(0, max(directions, 1), lanes):
            part = slice(first, min(first + lanes, directions))
            count = part.stop - part.start
            lane_x[:, :count] = dx[:, part]
            held = self.hold(tau, dg[:, part])
            status = function(
                ctypes.addressof(self.context), float(t), given.ctypes.data, x.ctypes.data,
                dep.ctypes.data, lane_x.ctypes.data, y.ctypes.data, lane_y.ctypes.data,
            )  # fmt: skip
            self.check(status, t)
            del held
            dy[:, part] = lane_y[:rows, :count]
        return y, dy

    def run(
        self, tableau: Tableau, times: tuple[float, float, int, int], u: Array, tau: Array,
        start: tuple[Array, Array, Array], dg: Array,
        kept: Stages | None = None,
    ) -> VariedSamples:  # fmt: skip
        """Equal steps of a run, with as many directions as can share a pass.

        Args:
            tableau: the method.
            times: start and step [s], number of steps, and of steps between samples.
            u: inputs, shape (steps, stages, inputs), or (inputs,) if they are constant.
            tau: efforts of the joints, shape (n,), or (steps, n) if they change.
            start: x, dependent coordinates, and dx of shape (states, directions).
            dg: directions of the varied quantities, shape (varied, directions).
            kept: receives the stages of all steps.

        Raises:
            SimulationError: loops cannot be closed in a step.
        """
        begin, h, steps, stride = times
        code, directions = self.code, dg.shape[1]
        # without directions, rates are enough
        lanes, name = (code.lanes, "slopes") if directions else (0, "plain_slopes")
        size, dependent = len(code.states), len(code.layout.dependent)
        assert directions <= lanes
        rows, stages = steps // stride + 1, len(tableau.b)
        x, dep = np.array(start[0]), np.array(start[1])
        dx = aligned_zeros(size, lanes)
        dx[:, :directions] = start[2]
        memory = aligned_zeros((max(stages, 1) + 1) * size * (1 + lanes))
        samples = aligned_zeros(rows, size), aligned_zeros(rows, dependent)
        samples_dx = aligned_zeros(rows, size, lanes)
        inputs = np.ascontiguousarray(u)
        held = self.hold(tau, dg)
        piece = mirror("il_varied_run")(
            self=ctypes.addressof(self.context),
            slopes=code.library.address(f"{code.prefix}_{name}"),
            size=size, dependent=dependent, coordinates=len(code.layout.qd),
            attitudes=len(self.plant.mechanism.attitudes), lanes=lanes,
            t=begin, h=h, steps=steps, stride=stride,
            u=inputs.ctypes.data,
            u_step=inputs[0].size if inputs.ndim == 3 else 0,
            u_stage=inputs.shape[-1] if inputs.ndim == 3 else 0,
            x=x.ctypes.data, dep=dep.ctypes.data, dx=dx.ctypes.data, memory=memory.ctypes.data,
            kept_x=samples[0].ctypes.data, kept_dep=samples[1].ctypes.data,
            kept_dx=samples_dx.ctypes.data,
        )  # fmt: skip
        if tau.ndim == 2:
            piece.tau, piece.tau_step = held[1].ctypes.data, tau.shape[1]
        method = self.put_tableau(piece, tableau)
        if directions and self.corner_watch is not None:
            piece.corners = self.corner_watch.address
        if kept is not None:
            piece.stage_x, piece.stage_dep = kept.x.ctypes.data, kept.dep.ctypes.data
            piece.lengths = kept.lengths.ctypes.data
        status = code.library.function("il_vary", POINTER)(ctypes.addressof(piece))
        self.check(status, begin + piece.steps * h)
        del held, method
        return VariedSamples(*samples, samples_dx[:, :, :directions])

    def observe_samples(
        self, t: Array, u: Array, tau: Array, samples: VariedSamples, dg: Array
    ) -> tuple[Array, Array]:
        """Observed signals at the samples of a run, and their derivatives.

        Arguments are as for `run`, with a row of inputs and of efforts for each sample.

        Returns:
            Values of shape (samples, observed), derivatives of shape (samples, observed,
            directions).
        """
        code, lanes = self.code, self.code.lanes
        rows, size, results = len(t), len(code.states), len(code.observed)
        directions = dg.shape[1]
        x, dep = np.ascontiguousarray(samples.x), np.ascontiguousarray(samples.dep)
        dx = samples.dx
        if directions < lanes or not dx.flags.c_contiguous or dx.ctypes.data % ALIGNED:
            dx = aligned_zeros(rows, size, lanes)
            dx[:, :, :directions] = samples.dx
        y, dy = np.zeros((rows, results)), aligned_zeros(rows, results, lanes)
        inputs, when = np.ascontiguousarray(u), np.ascontiguousarray(t)
        held = self.hold(tau, dg)
        observed_rows = mirror("il_observed_rows")(
            self=ctypes.addressof(self.context),
            observe=code.library.address(f"{code.prefix}_observe"),
            rows=rows, size=size, dependent=dep.shape[1], lanes=lanes, results=results,
            t=when.ctypes.data, u=inputs.ctypes.data,
            u_row=inputs.shape[-1] if inputs.ndim == 2 else 0,
            x=x.ctypes.data, dx=dx.ctypes.data, dep=dep.ctypes.data, y=y.ctypes.data,
            dy=dy.ctypes.data,
        )  # fmt: skip
        if tau.ndim == 2:
            observed_rows.tau, observed_rows.tau_row = held[1].ctypes.data, tau.shape[1]
        status = code.library.function("il_observe_rows", POINTER)(ctypes.addressof(observed_rows))
        self.check(status, float(when[-1]))
        del held
        return y, dy[:, :, :directions]

    def put_tableau(self, run: Any, tableau: Tableau) -> Collocation | None:
        """Write a method into a C structure; tableau and returned object must outlive its use."""
        method = run.tableau
        method.stages, method.a = len(tableau.b), tableau.a.ctypes.data
        method.b, method.c = tableau.b.ctypes.data, tableau.c.ctypes.data
        if not tableau.implicit:
            return None
        collocation = Collocation(self.code, tableau.c)
        run.implicit = ctypes.addressof(collocation.structure)
        return collocation

    def hold(self, tau: Array, dg: Array) -> tuple[Array, ...]:
        """Store parameters, efforts and directions; the returned arrays must outlive their use."""
        version, context = self.plant.parameters.version, self.context
        if version != self._version:
            self._pre = self.code.prepare(self.plant.parameters.values_array)
            self._unit = self.plant.coordinate_sizes[list(self.code.layout.dependent)].copy()
            context.pre, context.unit = self._pre.ctypes.data, self._unit.ctypes.data
            self._version = version
        wide = aligned_zeros(max(len(dg), 1), self.code.lanes)
        wide[: len(dg), : dg.shape[1]] = dg
        efforts = np.ascontiguousarray(tau)
        context.tau, context.dg = efforts.ctypes.data, wide.ctypes.data
        return wide, efforts

    def check(self, status: int, t: float) -> None:
        """Check the status of a call.

        Raises:
            SimulationError: the call failed.
        """
        if status == Status.DIVERGED:
            raise SimulationError(
                f"implicit steps with derivatives of model '{self.plant.name}' do not converge "
                f"near t = {t:.6g} s",
                fix="Use a shorter step.",
            )
        if status != Status.OK:
            raise SimulationError(
                f"model '{self.plant.name}' cannot close its loops near t = {t:.6g} s "
                f"({Status(status).name})",
                fix="Start closer to a closed position, or stay away from singular positions.",
            )
