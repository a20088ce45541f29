"""The equations of a plant along a run in reverse mode: adjoints of results to those of causes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Self

import numpy as np

from inloop.formalisms.variation.balance import Roles
from inloop.native import POINTER
from inloop.native.mirror import mirror
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.variation.code import backward_code
from inloop.plant.variation.varied_system import Stages, Tableau, VariedSystem


class BackwardSystem(VariedSystem):
    """Forward steps, with all stages kept, and the backward pass through them."""

    goes_back = True

    @classmethod
    def backward(
        cls, plant: BarePlant, roles: Roles, varied: Sequence[str], signals: Sequence[str],
        implicit: bool = False,
    ) -> Self:  # fmt: skip
        """With derivatives of weighted sums of rates and of signals."""
        return cls(plant, roles, backward_code(plant, roles, varied, signals, implicit))

    def stages_of(
        self, tableau: Tableau, times: tuple[float, float, int], u: Array, tau: Array,
        start: tuple[Array, Array],
    ) -> tuple[Stages, tuple[Array, Array]]:  # fmt: skip
        """Stages of all steps, and x and dependent coordinates before, between and after them.

        Args:
            tableau: the method.
            times: start and step [s], number of steps.
            u: inputs, as for `run`.
            tau: efforts of the joints.
            start: x and dependent coordinates.
        """
        shape = (times[2], len(tableau.times))
        stages = Stages(
            np.zeros((*shape, len(self.code.states))),
            np.zeros((*shape, len(self.code.layout.dependent))),
            np.ones((times[2], len(self.plant.mechanism.attitudes))),
        )
        return stages, self.states_of(tableau, (*times, 1), u, tau, start, stages)

    def states_of(
        self, tableau: Tableau, times: tuple[float, float, int, int], u: Array, tau: Array,
        start: tuple[Array, Array], kept: Stages | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """x and dependent coordinates at samples; `times` ends with the steps between samples."""
        wide = np.zeros((len(self.code.states), 0))
        dg = np.zeros((len(self.code.varied), 0))
        samples = self.run(tableau, times, u, tau, (*start, wide), dg, kept)
        return samples.x, samples.dep

    def back(
        self, tableau: Tableau, times: tuple[float, float, int], u: Array, tau: Array,
        passed: tuple[Stages, tuple[Array, Array]], added: Array, weights: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Adjoints of the state before some steps, and of the varied quantities.

        Args:
            tableau: the method.
            times: start and step [s], number of steps.
            u: inputs, as for `run`.
            tau: efforts of the joints.
            passed: as from `stages_of`.
            added: adjoints added at each state, shape (steps + 1, states); the first row is not
                read.
            weights: adjoints of the state after the steps.
        """
        (begin, h, steps), (stages, (x, _)) = times, passed
        code, size = self.code, len(self.code.states)
        after, owed = np.array(weights), np.zeros(max(len(code.varied), 1))
        memory = np.zeros((len(tableau.b) + 4) * size + len(code.varied) + 1)
        inputs, rows = np.ascontiguousarray(u), np.ascontiguousarray(added)
        held = self.hold(tau, np.zeros((len(code.varied), 0)))
        run = mirror("il_backward_run")(
            self=ctypes.addressof(self.context),
            pull=code.library.address(f"{code.prefix}_pull_rates"),
            size=size, dependent=len(code.layout.dependent), varied=len(code.varied),
            coordinates=len(code.layout.qd), t=begin, h=h, steps=steps, u=inputs.ctypes.data,
            u_step=inputs[0].size if inputs.ndim == 3 else 0,
            u_stage=inputs.shape[-1] if inputs.ndim == 3 else 0,
            stage_x=stages.x.ctypes.data, stage_dep=stages.dep.ctypes.data,
            attitudes=stages.lengths.shape[1], x=x.ctypes.data,
            lengths=stages.lengths.ctypes.data, added=rows.ctypes.data,
            weights=after.ctypes.data, owed=owed.ctypes.data,
            memory=memory.ctypes.data,
        )  # fmt: skip
        if self.corner_watch is not None:
            run.corners = self.corner_watch.address
        method = self.put_tableau(run, tableau)
        status = code.library.function("il_go_back", POINTER)(ctypes.addressof(run))
        self.check(status, begin)
        del held, method
        return after, owed[: len(code.varied)]

    def pull_signals(
        self, t: Array, u: Array, tau: Array, states: tuple[Array, Array], weights: Array
    ) -> tuple[Array, Array]:
        """Adjoints of x, by row, and of the varied quantities, summed, from weighted signals.

        Args:
            t: times [s].
            u: inputs, shape (rows, inputs), or (inputs,) if they are constant.
            tau: efforts of the joints.
            states: x and dependent coordinates, by row.
            weights: of the signals, shape (rows, signals).
        """
        code, size = self.code, len(self.code.states)
        x, dep = (np.ascontiguousarray(a) for a in states)
        w, inputs, when = (np.ascontiguousarray(a) for a in (weights, u, t))
        y = np.zeros((len(t), size + len(code.varied)))
        held = self.hold(tau, np.zeros((len(code.varied), 0)))
        rows = mirror("il_pulled_rows")(
            self=ctypes.addressof(self.context),
            pull=code.library.address(f"{code.prefix}_pull_signals"),
            rows=len(t), size=size, dependent=dep.shape[1], results=y.shape[1],
            signals=w.shape[1], t=when.ctypes.data, u=inputs.ctypes.data,
            u_row=inputs.shape[-1] if inputs.ndim == 2 else 0,
            x=x.ctypes.data, w=w.ctypes.data, dep=dep.ctypes.data, y=y.ctypes.data,
        )  # fmt: skip
        status = code.library.function("il_pull_rows", POINTER)(ctypes.addressof(rows))
        self.check(status, float(when[-1]))
        del held
        return y[:, :size], y[:, size:].sum(axis=0)
