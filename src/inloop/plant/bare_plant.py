"""A mechanism whose equations can be evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from inloop.errors import InputError, counted
from inloop.formalisms.size import Size
from inloop.model import Mechanism
from inloop.plant.bounds import Bounds
from inloop.plant.configuration import Configuration
from inloop.plant.drawn.outline import Outline, outline
from inloop.plant.engine import Array
from inloop.plant.equations import Equations
from inloop.plant.formulation import Formulation, formulation_for
from inloop.plant.parameters import Parameters
from inloop.plant.passes import PassReport
from inloop.plant.quantities.inputs_outputs import output_units
from inloop.plant.reactions import joint_reactions
from inloop.plant.readings import sensor_outputs
from inloop.plant.sensors import Sensors
from inloop.plant.variation.parameter_derivatives import parameter_derivatives
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.formalisms.variation.balance import Roles
    from inloop.plant.reach import Reach
    from inloop.plant.unit import PlantUnit
    from inloop.plant.variation.code import VariationCode
    from inloop.plant.variation.jumps import ModeJumps

LARGE = 60  # coordinates from which only one function is built before it is asked for
Numbers = Array | Sequence[float] | Sequence[Sequence[float]]


class BarePlant:
    """The compiled equations of motion M(q) qdd + c(q, qd, u, t) = tau.

    Of a mechanism with loops or drives M and c are those of its tree, cut at the loops and with
    drives let go: M qdd + c = tau + Jᵀ lam + effort.

    Functions take arrays of shape (n,), or (N, n) for many states at once. A plant is put together
    of its equations, which are called by name, and of a formulation, which knows about loops and
    drives; runs are added by `inloop.Plant`.

    Attributes:
        mechanism: the model it came from.
        equations: functions that are derived and built, called by name.
        formulation: how the motion is written down: roles of coordinates, constraints, multipliers.
        sensors: functions of points and frames.
        bounds: of coordinates and speeds, a mapping that can be written.
        units: the plant as one unit of C, by what had been built of each mode.
        reach: how hands hold its bodies, once somebody has asked for it.
        variations: compiled derivatives of its motion, by what they are derivatives of.
        jumps: derivatives of its events, by roles of coordinates.
        by_mode: of a mechanism that changes while it runs: the plants of its modes by name, this
            one among them; they share their parameters. Empty otherwise.
    """

    by_mode: Mapping[str, Self] = MappingProxyType({})

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
        formulation: str = "reduced",
        damping: float | None = None,
        solves: int | None = None,
        modes: Mapping[str, Mechanism] | None = None,
    ) -> None:
        """Derive and build; options as in `Model.compile`.

        Args:
            mechanism: the model.
            live: numbers of it to keep as parameters.
            external_forces: bodies that get force and torque inputs.
            backend: "c", "python" or "auto".
            formulation: "reduced" or "redundant".
            damping: of the steps of the redundant one.
            solves: of each of its steps.
            modes: mechanisms of all modes of which this one is one.
        """
        kind = formulation_for(mechanism, formulation)
        self.mechanism = mechanism
        self.equations = Equations(
            mechanism,
            live=live,
            external_forces=external_forces,
            backend=backend,
            modes=modes,
            core=kind.core if len(mechanism.coordinates) <= LARGE else (kind.core_of_large,),
        )
        self.formulation: Formulation = kind.made(self.equations, damping, solves)
        self.sensors = Sensors(self.equations)
        self.bounds = Bounds(mechanism)
        self.units: dict[tuple[tuple[str, int], ...], PlantUnit] = {}
        self.reach: Reach | None = None
        self.variations: dict[tuple[object, ...], VariationCode] = {}
        self.jumps: dict[Roles, ModeJumps] = {}

    def __repr__(self) -> str:
        cost = self.operations[self.formulation.motion_function]["total"]
        return f"<Plant '{self.name}': {counted(self.n, 'coordinate')}, {cost} operations for qdd>"

    def share(self, first: BarePlant) -> None:
        """Use the parameters and bounds of another mode from now on."""
        first.parameters.check_as(self.parameters)
        self.equations.parameters = first.parameters
        first.bounds.include(self.bounds)
        self.bounds = first.bounds

    # what it is

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.equations.name

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of qd and tau, and of the first entries of q."""
        return self.equations.coordinates

    @property
    def positions(self) -> tuple[str, ...]:
        """Names of all entries of q: the coordinates, then components of quaternions."""
        return self.equations.positions

    @property
    def configuration(self) -> Configuration:
        """How positions are moved, compared and told apart."""
        return self.equations.configuration

    @property
    def n(self) -> int:
        """Number of coordinates, and of velocities."""
        return self.equations.n

    @property
    def nq(self) -> int:
        """Length of q: more than n where there are ball joints."""
        return self.equations.nq

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the entries of u."""
        return self.equations.inputs

    @property
    def outputs(self) -> dict[str, str]:
        """Names of all that results and steppers contain, with their units, of all modes.

        With `reactions`, a result tells forces and moments in joints besides.
        """
        return output_units(self.by_mode or {self.name: self})

    @property
    def parameters(self) -> Parameters:
        """Live parameters, a mapping that can be written: the default that runs start from."""
        return self.equations.parameters

    @property
    def size(self) -> Size:
        """How large the mechanism is, with its parameters as they are now."""
        return self.equations.size

    @property
    def coordinate_sizes(self) -> Array:
        """What counts as one unit of each coordinate: 1 rad, or the characteristic length [m]."""
        return self.equations.coordinate_sizes

    @property
    def first_states(self) -> Array:
        """Internal states of force laws at the start."""
        return self.equations.first_states

    @property
    def first_inputs(self) -> Array:
        """u until something is connected: 0, and the initial positions of live drives."""
        return self.equations.first_inputs

    @property
    def has_events(self) -> bool:
        """True if it is a mode of a mechanism that changes while it runs."""
        return self.equations.has_events

    @property
    def is_native(self) -> bool:
        """True if the equations run as compiled C."""
        return self.equations.is_native

    @property
    def digest(self) -> str:
        """Hash of the model's description."""
        return self.equations.digest

    # what was built

    @property
    def operations(self) -> dict[str, dict[str, int]]:
        """Operation counts by function; what `prepare` does is listed apart."""
        return self.equations.operations

    @property
    def passes(self) -> list[PassReport]:
        """What the passes have saved, by function."""
        return self.equations.passes

    @property
    def times(self) -> dict[str, float]:
        """Seconds spent deriving and building, by function set."""
        return self.equations.times

    def program(self, function: str) -> Program:
        """The program of a function, as it was printed."""
        return self.equations.program(function)

    def sources(self) -> dict[str, str]:
        """The generated C files of the core functions, headers included."""
        return self.equations.sources()

    # functions

    def vector(self, **values: float | Sequence[float]) -> Array:
        """A position q by names; what is not named is 0, or not turned.

        A ball joint is named by its body: `plant.vector(hull=(1, 0, 0, 0), crank=0.3)`.
        """
        return self.equations.vector(**values)

    def velocities(self, **values: float | Sequence[float]) -> Array:
        """Velocities qd, or efforts, by names; what is not named is 0.

        A ball joint is named by its body, with three components in the axes of the body.
        """
        return self.equations.velocities(**values)

    def prepared(self, name: str = "inverse_dynamics") -> Array:
        """The prepared quantities that a function reads, for the current parameters."""
        return self.equations.prepared(name)

    def evaluate(
        self,
        function: str,
        *,
        pre: Any = None,
        lanes: Any = True,
        **arrays: Numbers | float | None,
    ) -> dict[str, Array]:
        """Call any function of the plant by name.

        Args:
            function: such as "inverse_dynamics". Of a mechanism with loops, "direct_dynamics",
                "mass_matrix" and "bias" are those of the cut tree.
            pre: prepared quantities for other parameters than those of the plant.
            lanes: let many rows use vector code, which is compiled when it is first needed, and
                all cores.
            arrays: one per input block: q, qd, qdd, tau, u, t; missing u and t are zero, u of
                live drives as at the start.
        """
        return self.equations.evaluate(function, pre=pre, lanes=lanes, **arrays)

    def inverse_dynamics(
        self, q: Numbers, qd: Numbers, qdd: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> Array:
        """Efforts tau = M qdd + c [N·m or N]; of a mechanism with loops, those of the cut tree.

        The efforts that move a mechanism with loops: see `plant.inverse_dynamics_run`.
        """
        return self.evaluate("inverse_dynamics", q=q, qd=qd, qdd=qdd, u=u, t=t)["tau"]

    def direct_dynamics(
        self, q: Numbers, qd: Numbers, tau: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> Array:
        """Accelerations qdd of the mechanism, its loops closed and its drives followed.

        Args:
            q: coordinates; they must close the loops, with driven joints where their drives are.
            qd: velocities; they must fit the loops and the drives.
            tau: efforts on all joints [N·m or N].
            u: inputs.
            t: time [s].

        Returns:
            [rad/s² or m/s²], shape (n,) or (N, n).

        Raises:
            InputError: q or qd do not fit; says which row or joint.
        """
        return self.formulation.accelerations(q, qd, tau, u=u, t=t)

    def tree_direct_dynamics(
        self, q: Numbers, qd: Numbers, tau: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> Array:
        """Accelerations qdd of the tree alone: M qdd + c = tau, loops cut and drives let go."""
        return self.evaluate("direct_dynamics", q=q, qd=qd, tau=tau, u=u, t=t)["qdd"]

    def mass_matrix(self, q: Numbers) -> Array:
        """Symmetric mass matrix M, shape (n, n) or (N, n, n); with loops, that of the cut tree."""
        return self.evaluate("mass_matrix", q=q)["M"]

    def bias(self, q: Numbers, qd: Numbers, u: Numbers | None = None, t: float = 0.0) -> Array:
        """c: gravity, velocity terms, force laws and inputs [N·m or N]; of the cut tree."""
        return self.evaluate("bias", q=q, qd=qd, u=u, t=t)["c"]

    def reduced_equations(
        self, q: Numbers, qd: Numbers, u: Numbers | None = None, t: float = 0.0
    ) -> dict[str, Array]:
        """M, c and T of M qdd_u + c = Tᵀ tau in the independent coordinates, at one state.

        Args:
            q: a closed position, shape (n,).
            qd: velocities that fit the loops and the drives.
            u: inputs.
            t: time [s].

        Returns:
            M, shape (m, m), and c, shape (m,), for the m coordinates in
            `plant.formulation.independent` (all of a tree), and T = ∂q/∂q_u, shape (n, m).
        """
        at, speed = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
        return self.formulation.reduced_equations(at, speed, u=u, t=t)

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

    def sensor_outputs(
        self,
        q: Numbers,
        qd: Numbers,
        tau: Numbers | None = None,
        *,
        z: Numbers | None = None,
        u: Numbers | None = None,
        t: Numbers | float = 0.0,
    ) -> dict[str, Array]:
        """Values of the sensors by name; shape () each, or (N,) where none needs accelerations.

        Args:
            q: coordinates; dependent ones of a mechanism with loops follow from the others.
            qd: velocities.
            tau: joint efforts, zero if not given.
            z: states of force laws; those at the start if not given.
            u: inputs.
            t: time [s].
        """
        return sensor_outputs(self, q, qd, tau, z=z, u=u, t=t)

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
        """∂qdd/∂q, ∂qdd/∂qd and ∂qdd/∂tau = M⁻¹ of a mechanism without loops and drives."""
        self._needs_a_tree("direct_dynamics_derivatives")
        return self.evaluate("direct_dynamics_derivatives", q=q, qd=qd, tau=tau, u=u, t=t)

    def parameter_derivatives(
        self, names: Sequence[str], q: Numbers, qd: Numbers, *, qdd: Numbers, tau: Numbers
    ) -> dict[str, Array]:
        """∂tau/∂p and ∂qdd/∂p for live parameters, one column per name; without loops."""
        self._needs_a_tree("parameter_derivatives")
        return parameter_derivatives(self, names, q, qd, qdd=qdd, tau=tau)

    def _needs_a_tree(self, function: str) -> None:
        """Refuse what would tell of the cut tree only."""
        if not self.formulation.unconstrained:
            raise InputError(
                f"model '{self.name}' has loops or drives: {function} is only for tree structures",
                fix="Use plant.linearize, which includes the loops.",
            )

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
        (`plant.formulation.notes` names them): rigid bodies do not tell how the load is shared
        there, and the rows that are left carry all of it.

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
        rest = np.zeros(self.n)
        others = {"qdd": rest if qdd is None else qdd, "u": u, "t": t}
        efforts = rest if tau is None else np.asarray(tau)
        found = self.formulation.motion(np.asarray(q), np.asarray(qd), efforts, **others)
        return self.formulation.cut_forces(found["q"], found["lam"])

    # sensors

    def pose(self, path: str, q: Numbers, axes: str | None = None) -> tuple[Array, Array]:
        """Position p_WQ [m] and orientation R_WF of a point, frame or body.

        Args:
            path: such as "arm.tip".
            q: coordinates.
            axes: another frame A; the position is then p_AQ in its axes, the orientation R_AF.
        """
        return self.sensors.pose(path, q, axes)

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
        return self.sensors.motion(path, q, qd, qdd, axes)

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
        return self.sensors.jacobian(path, q, axes)
