"""From a mechanism to programs: one function of the equations of motion each.

    M(q) qdd + c(q, qd, u, t) = tau

c holds gravity, velocity terms and, with a minus sign, everything that force laws and inputs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from inloop.errors import ModelError
from inloop.formalisms import aba, crb, energy, kinematics, ltdl, rne
from inloop.formalisms.forces import Loads, build_loads
from inloop.formalisms.frames import GROUND, Skeleton, build_skeleton
from inloop.formalisms.kinematics import Target
from inloop.formalisms.regroup import regroup
from inloop.formalisms.symbols import Selection, Symbols, make_symbols
from inloop.formalisms.vectors import product, transpose
from inloop.model import Frame, Mechanism
from inloop.symbolic import Expr, Graph, Input, Output, Program, jacobian, reachable, rebuild

RELEVANT = 2.5  # a method whose estimate is this much worse is not derived at all


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
        self.base: Skeleton = regroup(self.skeleton)
        self.symbols.check_all_used([p.name for p in self.symbols.parameters])

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
        """Names of the entries of u: the model's inputs, then external forces and torques."""
        return (*(i.name for i in self.mechanism.inputs), *self.loads.input_names)

    @cached_property
    def parameters(self) -> Input:
        """The parameter vector."""
        return Input("par", tuple(self.symbols.symbols), "parameters")

    # the terms of the equations

    def _efforts(self, sign: int) -> list[Expr]:
        zero = self.graph.zero
        found = [self.loads.efforts.get(k, zero) for k in range(self.n)]
        return found if sign > 0 else [-e for e in found]

    def _inverse(self, qdd: Sequence[Expr]) -> list[Expr]:
        tau = rne.inverse_dynamics(self.base, qdd, self.loads.wrenches)
        return [a - b for a, b in zip(tau, self._efforts(1), strict=True)]

    @cached_property
    def _tau(self) -> list[Expr]:
        return self._inverse(self.symbols.qdd)

    @cached_property
    def _c(self) -> list[Expr]:
        return self._inverse([self.graph.zero] * self.n)

    @cached_property
    def _M(self) -> crb.MassMatrix:
        return crb.mass_matrix(self.base)

    @cached_property
    def _factors(self) -> ltdl.Factors:
        return ltdl.factorize(self._M)

    @cached_property
    def _qdd(self) -> tuple[list[Expr], str]:
        """Accelerations by the method that takes fewer operations."""
        by_ltdl, by_aba = ltdl.estimate(self.mechanism.parents), aba.estimate(self.n)
        found: list[tuple[int, list[Expr], str]] = []
        if by_ltdl <= RELEVANT * by_aba:
            right = [a - b for a, b in zip(self.symbols.tau, self._c, strict=True)]
            qdd = self._factors.solve(right)
            found.append((_cost(qdd), qdd, "crb + rne, sparse LᵀDL"))
        if by_aba <= RELEVANT * by_ltdl:
            applied = [a + b for a, b in zip(self.symbols.tau, self._efforts(1), strict=True)]
            qdd = aba.direct_dynamics(self.base, applied, self.loads.wrenches)
            found.append((_cost(qdd), qdd, "articulated bodies"))
        _, qdd, formalism = min(found, key=lambda item: item[0])
        return qdd, formalism

    # programs

    def program(self, name: str) -> Program:
        """A program by name; see PROGRAMS."""
        return PROGRAMS[name](self)

    def _make(
        self, name: str, state: str, outputs: tuple[Output, ...], doc: str, formalism: str
    ) -> Program:
        """A program with the inputs named in `state`; "loads" stands for u and t."""
        blocks = {
            "q": Input("q", tuple(self.symbols.q), "coordinates [rad or m]"),
            "qd": Input("qd", tuple(self.symbols.qd), "velocities [rad/s or m/s]"),
            "qdd": Input("qdd", tuple(self.symbols.qdd), "accelerations [rad/s² or m/s²]"),
            "tau": Input("tau", tuple(self.symbols.tau), "efforts [N·m or N]"),
        }
        words = state.split()
        inputs = [blocks[key] for key in words if key != "loads"]
        if "loads" in words:
            if self.input_names:
                symbols = (*self.symbols.inputs, *self.loads.inputs)
                inputs.append(Input("u", symbols, "inputs: " + ", ".join(self.input_names)))
            if self.uses_time:
                inputs.append(Input("t", (self.symbols.t,), "time [s]"))
        return Program(name, tuple(inputs), outputs, doc, formalism)

    @cached_property
    def uses_time(self) -> bool:
        """True if a force law depends on time."""
        loads = [e for w in self.loads.wrenches.values() for e in (*w.f, *w.n)]
        return self.symbols.t in reachable([*loads, *self.loads.efforts.values()])

    def inverse_dynamics(self) -> Program:
        """tau from q, qd, qdd."""
        doc = "Joint efforts that produce given accelerations: tau = M qdd + c."
        out = Output.vector("tau", self._tau, "efforts [N·m or N]")
        return self._make(
            "inverse_dynamics", "q qd qdd loads", (out,), doc, "recursive Newton-Euler"
        )

    def mass_matrix(self) -> Program:
        """M from q."""
        out = Output.matrix("M", self._M.rows(self.graph.zero), "mass matrix, symmetric")
        return self._make("mass_matrix", "q", (out,), "Mass matrix M(q).", "composite rigid bodies")

    def bias(self) -> Program:
        """c from q, qd."""
        doc = "Gravity, velocity terms and force laws: c in M qdd + c = tau."
        out = Output.vector("c", self._c, "efforts [N·m or N]")
        return self._make("bias", "q qd loads", (out,), doc, "recursive Newton-Euler")

    def mass_matrix_and_bias(self) -> Program:
        """M and c together."""
        outputs = (*self.mass_matrix().outputs, *self.bias().outputs)
        doc = "Mass matrix and bias together: M qdd + c = tau."
        return self._make("mass_matrix_and_bias", "q qd loads", outputs, doc, "crb + rne")

    def direct_dynamics(self) -> Program:
        """qdd from q, qd, tau."""
        qdd, formalism = self._qdd
        out = Output.vector("qdd", qdd, "accelerations [rad/s² or m/s²]")
        doc = "Joint accelerations under given efforts: qdd = M^-1 (tau - c)."
        return self._make("direct_dynamics", "q qd tau loads", (out,), doc, formalism)

    def energy(self) -> Program:
        """Kinetic and potential energy from q, qd."""
        T, V = energy.kinetic_energy(self.skeleton), energy.potential_energy(self.skeleton)
        out = Output.vector("E", [T, V], "kinetic and potential energy [J]")
        doc = "Kinetic energy and potential energy of gravity."
        return self._make("energy", "q qd", (out,), doc, "bodies as given, not regrouped")

    def inverse_dynamics_derivatives(self) -> Program:
        """Derivatives of tau with respect to q and qd; that to qdd is M."""
        outputs = tuple(
            Output.matrix(f"dtau_d{name}", jacobian(self._tau, symbols), f"∂tau/∂{name}")
            for name, symbols in (("q", self.symbols.q), ("qd", self.symbols.qd))
        )
        doc = "Derivatives of the inverse dynamics; ∂tau/∂qdd is the mass matrix."
        return self._make(
            "inverse_dynamics_derivatives",
            "q qd qdd loads",
            outputs,
            doc,
            "rne, forward derivatives",
        )

    def direct_dynamics_derivatives(self) -> Program:
        """Derivatives of qdd with respect to q, qd and tau: -M^-1 ∂tau/∂x, and M^-1 itself."""
        graph, n, factors = self.graph, self.n, self._factors
        qdd, _ = self._qdd
        at = dict(zip(self.symbols.qdd, qdd, strict=True))
        outputs = []
        for name, symbols in (("q", self.symbols.q), ("qd", self.symbols.qd)):
            rows = jacobian(self._tau, symbols)
            flat = iter(rebuild([e for row in rows for e in row], graph, at))
            columns = _transposed([[-next(flat) for _ in row] for row in rows])
            solved = _transposed([factors.solve(column) for column in columns])
            outputs.append(Output.matrix(f"dqdd_d{name}", solved, f"∂qdd/∂{name}"))
        units = [[graph.one if i == j else graph.zero for i in range(n)] for j in range(n)]
        inverse = [factors.solve(unit) for unit in units]
        outputs.append(Output.matrix("dqdd_dtau", _transposed(inverse), "∂qdd/∂tau = M^-1"))
        doc = "Derivatives of the direct dynamics."
        return self._make(
            "direct_dynamics_derivatives", "q qd tau loads", tuple(outputs), doc, "-M^-1 ∂tau/∂x"
        )

    def parameter_derivatives(self, names: Sequence[str]) -> tuple[Program, Program]:
        """Derivatives of tau and of qdd with respect to live parameters."""
        known = {
            p.name: s for p, s in zip(self.symbols.parameters, self.symbols.symbols, strict=True)
        }
        rows = jacobian(self._tau, [known[name] for name in names])
        out = Output.matrix("dtau_dp", rows, "∂tau/∂p, one column per parameter")
        doc = "Derivatives of the inverse dynamics by parameters: " + ", ".join(names)
        inverse = self._make("inverse_dynamics_by_parameters", "q qd qdd loads", (out,), doc, "rne")
        at = dict(zip(self.symbols.qdd, self._qdd[0], strict=True))
        flat = iter(rebuild([e for row in rows for e in row], self.graph, at))
        columns = _transposed([[-next(flat) for _ in row] for row in rows])
        solved = _transposed([self._factors.solve(column) for column in columns])
        out = Output.matrix("dqdd_dp", solved, "∂qdd/∂p, one column per parameter")
        doc = "Derivatives of the direct dynamics by parameters: " + ", ".join(names)
        direct = self._make(
            "direct_dynamics_by_parameters", "q qd tau loads", (out,), doc, "-M^-1 ∂tau/∂p"
        )
        return inverse, direct

    # sensors

    def target(self, path: str) -> Target:
        """A point or frame of the model, by its path, in internal axes."""
        frame = self._frame(path)
        p_BF = self.symbols.vector(frame.p_BF, path, "m")
        R_BF = self.symbols.matrix(frame.R_BF)
        if frame.body == GROUND:
            return Target(GROUND, p_BF, R_BF)
        link = self.skeleton.links[frame.body]
        self.graph.section = link.name
        return Target(frame.body, link.point(p_BF), product(transpose(link.R_BC), R_BF))

    def _frame(self, path: str) -> Frame:
        """A frame by its path; a point stands for a frame with the axes of its body."""
        try:
            return self.mechanism.frame(path)
        except ModelError:
            point = self.mechanism.point(path)
            axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
            return Frame(point.name, path, point.body, point.p_BQ, axes, point.where)

    def sensor(self, path: str) -> tuple[Program, Program, Program]:
        """Programs for pose, motion and Jacobian of a point or frame."""
        target = self.target(path)
        sensed = kinematics.sense(self.skeleton, target, self.symbols.qdd)
        name = "sensor_" + path.replace(".", "_")
        pose = self._make(
            f"{name}_pose",
            "q",
            (
                Output.vector("p", sensed.p_WQ, "position [m], world axes"),
                Output.matrix("R", sensed.R_WF, "orientation R_WF"),
            ),
            f"Position and orientation of {path}.",
            "forward kinematics",
        )
        motion = self._make(
            f"{name}_motion",
            "q qd qdd",
            (
                Output.vector("v", sensed.v, "velocity [m/s], world axes"),
                Output.vector("om", sensed.om, "angular velocity [rad/s], world axes"),
                Output.vector("acc", sensed.acc, "acceleration [m/s²], world axes"),
                Output.vector("omd", sensed.omd, "angular acceleration [rad/s²], world axes"),
            ),
            f"Velocity and acceleration of {path}.",
            "forward kinematics",
        )
        linear, angular = kinematics.jacobian(self.skeleton, target)
        jac = self._make(
            f"{name}_jacobian",
            "q",
            (
                Output.matrix("Jv", linear, "∂v/∂qd, world axes"),
                Output.matrix("Jw", angular, "∂om/∂qd, world axes"),
            ),
            f"Jacobian of {path}.",
            "geometric Jacobian",
        )
        return pose, motion, jac


PROGRAMS = {
    "inverse_dynamics": Derivation.inverse_dynamics,
    "direct_dynamics": Derivation.direct_dynamics,
    "mass_matrix": Derivation.mass_matrix,
    "bias": Derivation.bias,
    "mass_matrix_and_bias": Derivation.mass_matrix_and_bias,
    "energy": Derivation.energy,
    "inverse_dynamics_derivatives": Derivation.inverse_dynamics_derivatives,
    "direct_dynamics_derivatives": Derivation.direct_dynamics_derivatives,
}


def _cost(exprs: Sequence[Expr]) -> int:
    """Operations that are left in the step once static work is hoisted."""
    return sum(1 for node in reachable(exprs) if node.args and not node.static)


def _transposed(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    return [list(column) for column in zip(*rows, strict=True)]
