"""The equations of a mechanism: derived, built, and called by name."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inloop.codegen.c_formulas import emit_formulas
from inloop.errors import InputError, ModelError, name_hint
from inloop.formalisms import PROGRAMS, Derivation
from inloop.formalisms.kept_formulas import kept_formulas
from inloop.formalisms.sensing import SENSOR_OUTPUTS
from inloop.formalisms.size import Size, size_of
from inloop.model import Mechanism
from inloop.model.names import quoted
from inloop.native import CHAIN_FLAGS
from inloop.plant import labels
from inloop.plant.arguments import check_names, read_names, real, reals, row_count
from inloop.plant.backlog import Backlog
from inloop.plant.configuration import Configuration
from inloop.plant.engine import (
    Array,
    Engine,
    NativeEngine,
    PythonEngine,
    Unit,
    make_engine,
    runs_native,
)
from inloop.plant.kept_margins import KeptMargins
from inloop.plant.parameters import Parameters
from inloop.plant.passes import PassReport, run_passes
from inloop.plant.progress import deriving, simplifying, writing
from inloop.symbolic import Program

Extra = Callable[[Sequence[Program], str, Sequence[str]], Mapping[str, str]]
Numbers = Array | Sequence[float] | Sequence[Sequence[float]]


class Equations:
    """Programs that are derived, run through the passes and built when they are needed.

    Attributes:
        mechanism: the model it came from.
        coordinates: names of the coordinates, in the order of all vectors.
        inputs: names of the entries of u.
        parameters: live parameters, a mapping that can be written.
        kept: formulas of them that have bounds.
        operations: operation counts by function; what `prepare` does is listed apart.
        times: seconds spent deriving and building, by function set.
        is_native: the equations run as compiled C.
        modes: mechanisms of all modes of which this one is one; None if it does not change.
        external_forces: bodies that get force and torque inputs beside the declared ones.
        derivation: where the functions of the tree come from.
        building: held while something is derived or built, so that threads may share a plant.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
        modes: Mapping[str, Mechanism] | None = None,
        core: Sequence[str] = (),
    ) -> None:
        """Derive and build the first functions.

        Args:
            mechanism: the model.
            live: numbers of the model to keep as parameters; see `Model.compile`.
            external_forces: bodies with force and torque inputs beside the declared ones.
            backend: "c", "python" or "auto".
            modes: mechanisms of all modes of which this one is one.
            core: functions of the tree that are built at once.
        """
        if not mechanism.bodies:
            raise ModelError(
                f"model '{mechanism.name}' has nothing that moves",
                mechanism.where,
                "Add a body with a joint that moves: m.body(...).",
            )
        live, external_forces = (
            read_names(live, "live"),
            read_names(external_forces, "external_forces"),
        )
        start = time.perf_counter()
        self.building = threading.RLock()
        self.modes = modes
        self.mechanism = mechanism
        self.name = mechanism.name
        self.coordinates = mechanism.coordinates
        self.positions = mechanism.positions
        self.configuration = Configuration(len(mechanism.bodies), mechanism.turned)
        self._backend = backend
        self.is_native = runs_native(backend)
        self._live, self.external_forces = live, external_forces
        self.derivation = self.fresh_derivation()
        self.inputs = self.derivation.input_names
        self.parameters = Parameters(self.derivation.symbols.parameters)
        formulas = kept_formulas(mechanism, self.parameters.declared)
        self.kept = KeptMargins(formulas, self.parameters)
        if self.kept:
            self.parameters.check_with(self.kept.refuse)
        self._size: tuple[int, Size] | None = None  # with the version of the parameters
        self.operations: dict[str, dict[str, int]] = {}
        self.passes: list[PassReport] = []
        self.times: dict[str, float] = {"frames": time.perf_counter() - start}
        self._backlog = Backlog(self.times)
        self._engines: dict[str, Engine] = {}
        self._interpreted: dict[str, Engine] = {}
        self._offered: dict[str, Callable[[], Sequence[Program]]] = {}
        self._complete: frozenset[str] | None = None  # functions at the end of `compile`
        self._prepared: dict[int, tuple[int, Array]] = {}
        self.add([self._timed_program(name, (k, len(core))) for k, name in enumerate(core, 1)])
        if mechanism.law_outputs:
            self.add([self._timed_program("law_outputs")], emit_formulas)
        if mechanism.laws or mechanism.flexible_links or self.inputs:
            self.add([self._timed_program("power")])
        if mechanism.sensors:
            # in a graph of its own: sensors change nothing about the motion
            own = self.fresh_derivation()
            self.add([own.program(SENSOR_OUTPUTS)], emit_formulas, derivation=own)

    @property
    def n(self) -> int:
        """Number of coordinates, and of velocities."""
        return len(self.coordinates)

    @property
    def nq(self) -> int:
        """Length of q: the coordinates, and the components of quaternions of ball joints."""
        return self.configuration.size

    @property
    def size(self) -> Size:
        """How large the mechanism is, with its parameters as they are now."""
        known, version = self._size, self.parameters.version
        if known is None or known[0] != version:
            known = self._size = version, size_of(self.mechanism, self.parameters)
        return known[1]

    def size_with(self, values: Array | None) -> Size:
        """The same for other values of the live parameters, in the order of `parameters`."""
        if values is None:
            return self.size
        by_name = dict(zip(self.parameters, map(float, values), strict=True))
        return size_of(self.mechanism, by_name)

    @property
    def coordinate_sizes(self) -> Array:
        """What counts as one unit of each coordinate: 1 rad, or the characteristic length [m]."""
        return self.size.units

    # building

    def fresh_derivation(self) -> Derivation:
        """The equations in a graph of their own.

        What runs are made of is derived in such a graph whenever it is needed later than the rest:
        its text, and so its rounding, then does not depend on what was derived before it.
        """
        return Derivation(self.mechanism, self._live, self.external_forces)

    def _timed_program(self, name: str, number: tuple[int, int] = (1, 1)) -> Program:
        """Derive a function; `number`: which it is, of how many."""
        start = time.perf_counter()
        with deriving(name, self.name, *number):
            program = self.derivation.program(name)
        self.times[f"derive {name}"] = time.perf_counter() - start
        return program

    def add(
        self,
        programs: Sequence[Program],
        extra: Extra | None = None,
        offered: Callable[[Sequence[Program]], Sequence[Program]] | None = None,
        derivation: Derivation | None = None,
        flags: tuple[str, ...] = CHAIN_FLAGS,
        later: bool = False,
    ) -> None:
        """Run the passes on programs, write them down and make them callable.

        C is compiled when one of its functions is first called, together with what waits then.

        Args:
            programs: what is derived.
            extra: from the programs after the passes to further C files.
            offered: from these to the functions that can be called, if they are others.
            derivation: where the programs come from, if not from that of the core functions.
            flags: of the compiler, where there are further C files.
            later: no run needs it: what cannot be built runs as Python.
        """
        start = time.perf_counter()
        parameters = (derivation or self.derivation).parameters
        with simplifying(len(programs), self.name):
            prepare, printed, reports = run_passes(programs, parameters)
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
        with writing(len(done), self.name):
            files = extra(printed, prefix, about) if extra is not None and self.is_native else {}
        unit = Unit(
            prefix,
            prepare,
            tuple(done),
            about,
            labels.manifest(self.mechanism, self.inputs, declared, done),
            files,
            flags if extra is not None else (),
            self.mechanism.turned,
        )
        engine = make_engine(unit, self._backend, self._backlog, later=later)
        self.times[f"write {first}"] = time.perf_counter() - start
        for program in done:
            self._engines[program.name] = engine

    @property
    def has_events(self) -> bool:
        """True if it is a mode of a mechanism that changes while it runs."""
        return self.modes is not None

    def complete(self) -> None:
        """Compile what still waits: from now on runs use what is there, and no compiler."""
        self._backlog.finish()
        self._complete = frozenset(self._engines)

    def _ready_engine(self, name: str) -> Engine:
        """What `compile` has built of a function; else the function as Python."""
        if self._complete is None or name in self._complete:
            return self.engine(name)
        with self.building:
            if name not in self._interpreted:
                programs = self._derive(name)
                prepare, printed, _ = run_passes(programs, self.derivation.parameters)
                about = labels.about(self.mechanism, self.parameters.declared)
                unit = Unit(f"{self.name}_{name}", prepare, tuple(printed), about, {})
                engine = PythonEngine(unit)
                self._interpreted |= {program.name: engine for program in printed}
            return self._interpreted[name]

    def is_built(self, name: str) -> bool:
        """True if a function has been derived and built."""
        return name in self._engines

    def native_engine(self, name: str) -> NativeEngine:
        """The library of a function; simulation needs one."""
        engine = self.engine(name)
        if not isinstance(engine, NativeEngine):
            raise InputError(
                'a plant that was compiled with backend="python" only evaluates its equations',
                fix="Compile it without backend=; without a compiler, that works too.",
            )
        return engine

    def engine(self, name: str) -> Engine:
        """What runs a function; functions of the tree are derived and built on first use."""
        if str(name) not in self._engines:
            with self.building:
                if str(name) not in self._engines:
                    self.add(self._derive(name), later=self._complete is not None)
        return self._engines[name]

    def _derive(self, name: str) -> Sequence[Program]:
        """The program of a function, and those that are built with it."""
        if str(name) in self._offered:
            return self._offered[name]()
        if str(name) not in PROGRAMS:
            known = ", ".join(dict.fromkeys((*PROGRAMS, *self._engines)))
            raise InputError(f"no function {quoted(name)}", fix=f"Functions are: {known}.")
        return [self._timed_program(name)]

    def offer(self, name: str, derive: Callable[[], Sequence[Program]]) -> str:
        """The name of a function that is derived, and built with others, on first use."""
        self._offered.setdefault(name, derive)
        return name

    def build_apart(
        self, name: str, derive: Callable[[Derivation], Sequence[Program]], extra: Extra
    ) -> str:
        """The name of a function that runs need, derived in a fresh graph and built on first use.

        Args:
            name: of the function.
            derive: gives its program, and those that are built with it.
            extra: from the programs after the passes to further C files.
        """
        with self.building:
            if name not in self._engines:
                start = time.perf_counter()
                derivation = self.fresh_derivation()
                with deriving(name, self.name):
                    programs = derive(derivation)
                self.times[f"derive {name}"] = time.perf_counter() - start
                self.add(programs, extra, None, derivation)
        return name

    @property
    def digest(self) -> str:
        """Hash of the model's description."""
        return labels.digest(self.mechanism, self.parameters.declared)

    def program(self, function: str) -> Program:
        """The program of a function, as it was printed."""
        return self.engine(function).unit.find(function)

    def sources(self) -> dict[str, str]:
        """The generated C files of the core functions, headers included."""
        engine = next(iter(self._engines.values()))
        if isinstance(engine, NativeEngine):
            return {**engine.files.sources, **engine.headers}
        return {}

    # evaluation

    def prepared(self, name: str = "inverse_dynamics") -> Array:
        """The prepared quantities that a function reads, for the current parameters."""
        return self._prepared_of(self.engine(name))

    def _prepared_of(self, engine: Engine) -> Array:
        known = self._prepared.get(id(engine))
        if known is None or known[0] != self.parameters.version:
            values = engine.call("prepare", [self.parameters.values_array], None)[0]
            known = (self.parameters.version, values)
            self._prepared[id(engine)] = known
        return known[1]

    def prepared_for(self, name: str, values: Array) -> Array:
        """The prepared quantities that a function reads, for other values of the parameters."""
        return self.engine(name).call("prepare", [values], None)[0]

    def evaluate(
        self,
        function: str,
        *,
        pre: Any = None,
        lanes: Any = True,
        ready: Any = False,
        **arrays: Any,
    ) -> dict[str, Array]:
        """Call any function of the plant by name.

        Args:
            function: such as "inverse_dynamics". Of a mechanism with loops, "direct_dynamics",
                "mass_matrix" and "bias" are those of the cut tree.
            pre: prepared quantities for other parameters than those of the plant.
            lanes: let many rows use vector code, which is compiled when it is first needed, and
                all cores.
            ready: never wait for a compiler: what `compile` has not built runs as Python.
            arrays: one per input block: q, qd, qdd, tau, u, t; missing u and t are zero, u of
                live drives as at the start.
        """
        engine = self._ready_engine(function) if ready else self.engine(function)
        program = engine.unit.find(function)
        check_names(function, program, arrays)
        rows = row_count(arrays)
        inputs = [self._prepared_of(engine) if pre is None else pre]
        for block in program.inputs[1:]:
            inputs.append(self._input(block.name, len(block.symbols), arrays, rows))
        found = engine.call(function, inputs, rows, lanes)
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
        array = reals(given, name)
        if size == 1 and array.shape in ((), (rows,)):
            array = array.reshape(*array.shape, 1)
        if array.shape[-1:] != (size,):
            raise self.wrong_size(name, array.shape, size)
        return array if array.shape == shape else np.broadcast_to(array, shape)

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

    def wrong_size(self, name: str, shape: tuple[int, ...], size: int) -> InputError:
        """The error of an array that does not fit."""
        names = {"u": self.inputs, "q": self.positions}.get(name, self.coordinates)
        count = shape[-1] if shape else 0
        detail = f" (missing: {', '.join(names[count:][:5])})" if count < size else ""
        return InputError(
            f"{name} has shape {shape}, model '{self.name}' needs {size} entries{detail}",
            fix="Order them as in plant.coordinates (q: plant.positions, u: plant.inputs); see "
            "plant.vector.",
        )

    def vector(self, **values: Any) -> Array:
        """A position q by names; what is not named is 0, or not turned.

        A ball joint is named by its body, with its quaternion (w, x, y, z).
        """
        result = np.zeros(self.nq)
        result[self.n :: 4] = 1.0
        self.fill(result, values)
        return self.configuration.normalized(result)

    def velocities(self, **values: Any) -> Array:
        """Velocities qd, or efforts, by names; what is not named is 0.

        A ball joint is named by its body, with three components in the axes of the body.
        """
        result = np.zeros(self.n)
        self.fill(result, values)
        return result

    def fill(self, vector: Array, values: Mapping[str, Any]) -> None:
        """Write values by name into a vector: into q if it has its length, else into velocities.

        Raises:
            InputError: there is no such name, or its value does not fit.
        """
        for name, value in values.items():
            places = self.places(name, len(vector))
            numbers = [real(value, name)] if len(places) == 1 else reals(value, name)
            if np.shape(numbers) != (len(places),):
                raise InputError(
                    f"{name} is {quoted(value)}",
                    fix="Give a quaternion (w, x, y, z)."
                    if len(places) == 4
                    else "Give three components in the axes of the body.",
                )
            vector[places] = numbers

    def places(self, name: str, size: int) -> list[int]:
        """Where a name is in a vector: in q, if its size is that of q, else in velocities.

        Raises:
            InputError: there is no such name.
        """
        attitudes, of_q = self.mechanism.attitudes, size == self.nq
        names = self.positions if of_q else self.coordinates
        for k, attitude in enumerate(attitudes):
            if name == attitude.name:
                first = self.n + 4 * k
                return [first, first + 1, first + 2, first + 3] if of_q else list(attitude.bodies)
            turns = [self.coordinates[body] for body in attitude.bodies]
            if of_q and name in (*turns, *attitude.names):
                raise InputError(
                    f"'{name}' alone does not define the attitude of '{attitude.name}'",
                    fix=f'Give its quaternion: {{"{attitude.name}": (1, 0, 0, 0)}}.',
                )
        if name not in names:
            raise InputError(
                f"model '{self.name}' has no coordinate '{name}'",
                fix=name_hint(name, names),
            )
        return [names.index(name)]


def _summed(a: dict[str, int] | None, b: dict[str, int]) -> dict[str, int]:
    return dict(b) if a is None else {kind: a[kind] + b[kind] for kind in b}
