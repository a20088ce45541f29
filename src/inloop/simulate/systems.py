"""What a stepper integrates: a mode of a plant instance, with its conditions in a run."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import GivenInputs, GivenMotions, Method, ModeTable, Status, usable_compiler
from inloop.native.running.instance import Blame, Instance, NewtonReport, Numbers
from inloop.plant import Array, BarePlant, Formulation, Partition
from inloop.plant.stepping import (
    build_method,
    has_jacobian,
    has_steps,
    is_likely,
    why_no_jacobian,
)
from inloop.plant.unit import plant_unit
from inloop.simulate.drives import Drives
from inloop.simulate.event_driven import refuse_event_driven
from inloop.simulate.inputs import Inputs
from inloop.simulate.refused_methods import refuse_foreign_method, refuse_hard_contacts
from inloop.simulate.results.samples import Samples
from inloop.simulate.scales import Function, Scales, held, natural_scales

ZERO = 1e-9  # of the natural size of an event indicator: smaller is zero
BLOCK = 2000


@dataclass(frozen=True)
class Conditions:
    """What a mode reads during a run.

    Attributes:
        tau: joint efforts.
        inputs: the vector u.
        drives: motion of the driven joints; None without any.
    """

    tau: Array
    inputs: Inputs
    drives: Drives | None = None


class System:
    """A mode of an instance.

    x = (q, qd of independent coordinates, z, q of dependent ones, components of quaternions).

    Attributes:
        plant: equations of the mode.
        formulation: formulation with the independent coordinates in use.
        n: number of independent coordinates.
        size: length of x.
        notes: what is not available, as text.
        sizes: one unit of each coordinate: 1 rad, or the characteristic length [m].
    """

    def __init__(
        self,
        instance: Instance,
        mode: int,
        plant: BarePlant,
        formulation: Formulation,
        conditions: Conditions,
    ) -> None:
        self.instance, self._mode, self.plant = instance, mode, plant
        self.formulation = formulation
        self.sizes = plant.coordinate_sizes
        self.notes: tuple[str, ...] = ()
        self._states = len(plant.mechanism.states)
        self._take_roles()
        self.n = len(self._independent)
        self._turning = plant.nq - plant.n
        self.size = 2 * self.n + self._states + len(self._dependent) + self._turning
        self._select()
        self._numbers(Numbers.TAU)[:] = conditions.tau
        self.u[:] = conditions.inputs.constant
        self._follow(conditions)
        self._numbers(Numbers.PER_UNIT)[:] = 1.0 / self.sizes[self._dependent]
        self._numbers(Numbers.MOST)[:] = [self._limit(entry) for entry in self.entries]

    def _take_roles(self) -> None:
        """Map coordinates to entries of x."""
        parts = self.formulation.carried
        self._independent, self._dependent = list(parts.independent), list(parts.dependent)
        self._driven, self._rows = list(parts.driven), parts.rows

    def follow_choice(self) -> None:
        """Adopt the partition of the instance, which may have changed it."""
        if not self.formulation.chooses_freely:
            return
        roles = self.instance.roles(self._mode, self._role_count)
        partition = self.formulation.partition_of(roles)
        if partition != self.formulation.partition:
            self.formulation = self.formulation.with_partition(partition)
            self._take_roles()

    @property
    def _role_count(self) -> int:
        return 2 * len(self._dependent) + len(self._independent)

    @property
    def choice(self) -> tuple[int | None, Array | None]:
        """Index of the compiled partition, or the roles of one that is not compiled."""
        parts = self.formulation.partition
        if self.formulation.is_compiled:
            return self.formulation.known.index(parts), None
        return None, np.array([*parts.dependent, *parts.independent, *parts.rows], np.float64)

    def _select(self) -> None:
        """Use compiled code for the partition, or the reduction at run time."""
        number, roles = self.choice
        if number is not None:
            self.instance.select(self._mode, number)
        elif roles is not None:
            self.instance.select_roles(self._mode, roles)

    def _follow(self, conditions: Conditions) -> None:
        """Connect functions of time to inputs and driven joints."""
        inputs, drives = conditions.inputs, conditions.drives
        if inputs.function is not None:
            given = GivenInputs(inputs.function.load(), inputs.places)
            self.instance.follow_inputs(self._mode, given)
        if drives is not None and drives.given is not None:
            own = self.instance.motions_of(self._mode)
            moved = GivenMotions(drives.given.load(), drives.places, len(self._driven), own)
            self.instance.follow_motions(self._mode, moved)

    def _numbers(self, which: Numbers) -> Array:
        return self.instance.numbers(which, self._mode)

    @property
    def u(self) -> Array:
        """Inputs, as read by the rates."""
        return self._numbers(Numbers.U)

    @property
    def tau(self) -> Array:
        """Joint efforts, as read by the rates."""
        return self._numbers(Numbers.TAU)

    @property
    def guard(self) -> Array:
        """Factors of reciprocal pivots: outside 0..1 a new partition is due."""
        return self._numbers(Numbers.GUARD).copy()

    @guard.setter
    def guard(self, values: Array) -> None:
        self._numbers(Numbers.GUARD)[:] = values

    @property
    def pull(self) -> float:
        """Rate at which estimates of dependent coordinates converge to closure [1/s]."""
        return float(self._numbers(Numbers.PULL)[0])

    @pull.setter
    def pull(self, value: float) -> None:
        self._numbers(Numbers.PULL)[0] = value

    @property
    def table(self) -> ModeTable:
        """This mode alone as a table for the runtime, for plants without events."""
        return ModeTable(self.instance.modes, (self.size,), (0,), self.instance)

    def ending_rates(self, t: float, x: Array) -> tuple[Status, Array]:
        """Status and rates of a state, as evaluated in a step."""
        return self.instance.rates(self._mode, t, x)

    def rates(self, t: float, x: Array) -> Array | None:
        """Rates of a state, as evaluated in a step; None where undefined."""
        return _good(*self.ending_rates(t, x))

    def exact_rates(self, t: float, x: Array) -> Array | None:
        """Rates of a state, unguarded and closed to the last bit; None where undefined."""
        return _good(*self.instance.rates(self._mode, t, x, exact=True))

    # diagnosis of failures

    @property
    def newton(self) -> NewtonReport | None:
        """Report on Newton's method in redundant steps; None for other methods."""
        return self.instance.newton(self._mode)

    @property
    def open_loop(self) -> str:
        """Name of the loop that could not be closed when a run ended with LOOP_OPEN."""
        return self.formulation.loop_of(self.instance.blame(self._mode, Blame.ROW)[0])

    @property
    def entries(self) -> list[tuple[str, bool] | None]:
        """Coordinate, and whether it is its velocity, for each entry of x; else None."""
        names = self.plant.coordinates
        return [
            *((names[k], False) for k in self._independent),
            *((names[k], True) for k in self._independent),
            *(None for _ in range(self._states)),
            *((names[k], False) for k in self._dependent),
            *(None for _ in range(self._turning)),
        ]

    def _limit(self, entry: tuple[str, bool] | None) -> float:
        largest = sys.float_info.max
        return largest if entry is None else min(largest, self.plant.bounds[entry[0]][entry[1]])

    def beyond(self) -> str:
        """What would have left its bounds in the last failed step, as text."""
        entry = self.entries[self.instance.blame(self._mode, Blame.BEYOND)[0]]
        if entry is None:
            return "the state of a force law, or a quaternion, becomes too large"
        return self.plant.bounds.words(*entry)

    def blame(self, t: float) -> str:
        """What was not finite after time t, as text; empty if unknown."""
        for about in (Blame.DRIVE, Blame.INPUT):
            number, bad_t = self.instance.blame(self._mode, about)
            if number < 0 or bad_t < t:
                continue
            if about == Blame.INPUT:
                return f"input '{self.plant.inputs[number]}' is not finite at t = {bad_t:.6g} s"
            joint = self.formulation.driven[number]
            return f"the motion of driven joint '{joint}' is not finite at t = {bad_t:.6g} s"
        return ""

    # natural units

    @functools.cached_property
    def scales(self) -> Scales:
        """Natural units of x."""
        z = self.plant.first_states
        qd = np.array(self.plant.mechanism.first_qd, dtype=np.float64)
        q, u, v = self.formulation.home(), self._independent, self._dependent
        x = np.concatenate([q[u], qd[u], z, q[v], q[self.plant.n :]])
        units = self.sizes[[*u, *v]]
        with self.at_start():
            unknown = self.plant.size.unknown[[*u, *v]]
            sizes = self.n, len(z)
            turning = self._turning
            return natural_scales(self.exact_rates, x, units, *sizes, unknown, quaternions=turning)

    @contextmanager
    def at_start(self) -> Iterator[None]:
        """Temporarily set inputs to their defaults and driven joints to initial positions."""
        n = self.plant.n
        first = np.zeros(3 * n)
        first[:n] = self.formulation.home()[:n]
        with (
            held(self.u, self.plant.first_inputs),
            held(self._numbers(Numbers.GIVEN), first),
        ):
            yield

    def measure(self) -> None:
        """Pass natural units, and the zero tolerance of each event indicator, to the runtime."""
        self._numbers(Numbers.SIZES)[:] = self.scales.sizes
        events = self.plant.mechanism.events
        zeros = self._numbers(Numbers.TOLERANCES)
        if not len(zeros):
            return  # one mode alone
        sizes = None
        if any(event.tolerance is None for event in events):
            count = len(events)
            g = functools.partial(self.instance.indicators, self._mode, count=count)
            with self.at_start():
                sizes = self.scales.of(_finite(g))
        known = np.ones(len(events)) if sizes is None else np.where(sizes > 0.0, sizes, 1.0)
        for k, event in enumerate(events):
            zeros[k] = ZERO * known[k] if event.tolerance is None else event.tolerance

    @property
    def natural_units(self) -> tuple[Array, Array]:
        """What `measure` has set: one unit of each entry of x, zero tolerance of each indicator."""
        return self._numbers(Numbers.SIZES).copy(), self._numbers(Numbers.TOLERANCES).copy()

    def speed(self, qd: Array) -> float:
        """The largest velocity [rad/s, or characteristic lengths per s]."""
        return float(np.abs(qd / self.sizes).max(initial=0.0))

    # states

    def start(self, t: float, q: Array, qd: Array, z: Array, guarded: bool = True) -> Array:
        """The stepper state x.

        Args:
            t: time [s].
            q: closed position.
            qd: velocities that satisfy the constraints.
            z: states of force laws.
            guarded: end the run when the independent coordinates become ill-conditioned.
        """
        return self.instance.place(self._mode, t, q, qd, z, self.size, guarded)

    def watch(self, x: Array) -> None:
        """Guard the partition relative to a state at t = 0."""
        found = self.motion(np.zeros(1), x[None])
        if len(found.t):
            self.start(0.0, found.q[0], found.qd[0], found.z[0])

    def watch_from_home(self) -> None:
        """Guard the partition relative to the assembled position."""
        q, rest = self.formulation.home(), np.zeros(self.plant.n)
        self.start(0.0, q, rest, self.plant.first_states)

    def expand(self, t: Array, x: Array) -> Samples:
        """All quantities of stepper states: motion, cut forces, constraint violations."""
        found = self.motion(t, x)
        if self.formulation.unconstrained:
            return found
        lam = [found.signals[f"lam.{row}"] for row in self.formulation.row_names]
        columns = np.array(lam).T if lam else np.zeros((len(found.t), 0))
        lam_of_all = self.formulation.on_all_rows(columns)
        found.signals.update(cut_forces(self.formulation, found.q, lam_of_all))
        return replace(found, violation=largest_violation(self.plant, found.q, found.qd, found.t))

    def motion(self, t: Array, x: Array) -> Samples:
        """All coordinates, multipliers and efforts of stepper states."""
        n, m, nd, count = self.plant.n, len(self._rows), len(self._driven), len(t)
        out = [np.zeros((count, size)) for size in (self.plant.nq, n, n, m, nd)]
        good = self.instance.expand(self._mode, t, x, *out)
        # a run that stopped at a singular position may end with a state that does not close
        q, qd, qdd, lam, effort = (a[:good] for a in out)
        t, x = t[:good], x[:good]
        z = x[:, 2 * self.n : 2 * self.n + self._states]
        signals = {state.name: z[:, k] for k, state in enumerate(self.plant.mechanism.states)}
        signals |= {name: q[:, n + k] for k, name in enumerate(self.plant.positions[n:])}
        moving = self.formulation.signals(qdd, lam, effort)
        # accelerations are valid where they are reported
        return Samples(t, q, qd, z, moving | signals, None, qdd if moving else None)


def make_system(
    plant: BarePlant,
    conditions: Conditions,
    method: Method | None = None,
    chosen: Formulation | None = None,
    step: float | None = None,
    *,
    patient: bool = False,
) -> System:
    """The system to integrate for a plant, or for one of its modes alone.

    Args:
        plant: the compiled mechanism.
        conditions: what the plant reads.
        method: the integrator.
        chosen: formulation with the independent coordinates to use; default: that of the plant.
        step: integrator step, if fixed [s].
        patient: iterate impulses of piles to convergence, however long a step takes.
    """
    name, given = plant.name, {} if chosen is None else {plant.name: chosen}
    plants, at = {name: plant}, {name: conditions}
    (system,) = make_systems(plants, at, method, given, step, patient=patient)
    return system


def make_systems(
    plants: Mapping[str, BarePlant],
    conditions: Mapping[str, Conditions],
    method: Method | None = None,
    formulations: Mapping[str, Formulation] | None = None,
    step: float | None = None,
    *,
    patient: bool = False,
) -> tuple[System, ...]:
    """All modes of one instance; arguments as for `make_system`, by mode.

    Args:
        plants: the compiled mechanism of each mode.
        conditions: conditions of each plant.
        method: the integrator.
        formulations: formulations with the independent coordinates to use.
        step: integrator step, if fixed [s].
        patient: iterate impulses of piles to convergence, however long a step takes.
    """
    for plant in plants.values():
        if method is not None and not method.knows_hard_contacts:
            refuse_hard_contacts(plant)
        if method is not None:
            refuse_foreign_method(plant, method)
    if method == Method.EVENT_DRIVEN:
        refuse_event_driven(plants)
    own = {name: plant.formulation for name, plant in plants.items()}
    chosen = {**own, **(formulations or {})}
    for name, plant in plants.items():
        if method is not None and method.knows_hard_contacts:
            build_choices(plant, plant.formulation.known, method)
        elif method is not None:
            _build_when_used(plant, chosen[name], method)
    notes = {name: _missing(plant, chosen[name], method) for name, plant in plants.items()}
    unit = plant_unit(plants)
    instance = Instance(unit.address, Method.RK4 if method is None else method, step or 0.0, unit)
    first = next(iter(plants.values()))
    instance.numbers(Numbers.PARAMETERS)[:] = first.parameters.values_array
    instance.prepare()
    systems = tuple(
        System(instance, k, plant, chosen[name], conditions[name])
        for k, (name, plant) in enumerate(plants.items())
    )
    for k, (name, system) in enumerate(zip(plants, systems, strict=True)):
        instance.numbers(Numbers.PATIENCE, k)[:] = patient
        system.notes = notes[name]
        # finite differences of rates and event indicators use these units
        if plants[name].has_events or _may_take_differences(system, method, conditions[name]):
            system.measure()
    return systems


def _build_when_used(plant: BarePlant, formulation: Formulation, method: Method) -> None:
    """Build what `compile` has left out; runs also work without a compiler."""
    if formulation.is_compiled and is_likely(plant) and usable_compiler() is not None:
        build_method(plant, formulation, method)


def build_choices(plant: BarePlant, partitions: Iterable[Partition], method: Method) -> None:
    """Compile partitions, and what an integrator needs for them."""
    for partition in partitions:
        plant.formulation.compile_partitions([partition])
        build_method(plant, plant.formulation.with_partition(partition), method)


def _may_take_differences(system: System, method: Method | None, conditions: Conditions) -> bool:
    """Whether Jacobians of the rates that an implicit method needs may be missing."""
    free = system.formulation.chooses_freely
    if method == Method.RODAS:
        return free or bool(system.notes) or conditions.inputs.function is not None
    return method == Method.IMPLICIT and (free or not has_steps(system.plant, system.formulation))


def table_of_all(systems: tuple[System, ...]) -> ModeTable:
    """All modes of an instance as a table for the runtime."""
    instance = systems[0].instance
    counts = tuple(len(system.plant.mechanism.events) for system in systems)
    return ModeTable(instance.modes, tuple(s.size for s in systems), counts, instance)


def _missing(plant: BarePlant, formulation: Formulation, method: Method | None) -> tuple[str, ...]:
    """Notes on what is missing for an integrator."""
    if not formulation.is_compiled:
        return ()
    if method == Method.RODAS and not has_jacobian(plant, formulation):
        return (f"{why_no_jacobian(plant, formulation)}: finite differences are used",)
    return ()


def _good(status: Status, rates: Array) -> Array | None:
    return rates if status == Status.OK and np.all(np.isfinite(rates)) else None


def _finite(function: Function) -> Function:
    """The same function, with None where a result is not finite."""

    def checked(t: float, x: Array) -> Array | None:
        found = function(t, x)
        return found if found is not None and np.all(np.isfinite(found)) else None

    return checked


def cut_forces(formulation: Formulation, q: Array, lam: Array) -> dict[str, Array]:
    """Forces, torques and tensions of the cuts by component: "<loop>.force.x".

    Args:
        formulation: formulation with the loops.
        q: closed positions, shape (N, n).
        lam: multipliers of all rows, shape (N, rows).
    """
    blocks = [formulation.rows.cut_forces(q[b], lam[b], False) for b in _blocks(len(q))]
    signals: dict[str, Array] = {}
    for name in blocks[0] if blocks else ():
        values = np.concatenate([block[name] for block in blocks])
        if values.ndim == 1:
            signals[name] = values
        else:
            signals |= {f"{name}.{axis}": values[:, k] for k, axis in enumerate("xyz")}
    return signals


def _blocks(count: int) -> list[slice]:
    """Rows in blocks, to limit memory for intermediate results."""
    return [slice(k, k + BLOCK) for k in range(0, count, BLOCK)]


def largest_violation(plant: BarePlant, q: Array, qd: Array, t: Array) -> Array:
    """Largest constraint violation at each sample, including dropped rows."""
    if not len(t):
        return np.zeros(0)
    blocks = _blocks(len(t))
    return np.concatenate([plant.formulation.rows.violation(q[b], qd[b], t[b]) for b in blocks])
