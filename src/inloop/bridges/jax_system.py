"""A plant as JAX functions, which can be differentiated, vectorized and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inloop.bridges.named_system import NamedSystem
from inloop.bridges.smooth_system import Arguments, SmoothSystem
from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.keywords import checked_call
from inloop.symbolic import Arithmetic
from inloop.symbolic.tables import PiecewisePolynomial


@dataclass(frozen=True, repr=False)
class JaxSystem(NamedSystem):
    """A plant as JAX functions: xd = rates(x, u, p, z, t), 0 = closure(x, u, p, z, t).

    Pure functions of arrays, for `jax.jit`, `jax.grad`, `jax.vmap` and `jax.lax.scan`.
    """

    def rates(self, x: Any, u: Any = None, p: Any = None, z: Any = None, t: Any = 0.0) -> Any:
        """Rates of the states.

        Args:
            x: states, shape (states,).
            u: inputs; default: the initial ones.
            p: parameters; default: the current ones.
            z: dependent coordinates; default: the initial ones.
            t: time [s].
        """
        return _stacked(self.system.rates(self._arguments(x, u, p, z, t), _arithmetic()))

    def closure(self, x: Any, u: Any = None, p: Any = None, z: Any = None, t: Any = 0.0) -> Any:
        """Residual of the loops [m or rad]; arguments as for `rates`."""
        return _stacked(self.system.closure(self._arguments(x, u, p, z, t), _arithmetic()))

    def position(
        self, path: str, x: Any, u: Any = None, p: Any = None, z: Any = None, t: Any = 0.0
    ) -> Any:
        """Position of a point or frame [m], in world axes; arguments as for `rates`."""
        at = self._arguments(x, u, p, z, t)
        return _stacked(self.system.position(path, at, _arithmetic()))

    def _arguments(self, x: Any, u: Any, p: Any, z: Any, t: Any) -> Arguments:
        import jax.numpy as jnp

        system = self.system
        lengths = len(self.states), len(self.algebraic), len(self.inputs), len(self.parameters)
        first = (None, system.z0, system.u0, system.p0)
        arguments: dict[str, Any] = {"t": t}
        for name, value, default, length in zip("xzup", (x, z, u, p), first, lengths, strict=True):
            array = jnp.asarray(default if value is None else value)
            if array.shape != (length,):
                raise InputError(
                    f"{name} has shape {array.shape}, '{system.plant.name}' needs ({length},)",
                    fix="Many states at once: jax.vmap.",
                )
            arguments[name] = [array[k] for k in range(length)]
        return Arguments(**arguments)


@checked_call
def to_jax(
    plant: BarePlant,
    *,
    inputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
) -> JaxSystem:
    """The equations of motion as JAX functions, for learning and gradients through runs.

    These are the equations that the plant compiles, in the precision that JAX is set to: enable
    `jax_enable_x64` for double precision. Modes, hard contacts and two-dimensional tables are not
    supported.

    Args:
        plant: the compiled mechanism.
        inputs: names of u: "<joint>.tau" and inputs of the model; default: all. Others keep their
            initial values.
        parameters: names of live parameters that become p; others keep their current values.

    Raises:
        InputError: JAX is missing, a name is unknown, or the motion is not smooth.
    """
    try:
        import jax  # noqa: F401
    except ImportError as error:
        raise InputError(
            "functions of JAX need the package jax",
            fix="Install it with: pip install inloop[jax]",
        ) from error
    return JaxSystem(SmoothSystem(plant, inputs, parameters))


def _stacked(entries: list[Any]) -> Any:
    import jax.numpy as jnp

    return jnp.stack([jnp.asarray(entry, float) for entry in entries]) if entries else jnp.zeros(0)


def _arithmetic() -> Arithmetic:
    """The operations of expressions in JAX, which uses NumPy's names."""
    import jax.numpy as jnp

    numpy_names = {
        "add": "add", "sub": "subtract", "neg": "negative", "mul": "multiply", "div": "divide",
        "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos",
        "atan": "arctan", "atan2": "arctan2", "sqrt": "sqrt", "exp": "exp", "log": "log",
        "tanh": "tanh", "pow": "power", "abs": "abs", "sign": "sign", "min": "minimum",
        "max": "maximum",
    }  # fmt: skip
    return {
        **{op: getattr(jnp, name) for op, name in numpy_names.items()},
        "lt": lambda a, b: jnp.where(jnp.less(a, b), 1.0, 0.0),
        "le": lambda a, b: jnp.where(jnp.less_equal(a, b), 1.0, 0.0),
        "where": lambda c, a, b: jnp.where(jnp.not_equal(c, 0.0), a, b),
        "table": _table,
        "table2": _chart,
    }


def _table(table: PiecewisePolynomial, x: Any) -> Any:
    """A piecewise polynomial."""
    import jax.numpy as jnp

    breaks, rows = jnp.asarray(table.breaks), jnp.asarray(table.coefficients)
    k = jnp.clip(jnp.searchsorted(breaks, x, side="right") - 1, 0, len(table.breaks) - 2)
    c0, c1, c2, c3 = (rows[k, power] for power in range(4))
    d = x - breaks[k]
    inside = c0 + d * (c1 + d * (c2 + d * c3))
    return jnp.where(x < breaks[0], table.below, jnp.where(x >= breaks[-1], table.above, inside))


def _chart(chart: object, x: Any, y: Any) -> Any:
    """Reject a two-dimensional table.

    Raises:
        InputError: always.
    """
    raise InputError(
        "the plant has a table of two variables, such as a surface or a curved road, which has no "
        "function in JAX",
        fix="Use a formula in its place, or plant.simulate_many for gradients by differences.",
    )
