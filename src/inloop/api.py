"""The public names: `import inloop as il`."""

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

    Adds to `BarePlant` only methods for runs, exports and analyses, which live in higher layers and
    are not imported there. Functions whose first argument is a plant become methods with their own
    signature and docstring.
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
        """Write one HTML file that runs the plant in a browser, with its current parameters.

        It contains the plant as WebAssembly and the studio page: opening it needs no server,
        network or compiler. Writing it requires clang and lld, or the package ziglang.

        Args:
            file: path, preferably with the suffix .html; an existing file is overwritten.
            rate: periods per simulated second [Hz].
            substeps: integrator steps per period.
            method: integrator; default: chosen by a rehearsal of 1 s.
            speed: initial speed, in simulated seconds per second.

        Returns:
            The file.

        Raises:
            BuildError: no compiler for WebAssembly was found.
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
            step: integrator step [s]; shortened so that t_end is a whole number of steps.
                With a tolerance: time between samples.
            method: "rk4", "euler" (symplectic), "dopri", "rodas" (for stiff laws), "implicit"
                (cheap, for stiff laws in real time) or "scipy" (a slow reference); default: "rk4",
                or a method that suits the mechanism better.
            q: initial coordinates, by name or as a vector; default: the joints' initial values.
            qd: initial velocities; those of dependent coordinates are computed.
            tau: constant joint efforts [N·m or N].
            inputs: by name: constants, functions of time, or samples (times, values).
            sample: time between samples [s]; default: every step.
            tolerance: relative error per step; then "dopri", "rodas" and "alpha" choose their own
                steps.
            start: an earlier result with the same step to continue from, up to t_end.
            mode: initial mode of a mechanism with modes; default: the first.
            most_events: maximum number of events in one step of a mechanism with modes.
            settle_time: an accumulation of events that would end within this time [s] is skipped:
                the mode that the events settle in follows.
            reactions: joints, by name or "all", whose reaction forces and moments are recorded as
                "<joint>.force.x", ..., "<joint>.moment.z" in world axes.
            controller: a function of time and outputs that returns inputs by name, or an object
                with `__call__` and, if it has states, `reset()`.
            period: time between controller calls [s]; its outputs are held in between.
            sensitivities: what `result.sensitivities` contains derivatives with respect to: names
                of live parameters, inputs and initial values ("crank.q", "crank.qd", states of
                laws). Not with "alpha" or a controller (docs/sensitivities.md).
            motions: functions of time, samples or constants for driven joints, by their names:
                `plant.simulate(t_end=2.0, crank=lambda t: 6 * t)`.

        Raises:
            SimulationError: the run cannot continue; `result` holds what was computed.
            KeyboardInterrupt: Ctrl-C; `result` holds what was computed so far, if anything.
        """
        if start is not None and not isinstance(start, runs.Result):
            raise InputError(f"start is {quoted(start)}", fix="Give the result of an earlier run.")
        if start is not None and start.end is None:
            raise InputError(
                "start does not contain the full state needed to continue: it was read from a "
                "file, integrated by SciPy or run with a controller",
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
                    sensitivities=name_list(sensitivities, "sensitivities"),
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
        """A loss of a run and its gradient, at a cost independent of the number of derivatives.

            gradient = plant.gradient({"arm.q": recorded}, by=["k", "arm.mass"], t_end=2.0)
            gradient.value, gradient["k"]

        Args:
            loss: recorded samples by signal, for the sum of squared differences over all samples;
                or a function of the result that returns the loss and, by signal, its derivatives
                with respect to each sample.
            by: live parameters, inputs and initial values, as for `sensitivities` of `simulate`.
            t_end: length of the run [s].
            step: integrator step [s].
            method: "rk4", "euler" or "dopri"; for stiff laws "rodas" or "implicit"; for hard
                contacts "event_driven" or "moreau", at a cost that grows with the number of names.
            q: initial coordinates.
            qd: initial velocities.
            tau: constant joint efforts [N·m or N].
            inputs: by name: constants, functions of time, or samples (times, values).
            sample: time between samples [s]; default: every step.

        Raises:
            InputError: a name is unknown, or derivatives of this run are not supported.
        """
        given = RunArguments(t_end, step, sample, q, qd, tau, inputs)
        result = self.simulate(
            t_end=t_end, step=step, method=method, q=q, qd=qd, tau=tau, inputs=inputs, sample=sample
        )
        return runs.gradient_of(self, result, loss, name_list(by, "by"), given)

    def _shown(self, run: Callable[[], runs.Result]) -> Result:
        """The result of a run, possibly partial, with the plant needed to draw it."""
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
        """A stepper: the plant one step at a time, with inputs that change between steps.

        Args:
            step: fixed step [s].
            method: "rk4", "euler", "dopri", "rodas", "implicit" or "moreau", at fixed steps;
                default: "rk4", or "moreau" for hard contacts.
            mode: initial mode of a mechanism with modes; default: the first.
            q: initial coordinates, by name or as a vector.
            qd: initial velocities.
            inputs: initial values of inputs, by name.
            motions: functions of time for driven joints, by name.
            most_events: maximum number of events in one step.
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
        """Check that keywords beyond those of `simulate` name driven joints."""
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


# keywords of simulate, besides names of driven joints
KEYWORDS = tuple(list(inspect.signature(Plant.simulate).parameters)[1:-1])


@checked_calls
class Model(ModelBuilder):
    """The description of a mechanism; `build()` freezes it, `compile()` turns it into a plant."""

    if not TYPE_CHECKING:  # who checks types shall know what there is

        def __getattr__(self, name: str) -> Any:
            """Say where methods of plants are."""
            of_plant = not name.startswith("_") and hasattr(Plant, name)
            fix = f"; compile it first: plant = model.compile(), plant.{name}" if of_plant else ""
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'{fix}",
                name=name,
                obj=self,
            )

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
        """Derive the equations, generate code and compile it; runs then need no compiler.

        Args:
            live: numbers of the model to keep as parameters in addition to the declared ones:
                "all", or names such as "crank.mass" or "crank.pin.x".
            external_forces: bodies with force and torque inputs in addition to the declared ones:
                "all" or names.
            backend: "c", "python", or "auto" for C if a compiler is found.
            methods: integrators whose own code is generated right away: "implicit", "rodas". For
                small mechanisms, and those with contacts or possibly stiff force laws, it is
                generated on first use; otherwise they use finite differences of the rates. Other
                integrators need no code of their own.
            rehearse: simulate a mechanism with loops for this time [s] and generate code for each
                set of independent coordinates encountered. Other sets are solved numerically at run
                time, which takes about four times as long.
            formulation: "reduced" for a minimal set of coordinates, or "redundant" for six per body
                plus the constraint forces (docs/redundant.md).
            damping: for "redundant", the fraction by which vibrations much faster than the step
                decay in each step, from 0 to 1; default: 0.2.
            solves: for "redundant", a fixed number of linear solves of Newton's method per step, so
                that all steps cost the same; 2 usually suffice. Default: until convergence.
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
            # model still incomplete: show what is missing instead of raising
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
    """Compile a frozen mechanism.

    Args:
        mechanism: returned by `Model.build`.
        live: numbers to keep as parameters, as for `Model.compile`.
        external_forces: bodies with force and torque inputs: "all" or names.
        backend: "c", "python", or "auto" for C if a compiler is found.
        methods: integrators whose own code is always generated.
        formulation: "reduced" or "redundant".
        damping: numerical damping of the redundant formulation, as for `Model.compile`.
        solves: linear solves per step of the redundant formulation, as for `Model.compile`.
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
    """Compile sub-models that replace each other at events.

    Args:
        models: a model for each mode, by mode name; their events refer to these names.
            Coordinates and states with equal names are carried over; others start at their initial
            values, or at those that the event sets.
        live: numbers to keep as parameters, as for `Model.compile`.
        external_forces: bodies with force and torque inputs: "all" or names.
        backend: "c", "python", or "auto" for C if a compiler is found.
        methods: integrators whose own code is always generated.

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

    Whatever was changed or ignored is listed in the model's notes. None stands for the default of
    the format; an option that the format does not support is an error.

    Args:
        path: the file; the format is detected from its content.
        q: initial position, by coordinate [rad or m], or by body its quaternion (w, x, y, z). Other
            joints start as in the file; those of URDF files at 0, or in the middle of their limits
            if 0 is outside.
        held: hold the joints of a URDF file at their initial positions until the parameter "hold"
            is 0.
        stops: add elastic stops at the joint limits of a URDF file.
        name: name of the model; default: that of the file.
        gravity: in world axes [m/s²] (not for ROBOTRAN, whose files contain it).
        packages: folders by name, to resolve package://name/file (URDF, SDF).
        apply_dynamics: turn damping and friction of the file into force laws (URDF: default no, but
            yes for `inloop run` and `inloop studio`; SDF: default yes).
        base: joint of the root link: "fixed" to the ground, "free" with a quaternion, or "angles",
            six single joints (URDF).
        massless: joints that move no mass: "error" rejects the file, "lock" fixes them, "keep"
            keeps them (URDF).
        mimic: False makes joints that mimic others independent (URDF).
        density: [kg/m³] for links without <inertial> (URDF).
        keyframe: name of the keyframe to start from (MJCF).
        friction_deflection: deflection of a sticking joint under its full friction [rad or m]: 1e-3
            for URDF; without it, friction of MJCF and SDF is ignored, except by `inloop run` and
            `inloop studio`.
        external_forces: False omits the inputs at points with external forces (ROBOTRAN).
        link_laws: force laws of links by their name in the file, functions of l, ld and t
            (ROBOTRAN).

    Returns:
        A valid model that can still be extended.

    Raises:
        FileFormatError: the file is damaged, truncated, malicious or of an unknown format.
        ModelError: the file was read, but does not describe a valid mechanism.
        InputError: the format does not support an option.
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

    Unused content of the file is listed in the road's `notes`.

    Args:
        path: the file; the format is detected from its content.
        grip: factor on the friction coefficients of the file; or a function of s and t, the
            distances along the reference line and to its left [m].
        start: s and t of the point that becomes the origin, with the road along x there [m]; None:
            keep the coordinates of the file.
        kind: OpenCRG: "cubic", with smooth slopes and curvatures, or "linear", as the format
            defines it.
        between: OpenCRG: range of u to read [m].
        every: OpenCRG: read every n-th record only.
        roads: OpenDRIVE: ids of the roads to read; None: all.

    Raises:
        FileFormatError: the file cannot be read; names the location.
    """
    from inloop.io.roads.load import load_road as load

    return load(path, grip=grip, start=start, kind=kind, between=between, every=every, roads=roads)


@checked_call
def load_tyre(path: str | os.PathLike[str]) -> Pac2002:
    """Read a tyre from a .tir file: PAC2002, or MF-Tyre 5.2 under a different name.

    Unused content of the file is listed in the tyre's `notes`.

    Args:
        path: the file.

    Raises:
        FileFormatError: the file is damaged, of a different kind, or not in SI units.
    """
    from inloop.io.tir import read_tyre

    return read_tyre(path)


def steady(model: Model, *, held: bool, stops: bool) -> bool:
    """Hold the joints of a robot, or add stops at their limits, with a note; see `load`.

    Returns:
        Whether the robot has joints that can be held.
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
    """Read the result of a run from a file: a recording, or one written by `Result.save`.

    Nothing in the file is ever executed, and invalid content is an error. Lost records are
    reported (`result.gaps`) and not filled in.

    Args:
        path: .mcap, .npz, .csv or .parquet.
        plant: the plant of the run, if available: the result then includes the energy and can be
            animated.

    Raises:
        FileFormatError: not such a file, or damaged.
        InputError: too large, or the result of a different plant.
    """
    source = source_of_result(path)
    read_it = realtime.recorded_result if source.suffix == ".mcap" else load_result
    result = read_it(source)
    if plant is not None and not result.knows_energy:
        result = with_energy(result, plant)
    return Result.of(result, plant)


@checked_call
@spelled_out(realtime.start)
def run(
    plant: BarePlant,
    *,
    studio: bool = False,
    browser: bool = True,
    **options: Unpack[StartOptions],
) -> realtime.Report:
    """Run a plant in real time until its end time or until it is stopped.

    Ctrl-C ends the run and returns the report; SIGTERM terminates the program after cleaning up.
    With a scripted clock it runs as fast as possible.

    Args:
        plant: the compiled mechanism.
        studio: show the plant in the browser; the page is served by a separate process.
        browser: open the page; otherwise only its address is printed.
        options: those of `start`.

    Returns:
        The report on deadlines, with the last outputs.
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
    """Run a plant in real time and show the studio in a notebook cell.

    As the last line of a cell, `il.show(plant)` displays the page; the plant keeps running until
    `stop()`, which returns the report on deadlines, or until the kernel ends.

    Args:
        plant: the compiled mechanism.
        options: those of `start`.
    """
    from inloop.pictures.notebook_studio import NotebookStudio

    return NotebookStudio(plant, **options)
