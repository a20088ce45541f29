"""`plant.tangent`: rates of a state with exact derivatives along any directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.errors import InputError
from inloop.plant.arguments import name_list
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import check_varied, refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSystem


class Tangent:
    """xd = f(t, x, u, p) of a plant, with its exact derivatives.

    x holds positions and velocities of the independent coordinates, states of force laws, positions
    that velocity constraints leave free, and components of quaternions (`states`). Coordinates
    determined by loops follow, in values and in derivatives. Parameters are those of the plant at
    the time of a call.

    Attributes:
        plant: the compiled mechanism.
        states: names of x.
        varied: names of the parameters, efforts and inputs of the derivatives, in their order.
        observed: names of the signals of `observe`.
    """

    def __init__(
        self, plant: BarePlant, by: Sequence[str] = (), *, directions: int = LANES[-1]
    ) -> None:
        """Derive and compile.

        Args:
            plant: the compiled mechanism.
            by: live parameters, inputs and "<joint>.tau", by name.
            directions: how many are wanted at a time: 1, 2, 4 or 8 share one evaluation.

        Raises:
            InputError: there is no such name, or the motion of the plant is not smooth.
            BuildError: there is no compiler.
        """
        refuse_rough(plant)
        self.plant = plant
        check_varied(plant, by)
        self._system = VariedSystem.forward(plant, roles_of(plant), by, directions)
        self.states = self._system.code.states
        self.varied = self._system.code.varied
        self.observed = self._system.code.observed
        # the last solution is the guess of the next call
        self._dep = self._start()[1]

    @property
    def x0(self) -> Array:
        """The state at the declared start of the plant."""
        return self._start()[0]

    def _start(self) -> tuple[Array, Array]:
        plant = self.plant
        home, rest = plant.formulation.home(), np.array(plant.mechanism.first_qd)
        return self._system.packed(home, rest, plant.first_states)

    def __call__(
        self, x: Array, dx: Array, dg: Array | None = None, *, t: float = 0.0,
        u: Array | None = None, tau: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """xd, and its derivatives along directions.

        Args:
            x: the state.
            dx: its directions, shape (states, directions).
            dg: directions of the varied quantities, shape (varied, directions); none by default.
            t: time [s].
            u: inputs, in the order of `plant.inputs`; initial values by default.
            tau: efforts of the joints; 0 by default.

        Returns:
            xd of shape (states,) and its derivatives of shape (states, directions).
        """
        return self._evaluate("slopes", x, dx, dg, t, u, tau)

    def observe(
        self, x: Array, dx: Array, dg: Array | None = None, *, t: float = 0.0,
        u: Array | None = None, tau: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Signals of the motion (`observed`), and their derivatives; arguments as for a call."""
        return self._evaluate("observe", x, dx, dg, t, u, tau)

    def jacobian(
        self, x: Array, *, t: float = 0.0, u: Array | None = None, tau: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """xd, ∂xd/∂x of shape (states, states) and ∂xd/∂g of shape (states, varied)."""
        return self._jacobian("slopes", x, t, u, tau)

    def observation_jacobian(
        self, x: Array, *, t: float = 0.0, u: Array | None = None, tau: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """y, ∂y/∂x and ∂y/∂g of the observed signals."""
        return self._jacobian("observe", x, t, u, tau)

    def _jacobian(
        self, name: str, x: Array, t: float, u: Array | None, tau: Array | None
    ) -> tuple[Array, Array, Array]:
        nx, ng = len(self.states), len(self.varied)
        every = np.eye(nx + ng)
        y, dy = self._evaluate(name, x, every[:nx], every[nx:], t, u, tau)
        return y, dy[:, :nx], dy[:, nx:]

    def _evaluate(
        self, name: str, x: Array, dx: Array, dg: Array | None, t: float,
        u: Array | None, tau: Array | None,
    ) -> tuple[Array, Array]:  # fmt: skip
        plant = self.plant
        state = _numbers(x, (len(self.states),), "x")
        directions = np.asarray(dx, dtype=np.float64).shape[-1]
        wide = _numbers(dx, (len(self.states), directions), "dx")
        more = np.zeros((len(self.varied), directions))
        if dg is not None:
            more = _numbers(dg, more.shape, "dg")
        given = _numbers(plant.first_inputs if u is None else u, (len(plant.inputs),), "u")
        efforts = _numbers(np.zeros(plant.n) if tau is None else tau, (plant.n,), "tau")
        call = self._system.slopes if name == "slopes" else self._system.observe
        return call(t, given, efforts, (state, self._dep), wide, more)


def tangent(plant: BarePlant, by: Sequence[str] = (), *, directions: int = LANES[-1]) -> Tangent:
    """The rates of the state of a plant, with exact derivatives.

        tangent = plant.tangent(by=["mass", "motor"])
        xd, A, B = tangent.jacobian(x)  # ∂xd/∂x, ∂xd/∂(mass, motor)

    Args:
        plant: the compiled mechanism.
        by: live parameters, inputs and "<joint>.tau" to differentiate by, besides the state.
        directions: how many are wanted at a time: 1, 2, 4 or 8 share one evaluation.

    Raises:
        InputError: there is no such name, or the motion of the plant is not smooth.
        BuildError: there is no compiler.
    """
    return Tangent(plant, name_list(by, "by"), directions=directions)


def _numbers(given: Array, shape: tuple[int, ...], name: str) -> Array:
    numbers = np.ascontiguousarray(given, dtype=np.float64)
    if numbers.shape != shape or not np.all(np.isfinite(numbers)):
        raise InputError(
            f"{name} has shape {numbers.shape}, or is not finite", fix=f"It needs shape {shape}."
        )
    return numbers
