"""The equations of a mechanism: derived, built, and called by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from inloop.codegen.c_formulas import emit_formulas
from inloop.errors import InputError, ModelError
from inloop.formalisms import PROGRAMS, Derivation
from inloop.formalisms.closed import ClosedLoops
from inloop.formalisms.events import ModeEvents
from inloop.formalisms.partition import Partition
from inloop.formalisms.signals import Signal, input_program
from inloop.model import Mechanism
from inloop.native import CHAIN_FLAGS
from inloop.plant import labels
from inloop.plant.bounds import Bounds
from inloop.plant.engine import Array, Engine, NativeEngine, Unit, make_engine, runs_native
from inloop.plant.loops import Loops
from inloop.plant.parameters import Parameters
from inloop.plant.passes import PassReport, run_passes
from inloop.symbolic import Program

CORE = ("inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy")
STATE = ("q", "qd", "qdd", "tau", "lam")
OPTIONAL = ("u", "z", "t")  # zero when not given; states of laws: as at the start
LARGE = 60  # coordinates from which the mass matrix is built only when asked for
Extra = Callable[[Sequence[Program], str, Sequence[str]], Mapping[str, str]]
Numbers = Array | Sequence[float] | Sequence[Sequence[float]]


class Equations:
    """Programs that are derived, run through the passes and built when they are needed.

    Attributes:
        mechanism: the model it came from.
        coordinates: names of the coordinates, in the order of all vectors.
        inputs: names of the entries of u.
        parameters: live parameters, a mapping that can be written.
        bounds: of coordinates and speeds, a mapping that can be written.
        operations: operation counts by function; what `prepare` does is listed apart.
        times: seconds spent deriving and building, by function set.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
        modes: Mapping[str, Mechanism] | None = None,
    ) -> None:
        if not mechanism.bodies:
            raise ModelError(
                f"model '{mechanism.name}' has no body that moves",
                where=mechanism.where,
                fix="Add one with m.body(...), on a joint that is not fixed.",
            )
        start = time.perf_counter()
        self._modes = modes  # mechanisms of all modes of which this one is the plant
        self.mechanism = mechanism
        self.name = mechanism.name
        self.coordinates = mechanism.coordinates
        self._backend = backend
        self._derivation = Derivation(mechanism, live, external_forces)
        self.inputs = self._derivation.input_names
        self.parameters = Parameters(self._derivation.symbols.parameters)
        self.bounds = Bounds(mechanism)
        self.operations: dict[str, dict[str, int]] = {}
        self.passes: list[PassReport] = []
        self.times: dict[str, float] = {"frames": time.perf_counter() - start}
        self._engines: dict[str, Engine] = {}
        self._prepared: dict[int, tuple[int, Array]] = {}
        self.loops: Loops | None = None
        self._closed: ClosedLoops | None = None
        closed = mechanism.closed
        core = [n for n in CORE if n != "mass_matrix" or self.n <= LARGE]
        # the open tree of a closed mechanism may have massless tips: no accelerations of its own
        core = [n for n in core if n != "direct_dynamics" or not closed]
        self._add([self._timed_program(name) for name in core])
        if mechanism.law_outputs:
            self._add([self._timed_program("law_outputs")], emit_formulas)
        if closed:
            self._add_loops(ClosedLoops(self._derivation, external_forces))
        else:
            self._add_events(None)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def is_native(self) -> bool:
        """True if the equations run as compiled C."""
        return runs_native(self._backend)

    def __repr__(self) -> str:
        cost = self.operations["constrained" if self.loops else "direct_dynamics"]["total"]
        return f"<Plant '{self.name}': {self.n} coordinates, {cost} operations for qdd>"

    # building

    def _timed_program(self, name: str) -> Program:
        start = time.perf_counter()
        program = self._derivation.program(name)
        self.times[f"derive {name}"] = time.perf_counter() - start
        return program

    def _add_loops(self, closed: ClosedLoops) -> None:
        """Assemble, choose independent coordinates, build the constrained motion."""
        self._closed = closed
        if closed.driven:
            self._add([closed.drives()])
        self._add([closed.constraints(), closed.cut_forces()])
        self.loops = Loops(self, closed)
        self.add_partition()

    def add_partition(self) -> None:
        """Build the constrained motion for the partition that the loops have chosen."""
        assert self.loops is not None
        self._add(self.loops.programs(), self.loops.sources, self.loops.callable)
        self._add_events(self.loops.partition, self.loops.function(""))

    def _add_events(self, partition: Partition | None, suffix: str = "") -> None:
        """Build what the events of a mode need, for one choice of independent coordinates."""
        if self._modes is not None:
            rows = self._closed.rows if self._closed is not None else []
            events = ModeEvents(self._derivation, rows, partition)
            self._add(events.programs(self._modes, suffix), emit_formulas)

    def drive_function(self, motions: Mapping[str, Signal]) -> str | None:
        """Name of the function that gives the motion of the driven joints; built when it is new.

        Args:
            motions: signals for driven joints, in place of those of the model.
        """
        if self._closed is None or not self._closed.driven:
            if motions:
                raise InputError(
                    f"{', '.join(motions)}: not a driven joint of model '{self.name}'",
                    fix="Declare it with m.drive(...).",
                )
            return None
        program = self._closed.drives(motions)
        if program.name not in self._engines:
            self._add([program])
        return program.name

    def input_function(self, signals: Mapping[str, Signal], constant: Collection[str] = ()) -> str:
        """Name of the function that gives u over time; built when it is new.

        Args:
            signals: functions of time or samples, by name of an input.
            constant: names of other inputs that have a value of their own.
        """
        program = input_program(self._derivation, signals, constant)
        if program.name not in self._engines:
            self._add([program])
        return program.name

    def _add(
        self,
        programs: Sequence[Program],
        extra: Extra | None = None,
        offered: Callable[[Sequence[Program]], Sequence[Program]] | None = None,
    ) -> None:
        """Run the passes on programs, build them and make them callable.

        Args:
            programs: what is derived.
            extra: from the programs after the passes to further C files.
            offered: from these to the functions that can be called, if they are others.
        """
        start = time.perf_counter()
        prepare, printed, reports = run_passes(programs, self._derivation.parameters)
        done = list(offered(printed)) if offered is not None else printed
        self.passes += reports
        for program in done:
            self.operations[program.name] = program.operations()
        first = done[0].name
        known = self.operations.get("prepare")
        self.operations["prepare"] = _summed(known, prepare.operations())
        self.times[f"passes {first}"] = time.perf_counter() - start
        start = time.perf_counter()
        suffix = "" if not self._engines else f"_{first}"
        declared = self.parameters.declared
        prefix, about = self.name + suffix, labels.about(self.mechanism, declared)
        unit = Unit(
            prefix,
            prepare,
            tuple(done),
            about,
            labels.manifest(self.mechanism, self.inputs, declared, done),
            extra(printed, prefix, about) if extra is not None else {},
            CHAIN_FLAGS if extra is not None else (),
        )
        engine = make_engine(unit, self._backend)
        self.times[f"build {first}"] = time.perf_counter() - start
        for program in done:
            self._engines[program.name] = engine

    def _engine(self, name: str) -> Engine:
        if name not in self._engines:
            if name not in PROGRAMS:
                known = ", ".join(dict.fromkeys((*PROGRAMS, *self._engines)))
                raise InputError(f"no function '{name}'", fix=f"Functions are: {known}.")
            self._add([self._timed_program(name)])
        return self._engines[name]

    @property
    def digest(self) -> str:
        """Hash of the model's description."""
        return labels.digest(self.mechanism, self.parameters.declared)

    def program(self, function: str) -> Program:
        """The program of a function, as it was printed."""
        return self._engine(function).unit.find(function)

    def sources(self) -> dict[str, str]:
        """The generated C files of the core functions, headers included."""
        engine = self._engines["inverse_dynamics"]
        if isinstance(engine, NativeEngine):
            return {**engine.files.sources, **engine.headers}
        return {}

    # evaluation

    def prepared(self, name: str = "inverse_dynamics") -> Array:
        """The prepared quantities that a function reads, for the current parameters."""
        engine = self._engine(name)
        known = self._prepared.get(id(engine))
        if known is None or known[0] != self.parameters.version:
            values = engine.call("prepare", [self.parameters.values_array], None)[0]
            known = (self.parameters.version, values)
            self._prepared[id(engine)] = known
        return known[1]

    def evaluate(self, function: str, **arrays: Any) -> dict[str, Array]:
        """Call any function of the plant by name.

        Args:
            function: such as "inverse_dynamics".
            arrays: one per input block: q, qd, qdd, tau, u, t; missing u and t are zero, u of
                live drives as at the start.
        """
        engine = self._engine(function)
        program = engine.unit.find(function)
        _check_names(function, program, arrays)
        rows = _row_count(arrays)
        inputs = [self.prepared(function)]
        for block in program.inputs[1:]:
            inputs.append(self._input(block.name, len(block.symbols), arrays, rows))
        found = engine.call(function, inputs, rows)
        return {out.name: value for out, value in zip(program.outputs, found, strict=True)}

    def _input(self, name: str, size: int, arrays: Mapping[str, Any], rows: int | None) -> Array:
        given = arrays.get(name)
        shape = (size,) if rows is None else (rows, size)
        if given is None and name == "z":
            given = self.first_states
        if given is None and name == "u":
            given = self.first_inputs
        if given is None:
            return np.zeros(shape)
        array = np.asarray(given, dtype=np.float64)
        if size == 1 and array.shape in ((), (rows,)):
            array = array.reshape(*array.shape, 1)
        if array.shape[-1:] != (size,):
            raise self._wrong_size(name, array.shape, size)
        return np.ascontiguousarray(np.broadcast_to(array, shape))

    @property
    def first_states(self) -> Array:
        """Internal states of force laws at the start."""
        return np.array([state.initial for state in self.mechanism.states], dtype=np.float64)

    @property
    def first_inputs(self) -> Array:
        """u until something is connected: 0, and the initial positions of live drives."""
        drives = (item for drive in self.mechanism.drives for item in drive.inputs)
        defaults = {item.name: item.default for item in (*self.mechanism.inputs, *drives)}
        return np.array([defaults.get(name, 0.0) for name in self.inputs], dtype=np.float64)

    def _wrong_size(self, name: str, shape: tuple[int, ...], size: int) -> InputError:
        names = self.inputs if name == "u" else self.coordinates
        count = shape[-1] if shape else 0
        detail = f" (missing: {', '.join(names[count:][:5])})" if count < size else ""
        return InputError(
            f"{name} has shape {shape}, model '{self.name}' needs {size} entries{detail}",
            fix="Order them as in plant.coordinates (plant.inputs for u); see plant.vector.",
        )

    def vector(self, **values: float) -> Array:
        """A coordinate vector by names; what is not named is 0."""
        result = np.zeros(self.n)
        for name, value in values.items():
            if name not in self.coordinates:
                raise InputError(
                    f"model '{self.name}' has no coordinate '{name}'",
                    fix=f"Names are: {', '.join(self.coordinates[:20])}.",
                )
            result[self.coordinates.index(name)] = value
        return result


def native_engine(plant: Equations, function: str) -> NativeEngine:
    """The library of a function; simulation needs one."""
    engine = plant._engine(function)
    if not isinstance(engine, NativeEngine):
        raise InputError(
            "simulation needs native code", fix="Install a C compiler, or pip install inloop[cc]."
        )
    return engine


def _check_names(function: str, program: Program, arrays: Mapping[str, Any]) -> None:
    """All that the function needs must be there, and nothing that no function knows."""
    needed = [block.name for block in program.inputs[1:]]
    missing = [n for n in needed if n not in OPTIONAL and arrays.get(n) is None]
    unknown = [n for n in arrays if n not in (*STATE, *OPTIONAL, *needed)]
    for names, what in ((missing, "needs"), (unknown, "does not take")):
        if names:
            raise InputError(
                f"{function} {what} {', '.join(names)}", fix=f"It takes {', '.join(needed)}."
            )


def _row_count(arrays: Mapping[str, Any]) -> int | None:
    rows: int | None = None
    for name, array in arrays.items():
        if array is None:
            continue
        shape = np.shape(array)
        if len(shape) > 2:
            raise InputError(
                f"{name} has shape {shape}", fix="Give one state (n,) or many, one per row: (N, n)."
            )
        if len(shape) == 2:
            if rows not in (None, shape[0]):
                raise InputError(
                    f"{name} has {shape[0]} rows, another argument has {rows}",
                    fix="Give all arguments the same number of rows, or one row for all.",
                )
            rows = shape[0]
    return rows


def _summed(a: dict[str, int] | None, b: dict[str, int]) -> dict[str, int]:
    return dict(b) if a is None else {kind: a[kind] + b[kind] for kind in b}
