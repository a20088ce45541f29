"""A plant as CasADi functions: exact derivatives of every order, for optimal control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from inloop.bridges.named_system import NamedSystem
from inloop.bridges.smooth_system import Arguments, SmoothSystem
from inloop.errors import InputError
from inloop.model.names import quoted
from inloop.native import build_library
from inloop.plant import BarePlant
from inloop.plant.keywords import checked_call
from inloop.symbolic import Arithmetic
from inloop.symbolic.tables import PiecewisePolynomial

if TYPE_CHECKING:
    import casadi

EXPORTED = '#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))\n'


@dataclass(frozen=True, repr=False)
class CasadiSystem(NamedSystem):
    """A plant as a system of CasADi: xd = rates(x, z, u, p, t), 0 = closure(x, z, u, p, t).

    The names are CasADi's: x are states, z algebraic variables, u inputs, p parameters.
    `casadi.integrator` takes `dae` as it is.

    Attributes:
        dae: symbols x, z, u, p, t and expressions ode, alg.
    """

    dae: dict[str, Any]

    @cached_property
    def rates(self) -> casadi.Function:
        """xd as a function of x, z, u, p, t; omitted arguments are zero."""
        return self._function("rates", self.dae["ode"], "xd")

    @cached_property
    def closure(self) -> casadi.Function:
        """h as a function of x, z, u, p, t [m or rad]; zero where the loops are closed."""
        return self._function("closure", self.dae["alg"], "h")

    def compiled_rates(self, order: int = 1) -> casadi.Function:
        """`rates` as compiled C: an external function of CasADi, with derivatives.

        The C text is CasADi's, compiled with the compiler and cache of the plants. Solvers evaluate
        it about twenty times as fast as `rates`.

        Args:
            order: order of the compiled derivatives, 1 or 2. IPOPT needs second ones, or the option
                {"hessian_approximation": "limited-memory"}. They are long for large mechanisms.

        Raises:
            BuildError: there is no compiler.
        """
        import casadi

        if order not in (1, 2):
            raise InputError(f"order is {quoted(order)}", fix="Use 1 or 2.")
        generator = casadi.CodeGenerator("rates_of_casadi", {"with_header": False})
        function = self.rates
        for _ in range(order + 1):
            generator.add(function)
            function = function.jacobian()
        library = build_library({"rates_of_casadi.c": EXPORTED + generator.dump()})
        return casadi.external("rates", str(library))

    def position(self, path: str) -> casadi.Function:
        """Position of a point or frame [m], in world axes, as a function of x, z, u, p, t.

        Args:
            path: "<body>.<point>", as in `plant.position`.
        """
        import casadi

        position = self.system.position(path, _arguments(self.dae), _arithmetic())
        return self._function("position", casadi.vertcat(*position), "p_WQ")

    def _function(self, name: str, value: Any, called: str) -> casadi.Function:
        import casadi

        known = ["x", "z", "u", "p", "t"]
        symbols = [self.dae[key] for key in known]
        return casadi.Function(name, symbols, [value], known, [called], {"cse": True})


@checked_call
def to_casadi(
    plant: BarePlant,
    *,
    inputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
) -> CasadiSystem:
    """The equations of motion as CasADi expressions, for optimal control.

    These are the equations that the plant compiles, so CasADi has exact derivatives of every order,
    and can generate its own code. Modes, hard contacts and two-dimensional tables are not
    supported.

    Args:
        plant: the compiled mechanism.
        inputs: names of u: "<joint>.tau" and inputs of the model; default: all. Others keep their
            initial values.
        parameters: names of live parameters that become p; others keep their current values.

    Raises:
        InputError: CasADi is missing, a name is unknown, or the motion is not smooth.
    """
    try:
        import casadi
    except ImportError as error:
        raise InputError(
            "expressions of CasADi need the package casadi",
            fix="Install it with: pip install inloop[casadi]",
        ) from error
    system = SmoothSystem(plant, inputs, parameters)
    sizes = {"x": system.states, "z": system.algebraic, "u": system.inputs, "p": system.parameters}
    dae: dict[str, Any] = {name: casadi.SX.sym(name, len(of)) for name, of in sizes.items()}
    dae["t"] = casadi.SX.sym("t")
    at, arithmetic = _arguments(dae), _arithmetic()
    dae["ode"] = casadi.vertcat(*system.rates(at, arithmetic))
    dae["alg"] = casadi.vertcat(*system.closure(at, arithmetic))
    return CasadiSystem(system, dae)


def _arguments(dae: dict[str, Any]) -> Arguments:
    x, z, u, p = ([dae[name][k] for k in range(dae[name].numel())] for name in ("x", "z", "u", "p"))
    return Arguments(x, z, u, p, dae["t"])


def _arithmetic() -> Arithmetic:
    """The operations of expressions in CasADi."""
    import casadi as ca

    same = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh")
    return {
        **{name: getattr(ca, name) for name in (*same, "sign")},
        "add": ca.plus,
        "sub": ca.minus,
        "neg": lambda a: -a,
        "mul": ca.times,
        "div": ca.rdivide,
        "pow": ca.power,
        "abs": ca.fabs,
        "min": ca.fmin,
        "max": ca.fmax,
        "lt": ca.lt,
        "le": ca.le,
        "where": ca.if_else,
        "table": _table,
        "table2": _chart,
    }


def _table(table: PiecewisePolynomial, x: Any) -> Any:
    """A piecewise polynomial, from its last piece to its first."""
    import casadi as ca

    value: Any = table.above
    pieces = zip(table.breaks, table.breaks[1:], table.coefficients, strict=False)
    for begin, end, (c0, c1, c2, c3) in reversed(list(pieces)):
        d = x - begin
        value = ca.if_else(x < end, c0 + d * (c1 + d * (c2 + d * c3)), value)
    return ca.if_else(x < table.breaks[0], table.below, value)


def _chart(chart: object, x: Any, y: Any) -> Any:
    """Reject a two-dimensional table.

    Raises:
        InputError: always.
    """
    raise InputError(
        "the plant has a table of two variables, such as a surface or a curved road, which has no "
        "expression in CasADi",
        fix="Use a formula in its place, or differences of plant.stepper().",
    )
