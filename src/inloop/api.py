"""The names a user imports: `import inloop as il`."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Unpack

from inloop import analysis, bridges, realtime
from inloop import simulate as runs
from inloop.errors import InputError, ModelError, SimulationError
from inloop.io.boards import export_board
from inloop.io.fmi import export_fmu
from inloop.model import Mechanism, ModelBuilder, check_machine
from inloop.model.names import quoted
from inloop.model.starting import start_at
from inloop.model.tyres import LineRoad, Pac2002
from inloop.pictures.result import Result
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, file_path, name_list, real
from inloop.plant.controlling import controller_of
from inloop.plant.holding import hold, rest_of, stop
from inloop.plant.keywords import checked_call, checked_calls, spelled_out, unknown_keyword
from inloop.plant.variation.tangent import tangent
from inloop.realtime.run import StartOptions
from inloop.simulate import Stepper
from inloop.simulate.controlled.law import Controller
from inloop.simulate.readiness import integrators, make_ready
from inloop.simulate.rehearsal import rehearse as simulate_before
from inloop.simulate.results.cards import card, lines
from inloop.simulate.results.energies import with_energy
from inloop.simulate.results.loading import load_result
from inloop.simulate.results.source import source_of_result
from inloop.simulate.sensitivities.run_arguments import RunArguments

if TYPE_CHECKING:
    from inloop.pictures.notebook_studio import NotebookStudio


class Plant(BarePlant):
    """The compiled equations of motion of a mechanism, ready to be evaluated and simulated.

    It holds nothing more than a `BarePlant` and changes nothing of it: it adds the runs, which lie
    in layers above. Functions that take a plant first are methods here: signature and docstring
    are theirs.
    """

    simulate_many = runs.simulate_many
    export_c = runs.export_c
    export_board = export_board
    to_casadi = bridges.to_casadi
    to_jax = bridges.to_jax
    export_fmu = export_fmu
    tangent = tangent
    equilibrium = analysis.equilibrium
    linearize = analysis.linearize
    eigenmodes = analysis.eigenmodes
    energy_audit = analysis.energy_audit
    sweep = analysis.sweep
    inverse_dynamics_run = analysis.inverse_dynamics_run

    @checked_call
    def export_page(
        self,
        file: str | Path,
        *,
        rate: float = 1000.0,
        substeps: int = 1,
        method: str | None = None,
        speed: float = 1.0,
    ) -> Path:
        """Write one HTML file that runs the plant in a browser, with the parameters as they are.

        It holds the plant as WebAssembly and the page of the studio: no server, network or compiler
        is needed to open it. Writing it needs clang and lld, or the package ziglang.

        Args:
            file: best with the ending .html; one of the same name is written anew.
            rate: steps per simulated second [Hz].
            substeps: steps of the integrator per period.
            method: integrator; what a rehearsal of 1 s allows by default.
            speed: simulated seconds per second to begin with.

        Returns:
            The file.

        Raises:
            BuildError: there is no compiler for WebAssembly.
        """
        from inloop.io.page import export_page

        pace: dict[str, Any] = {"rate": rate, "substeps": substeps, "speed": speed}
        return export_page(self, file_path(file, "file"), method=method, **pace)

    @checked_call
    def simulate(
        self,
        *,
        t_end: float,
        step: float = 1e-3,
        method: str | None = None,
        q: Mapping[str, float] | Array | None = None,
        qd: Mapping[str, float] | Array | None = None,
        tau: Mapping[str, float] | Array | None = None,
        inputs: Mapping[str, float | Signal] | None = None,
        sample: float | None = None,
        tolerance: float | None = None,
        start: runs.Result | None = None,
        mode: str | None = None,
        most_events: int = 1000,
        settle_time: float | None = None,
        reactions: str | Sequence[str] = (),
        controller: Controller | None = None,
        period: float | None = None,
        sensitivities: str | Sequence[str] = (),
        **motions: Signal,
    ) -> Result:
        """Integrate the equations of motion.

        Args:
            t_end: length of the run [s].
            step: step of the integrator [s]; shortened so that a whole number fits into t_end.
                With a tolerance: time between samples.
            method: "rk4", "euler" (symplectic), "dopri", "rodas" (for stiff laws), "implicit"
                (cheap, for stiff laws in real time) or "scipy" (a slow reference); if none is
                named, "rk4" or what suits the mechanism better.
            q: coordinates at the start, by name or as a vector; else the joints' initial values.
            qd: velocities at the start; those of dependent coordinates follow.
            tau: constant joint efforts [N·m or N].
            inputs: by name: constants, functions of time, or samples (times, values).
            sample: time between samples [s]; every step by default.
            tolerance: relative error per step; then "dopri", "rodas" and "alpha" choose their own
                steps.
            start: an earlier result with the same step to continue from, up to t_end.
            mode: of a mechanism with modes, the one to start in; the first by default.
            most_events: of a mechanism with modes, how many may happen.
            settle_time: of a mechanism with modes, events that come faster than this settle [s].
            reactions: joints whose forces and moments the result shall hold, as
                "<joint>.force.x", ..., "<joint>.moment.z" in world axes: names, or "all".
            controller: a function of time and outputs that returns inputs by name, or an object
                with `__call__` and, if it has states, `reset()`.
            period: between two calls of the controller [s]; its answer is held between them.
            sensitivities: what `result.sensitivities` shall hold derivatives by: names of live
                parameters, of inputs, and of start values ("crank.q", "crank.qd", states of laws).
                Not with "alpha" (docs/sensitivities.md).
            motions: functions of time, or samples, for driven joints, by their names:
                `plant.simulate(t_end=2.0, crank=lambda t: 6 * t)`.

        Raises:
            SimulationError: the run cannot go on; `result` holds what was computed.
            KeyboardInterrupt: Ctrl-C; `result` holds what was computed, if there is anything.
        """
        if start is not None and not isinstance(start, runs.Result):
            raise InputError(f"start is {quoted(start)}", fix="Give the result of an earlier run.")
        if start is not None and start.end is None:
            raise InputError(
                "start was read from a file, which does not contain the full state needed to "
                "continue",
                fix="Give q and qd of its last sample.",
            )
        self._check_motions(motions)
        common: dict[str, Any] = {
            "t_end": t_end,
            "step": step,
            "method": method,
            "q": q,
            "qd": qd,
            "tau": tau,
            "inputs": by_name(inputs, "inputs"),
            "sample": sample,
            "tolerance": tolerance,
            "start": start,
            "motions": motions,
            "reactions": reactions,
        }
        changing: dict[str, Any] = {
            "mode": mode,
            "most_events": most_events,
            "settle_time": settle_time,
        }
        if mode is not None and not self.by_mode:
            raise InputError(f"model '{self.name}' has no modes", fix="Leave out mode=.")
        plants: Mapping[str, BarePlant] = self.by_mode or {self.name: self}
        own = controller_of(plants)
        if own is not None and controller is None and period is not None:
            raise InputError(
                f"controller '{own.name}' is part of the plant, which also sets its period",
                fix="Leave out period=.",
            )
        if controller is not None or own is not None:
            return self._shown(
                partial(
                    runs.simulate_controlled,
                    plants,
                    controller,
                    period=period,
                    **common,
                    **changing,
                )
            )
        if period is not None:
            raise InputError(
                "period= is given without a controller", fix="Give controller= as well."
            )
        if self.by_mode:
            run = partial(runs.simulate_modes, self.by_mode, **common, **changing)
        else:
            run = partial(runs.simulate, self, **common)
        if not sensitivities:
            return self._shown(run)
        names = name_list(sensitivities, "sensitivities")
        return self._shown(partial(runs.simulate_sensitive, self, run, names, common))

    @checked_call
    def gradient(
        self,
        loss: runs.Loss,
        by: str | Sequence[str],
        *,
        t_end: float,
        step: float = 1e-3,
        method: str | None = None,
        q: Mapping[str, float] | Array | None = None,
        qd: Mapping[str, float] | Array | None = None,
        tau: Mapping[str, float] | Array | None = None,
        inputs: Mapping[str, float | Signal] | None = None,
        sample: float | None = None,
    ) -> runs.Gradient:
        """A figure of a run and its derivatives, at a cost that does not grow with their number.

            found = plant.gradient({"arm.q": recorded}, by=["k", "arm.mass"], t_end=2.0)
            found.value, found["k"]

        Args:
            loss: by signal, recorded samples: the figure is the sum of squares of what differs at
                all samples; or a function of the result that returns the figure and, by signal,
                its derivatives by each of the samples.
            by: live parameters, inputs and start values, as `sensitivities` of `simulate`.
            t_end: length of the run [s].
            step: step of the integrator [s].
            method: "rk4", "euler" or "dopri"; for stiff laws "rodas" or "implicit"; for hard
                contacts "event_driven" or "moreau", at a cost that grows with the number.
            q: coordinates at the start.
            qd: velocities at the start.
            tau: constant joint efforts [N·m or N].
            inputs: by name: constants, functions of time, or samples (times, values).
            sample: time between samples [s]; every step by default.

        Raises:
            InputError: there is no such name, or the run has no derivatives that are known here.
        """
        given = RunArguments(t_end, step, sample, q, qd, tau, inputs)
        result = self.simulate(
            t_end=t_end, step=step, method=method, q=q, qd=qd, tau=tau, inputs=inputs, sample=sample
        )
        return runs.gradient_of(self, result, loss, name_list(by, "by"), given)

    def _shown(self, run: Callable[[], runs.Result]) -> Result:
        """The result of a run, or of what there is of it, with the plant to draw it."""
        try:
            return Result.of(run(), self)
        except (SimulationError, KeyboardInterrupt) as error:
            kept = getattr(error, "result", None)
            if isinstance(kept, runs.Result):
                error.result = Result.of(kept, self)  # type: ignore[union-attr]
            raise

    def _repr_html_(self) -> str:
        from inloop.pictures.cards import plant_card

        return plant_card(self)

    @checked_call
    def stepper(
        self,
        *,
        step: float = 1e-3,
        method: str | None = None,
        mode: str | None = None,
        q: Mapping[str, float] | Array | None = None,
        qd: Mapping[str, float] | Array | None = None,
        inputs: Mapping[str, float] | None = None,
        motions: Mapping[str, Signal] | None = None,
        most_events: int = 16,
    ) -> Stepper:
        """The plant one step at a time, with inputs that change between steps.

        Args:
            step: [s].
            method: "rk4", "euler", "dopri", "rodas", "implicit" or "moreau", at fixed steps; None
                for "rk4", or "moreau" where contacts are hard.
            mode: of a mechanism with modes, the one to start in; the first by default.
            q: coordinates at the start, by name or as a vector.
            qd: velocities at the start.
            inputs: first values of inputs, by name.
            motions: functions of time for driven joints, by name.
            most_events: that one step may hold.
        """
        return Stepper(
            self.by_mode or {self.name: self},
            step=step,
            method=method,
            mode=mode,
            q=q,
            qd=qd,
            inputs=inputs,
            motions=motions,
            most_events=most_events,
        )

    def _check_motions(self, motions: Mapping[str, Any]) -> None:
        """Keywords beyond those of `simulate` must name driven joints."""
        plants: list[BarePlant] = [*self.by_mode.values()] or [self]
        driven = [name for plant in plants for name in plant.formulation.driven]
        for name in motions:
            if name in driven:
                continue
            if any(name in plant.inputs for plant in plants):
                raise InputError(
                    f"'{name}' is an input of model '{self.name}', not a driven joint",
                    fix=f'Write inputs={{"{name}": ...}}.',
                )
            if any(name in plant.coordinates for plant in plants):
                raise InputError(
                    f"{name}: not a driven joint of model '{self.name}'",
                    fix=f'Declare m.drive("{name}"); a start is written q={{"{name}": ...}}, an '
                    f'effort tau={{"{name}": ...}}.',
                )
            raise unknown_keyword("simulate", name, (*KEYWORDS, *driven))


# of simulate, beside names of driven joints
KEYWORDS = tuple(list(inspect.signature(Plant.simulate).parameters)[1:-1])


@checked_calls
class Model(ModelBuilder):
    """The description of a mechanism; `build()` freezes it, `compile()` makes it a plant."""

    def compile(
        self,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
        methods: str | Sequence[str] = (),
        rehearse: float = 0.0,
        formulation: str = "reduced",
        damping: float | None = None,
        solves: int | None = None,
    ) -> Plant:
        """Derive the equations, generate code and compile it: runs need no compiler afterwards.

        Args:
            live: numbers of the model to keep as parameters beside the declared ones: "all", or
                names such as "crank.mass" or "crank.pin.x".
            external_forces: bodies that get force and torque inputs beside the declared ones:
                "all" or names.
            backend: "c", "python", or "auto" for C where a compiler is found.
            methods: integrators that get code of their own at once: "implicit", "rodas". Where the
                mechanism is small, touches something, or has force laws that may be stiff, they get
                it when they are first used; else they take differences of the rates. The others
                need none.
            rehearse: simulate a mechanism with loops for so many seconds, and build code for each
                choice of independent coordinates that it meets. Others are solved while it runs,
                which takes about four times as long.
            formulation: "reduced" for as few coordinates as there are, or "redundant" for six of
                each body and the forces between them (docs/redundant.md).
            damping: with "redundant", the part that vibrations much faster than the steps lose in
                each, from 0 to 1; 0.2 if not given.
            solves: with "redundant", linear systems that Newton's method solves in each step, for
                steps that all cost the same; 2 suffice as a rule. As many as it takes if not given.
        """
        plant = compile_mechanism(
            self.build(),
            methods=methods,
            live=live,
            external_forces=external_forces,
            backend=backend,
            formulation=formulation,
            damping=damping,
            solves=solves,
        )
        seconds = real(rehearse, "rehearse")
        if not 0.0 <= seconds < float("inf"):
            raise InputError(f"a rehearsal of {seconds} s makes no sense", fix="Use 0 or more.")
        if seconds > 0.0:
            simulate_before(plant, t_end=seconds)
            make_ready(plant, ())
        return plant

    def _repr_html_(self) -> str:
        from inloop.pictures.cards import model_card

        try:
            return model_card(self.build())
        except ModelError as error:
            # not finished yet: what is missing is told, and not raised
            return card(repr(self), "", lines(str(error).splitlines()))


@checked_call
def compile_mechanism(
    mechanism: Mechanism,
    *,
    live: str | Sequence[str] = (),
    external_forces: str | Sequence[str] = (),
    backend: str = "auto",
    methods: str | Sequence[str] = (),
    formulation: str = "reduced",
    damping: float | None = None,
    solves: int | None = None,
) -> Plant:
    """A plant from a frozen mechanism.

    Args:
        mechanism: what `Model.build` returned.
        live: numbers to keep as parameters, as in `Model.compile`.
        external_forces: bodies that get force and torque inputs: "all" or names.
        backend: "c", "python", or "auto" for C where a compiler is found.
        methods: integrators that get code of their own in any case.
        formulation: "reduced" or "redundant".
        damping: of the steps of the redundant one, as in `Model.compile`.
        solves: of each of its steps, as in `Model.compile`.
    """
    wanted = integrators(methods)
    options: dict[str, Any] = {"live": live, "external_forces": external_forces}
    options |= {"backend": backend, "formulation": formulation}
    options |= {"damping": damping, "solves": solves}
    if mechanism.modes:
        modes = [mode.name for mode in mechanism.modes]
        plant = _compile_modes({mode: mechanism.in_mode(mode) for mode in modes}, options)
    elif mechanism.events:
        plant = _compile_modes({mechanism.name: mechanism.as_mode(mechanism.name)}, options)
    else:
        plant = Plant(mechanism, **options)
    make_ready(plant, wanted)
    return plant


@checked_call
def piecewise(
    models: Mapping[str, ModelBuilder],
    *,
    live: str | Sequence[str] = (),
    external_forces: str | Sequence[str] = (),
    backend: str = "auto",
    methods: str | Sequence[str] = (),
) -> Plant:
    """A plant from sub-models that hand over to each other.

    Args:
        models: a model for each mode, by the name of the mode; their events name these modes.
            Coordinates and states with equal names are handed over; others start afresh, or
            with what the event sets.
        live: numbers to keep as parameters, as in `Model.compile`.
        external_forces: bodies that get force and torque inputs: "all" or names.
        backend: "c", "python", or "auto" for C where a compiler is found.
        methods: integrators that get code of their own in any case.

    Returns:
        The plant of the first mode; `plant.by_mode` holds all of them.
    """
    built = {name: model.build().as_mode(name) for name, model in models.items()}
    wanted = integrators(methods)
    options = {"live": live, "external_forces": external_forces, "backend": backend}
    plant = _compile_modes(built, options)
    make_ready(plant, wanted)
    return plant


def _compile_modes(mechanisms: Mapping[str, Mechanism], options: Mapping[str, Any]) -> Plant:
    check_machine(mechanisms)
    plants = {name: Plant(item, modes=mechanisms, **options) for name, item in mechanisms.items()}
    first = next(iter(plants.values()))
    for plant in plants.values():
        if plant.parameters.declared != first.parameters.declared:
            raise InputError(
                f"'{plant.name}' and '{first.name}' have different parameters",
                fix="Declare the same parameters, in the same order, in all sub-models.",
            )
        plant.share(first)
        plant.by_mode = MappingProxyType(plants)
    return first


@checked_call
def load(
    path: str | os.PathLike[str],
    *,
    q: Mapping[str, float | Sequence[float]] | None = None,
    held: bool = False,
    stops: bool = False,
    name: str | None = None,
    gravity: Sequence[float] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    apply_dynamics: bool | None = None,
    base: Literal["fixed", "free", "angles"] | None = None,
    massless: Literal["error", "lock", "keep"] | None = None,
    mimic: bool | None = None,
    density: float | None = None,
    keyframe: str | None = None,
    friction_deflection: float | None = None,
    external_forces: bool | None = None,
    link_laws: Mapping[str, Callable[..., Any]] | None = None,
) -> Model:
    """Read a mechanism from a file: URDF, MJCF (MuJoCo), SDF (Gazebo) or ROBOTRAN .mbs.

    What was changed or left out is listed in the notes of the model. None stands for what the
    format takes by default; an option that it does not have is an error.

    Args:
        path: the file; its content decides how it is read.
        q: where it starts, by coordinate [rad or m], or by body its quaternion (w, x, y, z). Joints
            that are not named start as the file says; those of URDF files at 0, or in the middle
            between their limits where 0 is outside.
        held: hold the joints of a URDF file where they start until the parameter "hold" is 0.
        stops: put elastic stops at the limits of the joints of a URDF file.
        name: name of the model; that of the file if not given.
        gravity: in world axes [m/s²] (not for ROBOTRAN, whose files contain it).
        packages: folders by name: where package://name/file lies (URDF, SDF).
        apply_dynamics: make damping and friction of the file force laws (URDF: no by default, but
            `inloop run` and `inloop studio` do; SDF: yes).
        base: of the root link: "fixed" on the ground, "free" with a quaternion, or "angles", six
            single joints (URDF).
        massless: joints that move no mass: "error" refuses the file, "lock" fixes them, "keep"
            keeps them (URDF).
        mimic: False leaves joints independent that mimic others (URDF).
        density: [kg/m³] for links without <inertial> (URDF).
        keyframe: name of the keyframe to start from (MJCF).
        friction_deflection: by how much a joint that sticks gives way under its whole friction
            [rad or m]: 1e-3 for URDF; without it friction of MJCF and SDF is left out, but not by
            `inloop run` and `inloop studio`.
        external_forces: False leaves out inputs at points with external forces (ROBOTRAN).
        link_laws: laws of links by the name in the file, functions of l, ld and t (ROBOTRAN).

    Returns:
        A checked model that may still be extended.

    Raises:
        FileFormatError: the file is broken, truncated, hostile or of an unknown kind.
        ModelError: the file is read, but what it describes is no mechanism.
        InputError: the format does not have an option.
    """
    given = {option: value for option, value in locals().items() if value is not None}
    for own in ("path", "q", "held", "stops"):
        given.pop(own, None)
    from inloop.io.load import load as read_mechanism

    model = read_mechanism(path, model_type=Model, **given)
    assert isinstance(model, Model)
    if q is not None:
        start_at(model, q)
    if held or stops:
        steady(model, held=held, stops=stops)
    return model


@checked_call
def load_road(
    path: str | os.PathLike[str],
    *,
    grip: float | Callable[[Any, Any], Any] = 1.0,
    start: tuple[float, float] | None = None,
    kind: str = "cubic",
    between: tuple[float, float] | None = None,
    every: int = 1,
    roads: Sequence[str] | None = None,
) -> LineRoad:
    """Read a road from a file: OpenDRIVE (.xodr) or OpenCRG (.crg).

    What is not used of the file is told in its `notes`.

    Args:
        path: the file; its content decides how it is read.
        grip: by which coefficients of friction are multiplied, beside what the file gives; or a
            function of s and t, the ways along the reference line and to the left of it [m].
        start: s and t of the point that is moved to the origin, so that the road points along x
            there [m]; None: places are those of the file.
        kind: of OpenCRG: "cubic", smooth in slopes and curvatures, or "linear", as it is defined.
        between: of OpenCRG: the part between two u is read [m].
        every: of OpenCRG: every so many records are read.
        roads: of OpenDRIVE: names (id) of roads that are read; None: all.

    Raises:
        FileFormatError: the file cannot be read; names the place.
    """
    from inloop.io.roads.load import load_road as load

    return load(path, grip=grip, start=start, kind=kind, between=between, every=every, roads=roads)


@checked_call
def load_tyre(path: str | os.PathLike[str]) -> Pac2002:
    """Read a tyre from a .tir file: PAC2002, or MF-Tyre 5.2 by another name.

    What the formula does not use is told in its `notes`.

    Args:
        path: the file.

    Raises:
        FileFormatError: the file is broken, of another kind, or in other units than SI.
    """
    from inloop.io.tir import read_tyre

    return read_tyre(path)


def steady(model: Model, *, held: bool, stops: bool) -> bool:
    """Hold the joints of a robot, or stop them at their limits, and note it; see `load`.

    Returns:
        Whether it has joints that can be held.
    """
    from inloop.io.urdf.reader import UrdfData

    robot = model.metadata.get("urdf")
    if not isinstance(robot, UrdfData):
        raise InputError(
            f"model {quoted(model.name)} is not from a URDF file: it cannot be held or stopped",
            fix="Leave out held and stops.",
        )
    if not robot.single:
        return False
    rest = rest_of(model.build(), robot.single, robot.following)
    if stops and (count := stop(model, rest)):
        model.note(
            f"{count} joints have elastic stops at their limits; the file gives no stiffness"
        )
    if held:
        hold(model, rest)
        model.note(
            f"{len(rest.joints)} joints are held at their initial positions, whatever "
            "effort that takes: parameter 'hold' = 0 releases them"
        )
    return True


@checked_call
def read(path: str | Path, *, plant: BarePlant | None = None) -> Result:
    """Read the result of a run from a file: a recording, or what `Result.save` has written.

    Nothing in the file is ever run, and what makes no sense is an error. Records that were lost are
    told (`result.gaps`), and nothing is put in their place.

    Args:
        path: .mcap, .npz, .csv or .parquet.
        plant: whose run it is, if it is at hand: the result then has the energy and can be
            animated.

    Raises:
        FileFormatError: it is no such file, or damaged.
        InputError: it is too large, or the result of another plant.
    """
    source = source_of_result(path)
    read_it = realtime.recorded_result if source.suffix == ".mcap" else load_result
    found = read_it(source)
    if plant is not None and not found.knows_energy:
        found = with_energy(found, plant)
    return Result.of(found, plant)


@checked_call
@spelled_out(realtime.start)
def run(
    plant: BarePlant,
    *,
    studio: bool = False,
    browser: bool = True,
    **options: Unpack[StartOptions],
) -> realtime.Report:
    """Run a plant in real time until its time is over or it is stopped.

    Ctrl-C ends the run and gives the report; SIGTERM ends the program, and leaves nothing behind.
    On a scripted clock it runs as fast as it can.

    Args:
        plant: the compiled mechanism.
        studio: show it in the browser; the page is served by a process of its own.
        browser: open the page; otherwise only its address is printed.
        options: those of `start`.

    Returns:
        The report on its deadlines, with the last outputs.
    """
    with realtime.start(plant, **options) as loop, contextlib.ExitStack() as stack:
        if studio:
            from inloop.studio.studio_process import StudioProcess

            stack.enter_context(StudioProcess(loop.name, plant.mechanism, browser))
        if loop.clock.scripted:
            loop.clock.release()
        with contextlib.suppress(KeyboardInterrupt):
            loop.wait()
        return loop.close()


@checked_call
@spelled_out(realtime.start)
def show(plant: BarePlant, **options: Unpack[StartOptions]) -> NotebookStudio:
    """Run a plant against the clock and show the studio in a cell of a notebook.

    As the last line of a cell, `il.show(plant)` displays the page; the plant runs on until
    `stop()`, which gives the report on its deadlines, or until the kernel ends.

    Args:
        plant: the compiled mechanism.
        options: those of `start`.
    """
    from inloop.pictures.notebook_studio import NotebookStudio

    return NotebookStudio(plant, **options)
