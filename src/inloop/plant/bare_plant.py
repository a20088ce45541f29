"""A mechanism whose equations can be evaluated."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from inloop.codegen.c_formulas import emit_formulas
from inloop.errors import InputError
from inloop.formalisms import PROGRAMS, Derivation
from inloop.formalisms.closed import ClosedLoops
from inloop.formalisms.events import ModeEvents
from inloop.formalisms.partition import Partition
from inloop.formalisms.sensors import sensor_name
from inloop.formalisms.signals import Signal, input_program
from inloop.model import Mechanism
from inloop.native import CHAIN_FLAGS
from inloop.plant import labels
from inloop.plant.engine import Array, Engine, NativeEngine, Unit, make_engine, runs_native
from inloop.plant.loops import Loops
from inloop.plant.outline import Outline, outline
from inloop.plant.parameters import Parameters
from inloop.plant.passes import PassReport, run_passes
from inloop.plant.reactions import joint_reactions
from inloop.symbolic import Program

CORE = ("inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy")
STATE = ("q", "qd", "qdd", "tau", "lam")
OPTIONAL = ("u", "z", "t")  # zero when not given; states of laws: as at the start
LARGE = 60  # coordinates from which the mass matrix is built only when asked for
Extra = Callable[[Sequence[Program], str, Sequence[str]], Mapping[str, str]]
Numbers = Array | Sequence[float] | Sequence[Sequence[float]]


class BarePlant:
    """The compiled equations of motion M(q) qdd + c(q, qd, u, t) = tau.

    Functions take arrays of shape (n,), or (N, n) for many states at once.

    Attributes:
        mechanism: the model it came from.
        coordinates: names of the coordinates, in the order of all vectors.
        inputs: names of the entries of u.
        parameters: live parameters, a mapping that can be written.
        operations: operation counts by function; what `prepare` does is listed apart.
        times: seconds spent deriving and building, by function set.
        by_mode: of a mechanism that changes while it runs: the plants of its modes by name.
    """

    by_mode: Mapping[str, BarePlant] = MappingProxyType({})

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
        modes: Mapping[str, Mechanism] | None = None,
    ) -> None:
        start = time.perf_counter()
        self._modes = modes  # mechanisms of all modes of which this one is the plant
        self.mechanism = mechanism
        self.name = mechanism.name
        self.coordinates = mechanism.coordinates
        self._backend = backend
        self._derivation = Derivation(mechanism, live, external_forces)
        self.inputs = self._derivation.input_names
        self.parameters = Parameters(self._derivation.symbols.parameters)
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

    def inverse_dynamics(
        self, q: Numbers, qd: Numbers, qdd: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> Array:
        """Efforts tau = M qdd + c [N·m or N]."""
        return self.evaluate("inverse_dynamics", q=q, qd=qd, qdd=qdd, u=u, t=t)["tau"]

    def direct_dynamics(
        self, q: Numbers, qd: Numbers, tau: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> Array:
        """Accelerations qdd with M qdd + c = tau [rad/s² or m/s²]."""
        return self.evaluate("direct_dynamics", q=q, qd=qd, tau=tau, u=u, t=t)["qdd"]

    def mass_matrix(self, q: Numbers) -> Array:
        """Symmetric mass matrix M, shape (n, n) or (N, n, n)."""
        return self.evaluate("mass_matrix", q=q)["M"]

    def bias(self, q: Numbers, qd: Numbers, u: Numbers | None = None, t: float = 0.0) -> Array:
        """c: gravity, velocity terms, force laws and inputs [N·m or N]."""
        return self.evaluate("bias", q=q, qd=qd, u=u, t=t)["c"]

    def energy(self, q: Numbers, qd: Numbers) -> Array:
        """Kinetic and potential energy [J], shape (2,) or (N, 2)."""
        return self.evaluate("energy", q=q, qd=qd)["E"]

    def law_outputs(
        self,
        q: Numbers,
        qd: Numbers,
        z: Numbers | None = None,
        u: Numbers | None = None,
        t: Numbers | float = 0.0,
    ) -> dict[str, Array]:
        """What the force laws make known, by name "<law>.<output>"; shape () or (N,) each.

        Args:
            q: coordinates.
            qd: velocities.
            z: states of the laws; those at the start if not given.
            u: inputs.
            t: time [s].
        """
        outputs = self.mechanism.law_outputs
        if not outputs:
            return {}
        y = self.evaluate("law_outputs", q=q, qd=qd, z=z, u=u, t=t)["y"]
        return {output.name: y[..., k] for k, output in enumerate(outputs)}

    def joint_reactions(
        self,
        q: Numbers,
        qd: Numbers,
        qdd: Numbers | None = None,
        *,
        tau: Numbers | None = None,
        lam: Numbers | None = None,
        z: Numbers | None = None,
        u: Numbers | None = None,
        t: Numbers | float = 0.0,
    ) -> dict[str, Array]:
        """Force [N] and moment [N·m] that each joint transmits to its body, in world axes.

        The moment is about the origin of the body. Efforts of drives and laws in the joint are
        part of both.

        Args:
            q: coordinates; a closed position for a mechanism with loops.
            qd: velocities.
            qdd: accelerations; if not given, those that the efforts `tau` produce, and dependent
                coordinates and velocities of a mechanism with loops follow from the others.
            tau: joint efforts, zero if not given.
            lam: multipliers that belong to given accelerations of a mechanism with loops.
            z: states of force laws; those at the start if not given.
            u: inputs.
            t: time [s].

        Returns:
            "<joint>.force" and "<joint>.moment", shape (3,) or (N, 3).
        """
        return joint_reactions(self, q, qd, qdd, lam, tau, z=z, u=u, t=t)

    def inverse_dynamics_derivatives(
        self, q: Numbers, qd: Numbers, qdd: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> dict[str, Array]:
        """∂tau/∂q, ∂tau/∂qd and ∂tau/∂qdd = M."""
        found = self.evaluate("inverse_dynamics_derivatives", q=q, qd=qd, qdd=qdd, u=u, t=t)
        return {**found, "dtau_dqdd": self.mass_matrix(q)}

    def direct_dynamics_derivatives(
        self, q: Numbers, qd: Numbers, tau: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> dict[str, Array]:
        """∂qdd/∂q, ∂qdd/∂qd and ∂qdd/∂tau = M⁻¹."""
        return self.evaluate("direct_dynamics_derivatives", q=q, qd=qd, tau=tau, u=u, t=t)

    def parameter_derivatives(
        self, names: Sequence[str], q: Numbers, qd: Numbers, *, qdd: Numbers, tau: Numbers
    ) -> dict[str, Array]:
        """∂tau/∂p and ∂qdd/∂p for live parameters, one column per name."""
        for name in names:
            self.parameters[name]  # complains about unknown names
        key = hashlib.sha256(json.dumps(list(names)).encode()).hexdigest()[:8]
        kinds = (f"inverse_dynamics_by_{key}", f"direct_dynamics_by_{key}")
        if kinds[0] not in self._engines:
            programs = self._derivation.parameter_derivatives(names)
            renamed = [
                Program(kind, p.inputs, p.outputs, p.doc, p.formalism)
                for kind, p in zip(kinds, programs, strict=True)
            ]
            self._add(renamed)
        first = self.evaluate(kinds[0], q=q, qd=qd, qdd=qdd)
        return {**first, **self.evaluate(kinds[1], q=q, qd=qd, tau=tau)}

    def cut_forces(
        self,
        q: Numbers,
        qd: Numbers,
        tau: Numbers | None = None,
        *,
        qdd: Numbers | None = None,
        u: Numbers | None = None,
        t: float = 0.0,
    ) -> dict[str, Array]:
        """Forces and torques in the cuts of the loops at one state, in world axes.

        They act on the second end that was given to `m.close`, at the cut point; the opposite acts
        on the first. Rows that follow from the others are dropped and carry no force
        (`plant.loops.notes` names them): rigid bodies do not tell how the load is shared there, and
        the rows that are left carry all of it.

        Args:
            q: coordinates; dependent ones are brought to closure.
            qd: velocities; those of dependent coordinates follow.
            tau: efforts on all joints [N·m or N]; 0 by default.
            qdd: accelerations, of which those of driven joints are used; 0 by default.
            u: inputs.
            t: time [s].

        Returns:
            "<loop>.force" [N], of solid and hinge cuts "<loop>.torque" [N·m], shape (3,), and of
            rods "<loop>.tension", positive when it pulls its ends together [N], shape ().
        """
        if self.loops is None:
            return {}
        rest = np.zeros(self.n)
        others = {"qdd": rest if qdd is None else qdd, "u": u, "t": t}
        efforts = rest if tau is None else np.asarray(tau)
        found = self.loops.motion(np.asarray(q), np.asarray(qd), efforts, **others)
        return self.loops.cut_forces(found["q"], found["lam"])

    # sensors

    def _sensor(self, path: str, kind: str) -> str:
        name = f"{sensor_name(path)}_{kind}"
        if name not in self._engines:
            self._add(self._derivation.sensor(path))
        return name

    def pose(self, path: str, q: Numbers, axes: str | None = None) -> tuple[Array, Array]:
        """Position p_WQ [m] and orientation R_WF of a point, frame or body.

        Args:
            path: such as "arm.tip".
            q: coordinates.
            axes: another frame A; the position is then p_AQ in its axes, the orientation R_AF.
        """
        found = self.evaluate(self._sensor(path, "pose"), q=q)
        if axes is None:
            return found["p"], found["R"]
        p_WA, R_WA = self.pose(axes, q)
        return turned(R_WA, found["p"] - p_WA), np.swapaxes(R_WA, -1, -2) @ found["R"]

    def outline(self, q: Numbers) -> Outline:
        """Corners of all bodies and ends of all springs in the world, for a drawing.

        Args:
            q: one position (n,), or many (N, n).
        """
        return outline(self, np.atleast_2d(np.asarray(q, dtype=np.float64)))

    def position(self, path: str, q: Numbers, axes: str | None = None) -> Array:
        """Position of a point or frame [m], in the world or relative to another frame."""
        return self.pose(path, q, axes)[0]

    def motion(
        self,
        path: str,
        q: Numbers,
        qd: Numbers,
        qdd: Numbers | None = None,
        axes: str | None = None,
    ) -> dict[str, Array]:
        """Velocity v, acceleration acc, angular velocity om and acceleration omd.

        All are relative to the world; `axes` names a frame in whose axes they are given.
        """
        still = np.zeros(np.shape(q)) if qdd is None else qdd
        found = self.evaluate(self._sensor(path, "motion"), q=q, qd=qd, qdd=still)
        if axes is None:
            return found
        R_WA = self.pose(axes, q)[1]
        return {name: turned(R_WA, vector) for name, vector in found.items()}

    def velocity(self, path: str, q: Numbers, qd: Numbers, axes: str | None = None) -> Array:
        """Velocity of a point or frame relative to the world [m/s]."""
        return self.motion(path, q, qd, axes=axes)["v"]

    def acceleration(
        self, path: str, q: Numbers, qd: Numbers, qdd: Numbers, axes: str | None = None
    ) -> Array:
        """Acceleration of a point or frame relative to the world [m/s²]."""
        return self.motion(path, q, qd, qdd, axes)["acc"]

    def jacobian(self, path: str, q: Numbers, axes: str | None = None) -> Array:
        """∂(v, om)/∂qd of a point or frame, shape (6, n) or (N, 6, n)."""
        found = self.evaluate(self._sensor(path, "jacobian"), q=q)
        parts = [found["Jv"], found["Jw"]]
        if axes is not None:
            R_AW = np.swapaxes(self.pose(axes, q)[1], -1, -2)
            parts = [R_AW @ part for part in parts]
        return np.concatenate(parts, axis=-2)


def native_engine(plant: BarePlant, function: str) -> NativeEngine:
    """The library of a function; simulation needs one."""
    engine = plant._engine(function)
    if not isinstance(engine, NativeEngine):
        raise InputError(
            "simulation needs native code", fix="Install a C compiler, or pip install inloop[cc]."
        )
    return engine


def turned(R_WA: Array, v_W: Array) -> Array:
    """Components in axes of A of vectors given in world axes: v_A = R_WAᵀ v_W."""
    return np.asarray(np.einsum("...ji,...j->...i", R_WA, v_W))


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
