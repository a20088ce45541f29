"""A mechanism whose equations can be evaluated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from inloop.errors import InputError
from inloop.formalisms.sensors import sensor_name
from inloop.model.names import quoted
from inloop.plant.closed_motion import accelerations, reduced_equations
from inloop.plant.engine import Array
from inloop.plant.equations import Equations
from inloop.plant.outline import Outline, outline
from inloop.plant.reactions import joint_reactions
from inloop.symbolic import Program

Numbers = Array | Sequence[float] | Sequence[Sequence[float]]


class BarePlant(Equations):
    """The compiled equations of motion M(q) qdd + c(q, qd, u, t) = tau.

    Of a mechanism with loops or drives M and c are those of its tree, cut at the loops and with
    drives let go: M qdd + c = tau + Jᵀ lam + effort.

    Functions take arrays of shape (n,), or (N, n) for many states at once.

    Attributes:
        by_mode: of a mechanism that changes while it runs: the plants of its modes by name.
    """

    by_mode: Mapping[str, BarePlant] = MappingProxyType({})

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
        if self.loops is None:
            return self.tree_direct_dynamics(q, qd, tau, u, t)
        return accelerations(self, q, qd, tau, u=u, t=t)

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
            M, shape (m, m), and c, shape (m,), for the m coordinates in `plant.loops.independent`
            (all of a tree), and T = ∂q/∂q_u, shape (n, m).
        """
        return reduced_equations(self, q, qd, u=u, t=t)

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
        """∂qdd/∂q, ∂qdd/∂qd and ∂qdd/∂tau = M⁻¹ of a mechanism without loops and drives."""
        self._needs_a_tree("direct_dynamics_derivatives")
        return self.evaluate("direct_dynamics_derivatives", q=q, qd=qd, tau=tau, u=u, t=t)

    def parameter_derivatives(
        self, names: Sequence[str], q: Numbers, qd: Numbers, *, qdd: Numbers, tau: Numbers
    ) -> dict[str, Array]:
        """∂tau/∂p and ∂qdd/∂p for live parameters, one column per name; without loops."""
        self._needs_a_tree("parameter_derivatives")
        for name in names:
            self.parameters[name]  # complains about unknown names
        key = hashlib.sha256(json.dumps(list(names)).encode()).hexdigest()[:8]
        kinds = (f"inverse_dynamics_by_{key}", f"direct_dynamics_by_{key}")

        def derive() -> list[Program]:
            programs = self._derivation.parameter_derivatives(names)
            return [
                Program(kind, p.inputs, p.outputs, p.doc, p.formalism)
                for kind, p in zip(kinds, programs, strict=True)
            ]

        for kind in kinds:
            self._offer(kind, derive)
        first = self.evaluate(kinds[0], q=q, qd=qd, qdd=qdd)
        return {**first, **self.evaluate(kinds[1], q=q, qd=qd, tau=tau)}

    def _needs_a_tree(self, function: str) -> None:
        """Refuse what would tell of the cut tree only."""
        if self.loops is not None:
            raise InputError(
                f"model '{self.name}' has loops or drives: {function} is for trees",
                fix="Use plant.linearize, which takes the loops along.",
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
        if not isinstance(path, str):
            raise InputError(f"{quoted(path)} names no point", fix='Give a path such as "arm.tip".')
        name = f"{sensor_name(path)}_{kind}"
        return self._offer(name, lambda: self._derivation.sensor(path))

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


def turned(R_WA: Array, v_W: Array) -> Array:
    """Components in axes of A of vectors given in world axes: v_A = R_WAᵀ v_W."""
    return np.asarray(np.einsum("...ji,...j->...i", R_WA, v_W))
