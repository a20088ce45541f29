"""Quasi-static sweeps: equilibria along a parameter, a coordinate, an effort or an input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inloop.analysis.equilibrium import Equilibrium, solve_equilibrium
from inloop.analysis.law_states import state_vector
from inloop.analysis.reduction import Reduction, check_leading_inputs, input_vector
from inloop.analysis.signals import signals
from inloop.analysis.unknowns import Setting, Unknown, find_unknown, find_unknowns
from inloop.errors import InloopError, InputError, ModelError, SimulationError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import names_or_functions, reals, useless
from inloop.plant.keywords import checked_call
from inloop.simulate.start import Given, vector

MOST_HALVINGS = 6
Quantity = str | Callable[[Equilibrium], float]


@dataclass(frozen=True)
class Sweep:
    """Equilibria along one quantity.

    Attributes:
        over: name of the swept quantity.
        values: its values, shape (N,).
        equilibria: one per value.
        columns: the requested quantities by name, shape (N,) each.
    """

    over: str
    values: Array
    equilibria: tuple[Equilibrium, ...]
    columns: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        if name == self.over and name not in self.columns:
            return self.values
        if name in self.columns:
            return self.columns[name]
        return np.array([found[name] for found in self.equilibria])

    def __str__(self) -> str:
        names = [self.over, *self.columns, "stability"]
        rows = ["".join(f"{name:>18s}" for name in names)]
        for k, found in enumerate(self.equilibria):
            numbers = (self.values[k], *(column[k] for column in self.columns.values()))
            rows.append("".join(f"{x:18.9g}" for x in numbers) + f"{found.stability:>24s}")
        return "\n".join(rows)

    __repr__ = __str__  # typed at a prompt, it tells the same


@checked_call
def sweep(
    plant: BarePlant,
    over: str,
    values: Sequence[float] | Array,
    what: Sequence[Quantity] = (),
    *,
    q: Given = None,
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    states: Mapping[str, float] | Array | None = None,
) -> Sweep:
    """Follow an equilibrium while one quantity changes slowly.

    Each search starts from the previous equilibrium; if it fails, the step is halved.

    Args:
        plant: the compiled mechanism; its parameters are restored afterwards.
        over: a parameter, an independent or driven coordinate (which is then held, and its effort
            computed), "<joint>.effort" or an input.
        values: its values, in this order.
        what: "<joint>.q", "<joint>.effort", "<law>.<state>", "<point>.x", or functions of the
            equilibrium; default: all coordinates.
        q: initial guess, by name or as a vector.
        tau: joint efforts [N·m or N].
        inputs: values of named inputs.
        states: initial guess of states of force laws; at each equilibrium their rates vanish.

    Raises:
        SimulationError: an equilibrium is lost; `result` holds those found before.
        KeyboardInterrupt: Ctrl-C; `result` holds those found before.
    """
    reduction = Reduction(plant)
    reduction.refuse_led_positions("a sweep")
    steered = find_unknown(reduction, over)
    if steered.kind == "coordinate" and steered.index in reduction.dependent:
        raise InputError(
            f"coordinate '{over}' is dependent",
            fix=f"Sweep one of {', '.join(reduction.names)}, or use m.independent(...).",
        )
    wanted = names_or_functions(what, "what") or tuple(f"{name}.q" for name in plant.coordinates)
    setting = Setting(
        reduction.start(q),
        vector(plant, tau, [0.0] * plant.n, "tau"),
        input_vector(plant, inputs),
        state_vector(plant, states),
    )
    check_leading_inputs(plant, inputs or (), setting.q, setting.u)
    along = reals(values, "values")
    if along.ndim != 1 or not np.all(np.isfinite(along)):
        raise useless(values, "values", "Give a list of finite numbers, one per equilibrium.")
    return _Follower(reduction, steered, setting, wanted).run(along)


class _Follower:
    """Continuation from one equilibrium to the next."""

    def __init__(
        self, reduction: Reduction, steered: Unknown, setting: Setting, wanted: Sequence[Quantity]
    ) -> None:
        self.reduction, self.steered = reduction, steered
        self.setting, self.wanted = setting, wanted
        held = {steered.index} if steered.kind == "coordinate" else set()
        self.held = [k for k in reduction.independent if k in held]
        names = [reduction.plant.coordinates[k] for k in reduction.independent if k not in held]
        self.unknowns = find_unknowns(reduction, names, self.held)

    def run(self, values: Array) -> Sweep:
        parameters = self.reduction.plant.parameters
        before = parameters.values_array.copy()
        found: list[Equilibrium] = []
        table: list[list[float]] = []
        try:
            for value in values:
                try:
                    found.append(self.go(float(value), first=not found))
                except (InputError, SimulationError, ModelError) as error:
                    so_far = self.sweep(values, found, table)
                    raise self.lost(error, float(value), so_far) from error
                table.append([self.quantity(item, found[-1]) for item in self.wanted])
        except KeyboardInterrupt as error:
            raise self.interrupted(self.sweep(values, found, table)) from error
        finally:
            parameters.values_array[:] = before
            parameters.version += 1
        return self.sweep(values, found, table)

    def go(self, value: float, *, first: bool) -> Equilibrium:
        """The equilibrium at a value, reached in as many equal substeps as necessary."""
        plant = self.reduction.plant
        last = self.steered.read(plant, self.setting)
        start = self.setting.copy()
        for halvings in range(MOST_HALVINGS + 1):
            parts = 2**halvings
            self.setting = start.copy()
            try:
                for k in range(1, parts + 1):
                    found = self.at(last + (value - last) * k / parts if k < parts else value)
                return found
            except (InputError, SimulationError, ModelError):
                self.steered.write(plant, self.setting, last)
                if halvings == MOST_HALVINGS or (value == last and first):
                    raise
        raise AssertionError("not reached")

    def at(self, value: float) -> Equilibrium:
        plant, near = self.reduction.plant, self.setting.q.copy()
        self.steered.write(plant, self.setting, value)
        goal = plant.configuration.placed(near, self.setting.q[: plant.n])
        self.setting.q[:] = self.reduction.follow(near, goal, self.setting.t)
        found = solve_equilibrium(self.reduction, self.setting, self.unknowns, self.held)
        self.setting.q[:], self.setting.z[:] = found.q, found.z
        return found

    def quantity(self, item: Quantity, found: Equilibrium) -> float:
        if callable(item):
            return float(item(found))
        joint, _, kind = item.rpartition(".")
        if joint in found.coordinates and kind in ("q", "effort"):
            return found[item]
        at, rest = found.q[None], np.zeros((1, self.reduction.plant.n))
        s = self.setting
        state = self.reduction.motion(at, rest, rest, tau=found.tau, z=found.z, u=s.u, t=s.t)
        return float(signals(self.reduction, [item], {"q": at, **state})[0, 0])

    def sweep(
        self, values: Array, found: Sequence[Equilibrium], table: Sequence[Sequence[float]]
    ) -> Sweep:
        names = [getattr(w, "__name__", "value") if callable(w) else w for w in self.wanted]
        count = min(len(found), len(table))
        array = np.array(table[:count]).reshape(count, len(names))
        columns = {name: array[:, k] for k, name in enumerate(names)}
        return Sweep(self.steered.name, values[:count], tuple(found[:count]), columns)

    def interrupted(self, so_far: Sweep) -> KeyboardInterrupt:
        """Ctrl-C, with the equilibria found so far."""
        count = len(so_far.equilibria)
        error = KeyboardInterrupt(
            f"interrupted: the sweep over '{self.steered.name}' has {count} values; "
            "error.result holds them"
        )
        error.result = so_far  # type: ignore[attr-defined]
        return error

    def lost(self, error: InloopError, value: float, so_far: Sweep) -> SimulationError:
        new = SimulationError(
            f"sweep over '{self.steered.name}' lost its equilibrium at {value:g}: "
            f"{error.mistakes[0].what}",
            fix="End the sweep earlier, or change the other loads; error.result holds the "
            "equilibria so far.",
        )
        new.result = so_far  # type: ignore[attr-defined]
        return new
