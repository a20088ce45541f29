"""Derive programs from a mechanism: one function of the equations of motion each.

    M(q) qdd + c(q, qd, u, t) = tau

c contains gravity, velocity terms and, with a minus sign, all force laws and inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from inloop.formalisms import reaching, sensing, sensors
from inloop.formalisms.frames import Skeleton, build_skeleton
from inloop.formalisms.laws import reactions
from inloop.formalisms.laws.forces import build_loads
from inloop.formalisms.laws.law_quantities import check_multipliers
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.loops.constraints import build_rows, declare_numbers
from inloop.formalisms.recursions import (
    aba,
    crb,
    crb_common,
    energy,
    kinematics,
    ltdl,
    power,
    regressor,
    rne,
)
from inloop.formalisms.recursions.regroup import regroup
from inloop.formalisms.stepping import linearize
from inloop.formalisms.symbols import Selection, Symbols, make_symbols
from inloop.model import Body, Frame, Ground, Mechanism
from inloop.symbolic import Expr, Graph, Input, Output, Program, reachable

DEEP = 8.0  # ancestors per joint above which columns in a common frame are tried
RELEVANT = 2.5  # a method whose estimate is worse by this factor is not derived


class Derivation:
    """The equations of one mechanism, derived on demand in one graph.

    Args:
        mechanism: the frozen model.
        live: numbers to keep as parameters: "all" or names.
        external_forces: bodies with force and torque inputs: "all" or names.
    """

    def __init__(
        self, mechanism: Mechanism, live: Selection = (), external_forces: Selection = ()
    ) -> None:
        self.mechanism = mechanism
        self.symbols: Symbols = make_symbols(mechanism, live)
        self.skeleton: Skeleton = build_skeleton(mechanism, self.symbols)
        self.loads: Loads = build_loads(mechanism, self.skeleton, external_forces)
        if self.loads.multipliers:
            check_multipliers(mechanism, build_rows(mechanism, self.skeleton))
        self.base: Skeleton = regroup(self.skeleton)
        self._declare_points()
        declare_numbers(mechanism, self.symbols)
        self.symbols.check_all_used([p.name for p in self.symbols.parameters])

    def _declare_points(self) -> None:
        """Declare the coordinates of named points as live, also of those only used by sensors."""
        carriers: list[Body | Ground] = [self.mechanism.ground, *self.mechanism.bodies]
        for carrier in carriers:
            for point in carrier.points:
                self.symbols.vector(point.p_BQ, point.path, "m")
            for frame in carrier.frames:
                self.symbols.vector(frame.p_BF, frame.path, "m")
        for sensor in self.mechanism.sensors:
            for place in sensor.at:
                if isinstance(place, Frame):
                    self.symbols.vector(place.p_BF, place.path, "m")

    @property
    def graph(self) -> Graph:
        """The graph of all programs."""
        return self.symbols.graph

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.skeleton.links)

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """Names of the entries of u: model's inputs, joint inputs, external wrenches, drives."""
        drives = (i.name for drive in self.mechanism.drives for i in drive.inputs)
        return (*(i.name for i in self.mechanism.inputs), *self.loads.input_names, *drives)

    def load_blocks(self) -> list[Input]:
        """u and z, if any."""
        blocks = []
        if self.input_names:
            symbols = (*self.symbols.inputs, *self.loads.inputs, *self.symbols.drive_inputs)
            blocks.append(Input("u", symbols, "inputs: " + ", ".join(self.input_names)))
        if self.symbols.states:
            blocks.append(Input("z", tuple(self.symbols.states), "states of laws and drives"))
        return blocks

    @cached_property
    def parameters(self) -> Input:
        """The parameter vector."""
        return Input("par", tuple(self.symbols.symbols), "parameters")

    @cached_property
    def internal_poses(self) -> list[kinematics.Pose]:
        """World poses of the internal frames."""
        return kinematics.poses(self.skeleton)

    # the terms of the equations

    def _law_efforts(self) -> list[Expr]:
        return [self.loads.efforts.get(k, self.graph.zero) for k in range(self.n)]

    def _inverse(self, qdd: Sequence[Expr]) -> list[Expr]:
        tau = rne.inverse_dynamics(self.base, qdd, self.loads.wrenches)
        return [a - b for a, b in zip(tau, self._law_efforts(), strict=True)]

    @cached_property
    def tau(self) -> list[Expr]:
        """M qdd + c for the symbols qdd."""
        return self._inverse(self.symbols.qdd)

    @cached_property
    def c(self) -> list[Expr]:
        """The bias."""
        return self._inverse([self.graph.zero] * self.n)

    @cached_property
    def mass(self) -> crb.MassMatrix:
        """The mass matrix, by the variant with fewer operations."""
        found = crb.mass_matrix(self.base)
        depth = len(found.entries) / self.n
        if depth < DEEP or self.base.beams:
            return found
        common = crb_common.mass_matrix(self.base)
        return min(found, common, key=lambda M: _cost(list(M.entries.values())))

    @cached_property
    def factors(self) -> ltdl.Factors:
        """Its factors LᵀDL."""
        return ltdl.factorize(self.mass)

    @cached_property
    def qdd(self) -> tuple[list[Expr], str]:
        """Accelerations, by the method with fewer operations."""
        by_ltdl, by_aba = ltdl.estimate(self.mechanism.parents), aba.estimate(self.n)
        found: list[tuple[int, list[Expr], str]] = []
        flexible = bool(self.base.beams)  # nodes of flexible links are not articulated bodies
        if flexible or by_ltdl <= RELEVANT * by_aba:
            right = [a - b for a, b in zip(self.symbols.tau, self.c, strict=True)]
            qdd = self.factors.solve(right)
            found.append((_cost(qdd), qdd, "crb + rne, sparse LᵀDL"))
        if not flexible and by_aba <= RELEVANT * by_ltdl:
            applied = [a + b for a, b in zip(self.symbols.tau, self._law_efforts(), strict=True)]
            qdd = aba.direct_dynamics(self.base, applied, self.loads.wrenches)
            found.append((_cost(qdd), qdd, "articulated bodies"))
        _, qdd, formalism = min(found, key=lambda item: item[0])
        return qdd, formalism

    # programs

    def program(self, name: str) -> Program:
        """A program by name; see PROGRAMS."""
        return PROGRAMS[name](self)

    def make(
        self, name: str, state: str, outputs: tuple[Output, ...], doc: str, formalism: str
    ) -> Program:
        """A program with the inputs named in `state`; "loads" stands for u and t."""
        time = Input("t", (self.symbols.t,), "time [s]")
        blocks = {
            "t": time,
            "q": Input("q", tuple(self.symbols.q), "coordinates [rad or m]"),
            "qd": Input("qd", tuple(self.symbols.qd), "velocities [rad/s or m/s]"),
            "qdd": Input("qdd", tuple(self.symbols.qdd), "accelerations [rad/s² or m/s²]"),
            "tau": Input("tau", tuple(self.symbols.tau), "efforts [N·m or N]"),
        }
        words = state.split()
        inputs = [blocks[key] for key in words if key != "loads"]
        if "loads" in words:
            inputs += self.load_blocks()
            if self.uses_time:
                inputs.append(time)
        return Program(name, tuple(inputs), outputs, doc, formalism)

    @cached_property
    def uses_time(self) -> bool:
        """True if a force law depends on time."""
        loads = [e for w in self.loads.wrenches.values() for e in (*w.f, *w.n)]
        efforts = self.loads.efforts.values()
        others = (*self.loads.rates, *self.loads.observed.values())
        return self.symbols.t in reachable([*loads, *efforts, *others])

    def inverse_dynamics(self) -> Program:
        """tau from q, qd, qdd."""
        doc = "Joint efforts that produce given accelerations: tau = M qdd + c."
        out = Output.vector("tau", self.tau, "efforts [N·m or N]")
        return self.make(
            "inverse_dynamics", "q qd qdd loads", (out,), doc, "recursive Newton-Euler"
        )

    def mass_matrix(self) -> Program:
        """M from q."""
        out = Output.matrix("M", self.mass.rows(self.graph.zero), "mass matrix, symmetric")
        return self.make("mass_matrix", "q", (out,), "Mass matrix M(q).", "composite rigid bodies")

    def bias(self) -> Program:
        """c from q, qd; plus rates of the states of force laws, with reactions at qdd = 0."""
        doc = "Gravity, velocity terms and force laws: c in M qdd + c = tau."
        out = Output.vector("c", self.c, "efforts [N·m or N]")
        rest = [self.graph.zero] * self.n
        rates = reactions.complete_rates(self.skeleton, self.loads, rest)
        outputs = (out, *state_rates(rates))
        return self.make("bias", "q qd loads", outputs, doc, "recursive Newton-Euler")

    def mass_matrix_and_bias(self) -> Program:
        """M and c together."""
        outputs = (*self.mass_matrix().outputs, *self.bias().outputs)
        doc = "Mass matrix and bias together: M qdd + c = tau."
        return self.make("mass_matrix_and_bias", "q qd loads", outputs, doc, "crb + rne")

    def direct_dynamics(self) -> Program:
        """qdd from q, qd, tau."""
        qdd, formalism = self.qdd
        out = Output.vector("qdd", qdd, "accelerations [rad/s² or m/s²]")
        doc = "Joint accelerations under given efforts: qdd = M^-1 (tau - c)."
        rates = reactions.complete_rates(self.skeleton, self.loads, qdd)
        outputs = (out, *state_rates(rates))
        return self.make("direct_dynamics", "q qd tau loads", outputs, doc, formalism)

    def energy(self) -> Program:
        """Kinetic and potential energy from q, qd."""
        T, V = energy.kinetic_energy(self.skeleton), energy.potential_energy(self.skeleton)
        out = Output.vector("E", [T, V], "kinetic and potential energy [J]")
        doc = "Kinetic energy; potential energy of gravity and of flexible links."
        return self.make("energy", "q qd", (out,), doc, "bodies as given, not regrouped")

    def power(self) -> Program:
        """Power of laws and inputs, from q, qd and their inputs."""
        out = Output.vector("P", [power.applied_power(self.skeleton, self.loads)], "power [W]")
        doc = "Power of force laws, inputs and the damping of flexible links."
        return self.make("power", "q qd loads", (out,), doc, "bodies as given, not regrouped")

    def law_outputs(self) -> Program:
        """Outputs of the force laws."""
        observed = self.loads.observed
        out = Output.vector("y", list(observed.values()), "outputs: " + ", ".join(observed))
        doc = "What the force laws make known."
        return self.make("law_outputs", "q qd loads", (out,), doc, "force laws")

    def sensor(self, path: str) -> tuple[Program, Program, Program]:
        """Programs for pose, motion and Jacobian of a point or frame."""
        return sensors.sensor(self, path)

    def parameter_derivatives(self, names: Sequence[str]) -> tuple[Program, Program]:
        """Programs for derivatives of tau and of qdd with respect to live parameters."""
        return linearize.parameter_derivatives(self, names)


PROGRAMS = {
    "inverse_dynamics": Derivation.inverse_dynamics,
    "direct_dynamics": Derivation.direct_dynamics,
    "mass_matrix": Derivation.mass_matrix,
    "bias": Derivation.bias,
    "mass_matrix_and_bias": Derivation.mass_matrix_and_bias,
    "energy": Derivation.energy,
    "power": Derivation.power,
    "law_outputs": Derivation.law_outputs,
    "joint_reactions": reactions.joint_reactions,
    sensing.SENSOR_OUTPUTS: sensing.sensor_outputs,
    reaching.REACH: reaching.reach,
    regressor.REGRESSOR: regressor.inverse_dynamics_regressor,
    regressor.PARAMETERS: regressor.inertial_parameters,
    "inverse_dynamics_derivatives": linearize.inverse_dynamics_derivatives,
    "direct_dynamics_derivatives": linearize.direct_dynamics_derivatives,
}


def state_rates(rates: Sequence[Expr]) -> tuple[Output, ...]:
    """Rates of the laws' internal states as an output, if there are any."""
    if not rates:
        return ()
    return (Output.vector("zd", rates, "rates of states of force laws"),)


def _cost(exprs: Sequence[Expr]) -> int:
    """Operations left in the step after static work is hoisted."""
    return sum(1 for node in reachable(exprs) if node.args and not node.static)
