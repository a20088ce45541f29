"""The names a user imports: `import inloop as il`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from inloop import analysis, realtime
from inloop import simulate as simulation
from inloop.errors import FileFormatError, InputError, ModelError, SimulationError
from inloop.model import Mechanism, ModelBuilder, check_machine
from inloop.model.names import quoted
from inloop.model.starting import start_at
from inloop.pictures.result import Result
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, file_path, real
from inloop.plant.holding import hold, rest_of, stop
from inloop.simulate import (
    ManyResult,
    Stepper,
    export_c,
    simulate,
    simulate_many,
    simulate_modes,
)
from inloop.simulate.readiness import integrators, make_ready
from inloop.simulate.rehearsal import rehearse as simulate_before
from inloop.simulate.results.cards import card, lines
from inloop.simulate.results.energies import with_energy
from inloop.simulate.results.loading import load_result
from inloop.simulate.results.saving import ENDINGS as RESULT_ENDINGS

if TYPE_CHECKING:
    from inloop.pictures.notebook_studio import NotebookStudio


class Plant(BarePlant):
    """The compiled equations of motion of a mechanism, ready to be evaluated and simulated.

    It holds nothing more than a `BarePlant` and changes nothing of it: it adds the runs, which lie
    in layers above.
    """

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
        start: simulation.Result | None = None,
        mode: str | None = None,
        most_events: int = 1000,
        settle_time: float | None = None,
        reactions: str | Sequence[str] = (),
        **motions: Signal,
    ) -> Result:
        """Integrate the equations of motion; see `inloop.simulate.simulate`.

        Further keywords name driven joints: `plant.simulate(t_end=2.0, crank=lambda t: 6 * t)`.
        For mechanisms with modes see `inloop.simulate.simulate_modes`; only they have a mode to
        start in, and events.
        """
        if start is not None and not isinstance(start, simulation.Result):
            raise InputError(f"start is {quoted(start)}", fix="Give the result of an earlier run.")
        if start is not None and start.end is None:
            raise InputError(
                "start was read from a file, which does not hold all that a run goes on from",
                fix="Give q and qd of its last sample.",
            )
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
        if self.by_mode:
            common |= {"mode": mode, "most_events": most_events, "settle_time": settle_time}
            return self._shown(partial(simulate_modes, self.by_mode, **common))
        if mode is not None:
            raise InputError(f"model '{self.name}' has no modes", fix="Leave mode out.")
        return self._shown(partial(simulate, self, **common))

    def _shown(self, run: Callable[[], simulation.Result]) -> Result:
        """The result of a run, or of what there is of it, with the plant to draw it."""
        try:
            return Result.of(run(), self)
        except (SimulationError, KeyboardInterrupt) as error:
            kept = getattr(error, "result", None)
            if isinstance(kept, simulation.Result):
                error.result = Result.of(kept, self)  # type: ignore[union-attr]
            raise

    def _repr_html_(self) -> str:
        from inloop.pictures.cards import plant_card

        return plant_card(self)

    def simulate_many(self, **options: Any) -> ManyResult:
        """Many runs on all cores, with other start values, parameters and inputs in each.

        `plant.simulate_many(t_end=5.0, q={"arm": np.linspace(0.0, 1.0, 1000)})`; see
        `inloop.simulate.simulate_many`.
        """
        return simulate_many(self, **options)

    def stepper(self, *, motions: Mapping[str, Signal] | None = None, **options: Any) -> Stepper:
        """One step at a time, with inputs that change between steps; see `simulate.Stepper`."""
        return Stepper(self.by_mode or {self.name: self}, motions=motions, **options)

    def export_c(self, directory: str | Path, **options: Any) -> tuple[Path, ...]:
        """Write the plant as stand-alone C sources; see `inloop.simulate.export_c`."""
        return export_c(self, directory, **options)

    def equilibrium(self, *args: Any, **options: Any) -> analysis.Equilibrium:
        """Static equilibrium; see `inloop.analysis.equilibrium`."""
        return analysis.equilibrium(self, *args, **options)

    def linearize(self, *args: Any, **options: Any) -> analysis.Linear:
        """Linear model about a motion; see `inloop.analysis.linearize`."""
        return analysis.linearize(self, *args, **options)

    def eigenmodes(self, *args: Any, **options: Any) -> analysis.Eigenmodes:
        """Frequencies, damping and mode shapes; see `inloop.analysis.eigenmodes`."""
        return analysis.eigenmodes(self, *args, **options)

    def energy_audit(self, result: Result, **options: Any) -> analysis.EnergyAudit:
        """Power and work by source; see `inloop.analysis.energy_audit`."""
        return analysis.energy_audit(self, result, **options)

    def sweep(self, *args: Any, **options: Any) -> analysis.Sweep:
        """Quasi-static sweep; see `inloop.analysis.sweep`."""
        return analysis.sweep(self, *args, **options)

    def inverse_dynamics_run(self, *args: Any, **options: Any) -> analysis.InverseRun:
        """Efforts over a trajectory; see `inloop.analysis.inverse_dynamics_run`."""
        return analysis.inverse_dynamics_run(self, *args, **options)


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
    ) -> Plant:
        """Derive the equations, emit code, build it: runs need no compiler any more.

        Args:
            live: numbers of the model to keep as parameters beside the declared ones: "all", or
                names such as "crank.mass" or "crank.pin.x".
            external_forces: bodies that get force and torque inputs beside the declared ones:
                "all" or names.
            backend: "c", "python", or "auto" for C where a compiler is found.
            methods: integrators that get code of their own in any case: "implicit", "rodas". Both
                have it where the mechanism is small, touches something, or has force laws
                that may be stiff; else they take differences of the rates. The others need none.
            rehearse: simulate a mechanism with loops for so many seconds, and build code for each
                choice of independent coordinates that it meets. Others are solved while it runs,
                which takes about four times as long.
        """
        plant = compile_mechanism(
            self.build(),
            methods=methods,
            live=live,
            external_forces=external_forces,
            backend=backend,
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


def compile_mechanism(
    mechanism: Mechanism, *, methods: str | Sequence[str] = (), **options: Any
) -> Plant:
    """A plant from a frozen mechanism; options as in `Model.compile`."""
    wanted = integrators(methods)
    if mechanism.modes:
        modes = [mode.name for mode in mechanism.modes]
        plant = _compile_modes({mode: mechanism.in_mode(mode) for mode in modes}, options)
    elif mechanism.events:
        plant = _compile_modes({mechanism.name: mechanism.as_mode(mechanism.name)}, options)
    else:
        plant = Plant(mechanism, **options)
    make_ready(plant, wanted)
    return plant


def piecewise(models: Mapping[str, ModelBuilder], **options: Any) -> Plant:
    """A plant from sub-models that hand over to each other.

    Args:
        models: a model for each mode, by the name of the mode; their events name these modes.
            Coordinates and states with equal names are handed over; others start afresh, or
            with what the event sets.
        options: as in `Model.compile`.

    Returns:
        The plant of the first mode; `plant.by_mode` holds all of them.
    """
    built = {name: model.build().as_mode(name) for name, model in models.items()}
    wanted = integrators(options.pop("methods", ()))
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


def load(
    path: str | Path,
    *,
    q: Mapping[str, float | Sequence[float]] | None = None,
    held: bool = False,
    stops: bool = False,
    **options: Any,
) -> Model:
    """Read a mechanism from a file: URDF, MJCF (MuJoCo), SDF (Gazebo) or ROBOTRAN .mbs.

    Args:
        path: the file; its content decides how it is read.
        q: where it starts, by coordinate [rad or m], or by body its quaternion (w, x, y, z). Joints
            that are not named start as the file says; those of URDF files at 0, or in the middle
            between their limits where 0 is outside.
        held: hold the joints of a URDF file where they start until the parameter "hold" is 0.
        stops: put elastic stops at the limits of the joints of a URDF file.
        options: of the format; see `inloop.io.load`.
    """
    from inloop import io

    model = io.load(path, model_type=Model, **options)
    assert isinstance(model, Model)
    if q is not None:
        start_at(model, q)
    if held or stops:
        steady(model, held=held, stops=stops)
    return model


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
            f"{count} joints have elastic stops at their limits; the file tells no stiffness"
        )
    if held:
        hold(model, rest)
        model.note(
            f"{len(rest.joints)} joints are held where they start, whatever effort it takes: "
            "parameter 'hold' = 0 lets them go"
        )
    return True


def read(path: str | Path, *, plant: BarePlant | None = None) -> Result:
    """Read the result of a run from a file: a recording, or what `Result.save` has written.

    Nothing in the file is ever run, and what makes no sense is an error. Records that were lost are
    told (`result.gaps`), and nothing is put in their place.

    Args:
        path: .mcap, .npz, .csv or .parquet.
        plant: whose run it is, if it is at hand: the result then tells the energy and can be
            animated.

    Raises:
        FileFormatError: it is no such file, or damaged.
        InputError: it is too large, or the result of another plant.
    """
    source = file_path(path, "the file of a result")
    endings = (".mcap", *RESULT_ENDINGS)
    if source.suffix not in endings or not source.is_file():
        raise FileFormatError(
            f"{str(source)!a} is no file that holds a result",
            fix=f"Name a file that ends in {', '.join(endings)}.",
        )
    read_it = realtime.recorded_result if source.suffix == ".mcap" else load_result
    found = read_it(source)
    if plant is not None and not found.knows_energy:
        found = with_energy(found, plant)
    return Result.of(found, plant)


def run(
    plant: BarePlant, *, studio: bool = False, browser: bool = True, **options: Any
) -> realtime.Report:
    """Run a plant against the clock until its time is over or somebody stops it.

    Ctrl-C ends the run and gives the report; SIGTERM ends the program, and leaves nothing behind.
    On a scripted clock it runs as fast as it can.

    Args:
        plant: the compiled mechanism.
        studio: show it in the browser; the page is served by a process of its own.
        browser: open the page; else its address is printed only.
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


def show(plant: BarePlant, **options: Any) -> NotebookStudio:
    """Run a plant against the clock and show the studio in a cell of a notebook.

    As the last line of a cell, `il.show(plant)` displays the page; the plant runs on until
    `stop()`, which gives the report on its deadlines, or until the kernel ends.

    Args:
        plant: the compiled mechanism.
        options: those of `start`.
    """
    from inloop.pictures.notebook_studio import NotebookStudio

    return NotebookStudio(plant, **options)
