"""The numbers of a mechanism as symbols and constants in a fresh derivation graph.

Every derivation starts with a new graph, so that the same model always gives the same program.
Parameters are static symbols; a number is a constant, or a static symbol of its own if it is
declared live.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inloop.errors import InputError
from inloop.formalisms.vectors import Matrix, Vector
from inloop.joints import Quaternion, quaternion
from inloop.model import Matrix3, Mechanism
from inloop.symbolic import Expr, Graph, Scalar, rebuild

ALL = "all"
Selection = str | Collection[str]


@dataclass(frozen=True)
class LiveParameter:
    """A quantity that may change while the mechanism runs: name, default value, unit, range."""

    name: str
    default: float
    unit: str = ""
    range: tuple[float, float] | None = None
    doc: str = ""


@dataclass
class Symbols:
    """The derivation graph with all its named symbols.

    Attributes:
        graph: the fresh graph.
        q: one symbol per coordinate, then the components of the quaternions.
        qd, qdd, tau: one symbol per coordinate.
        t: time [s].
        inputs: symbols of the model's own named inputs.
        states: symbols of the internal states of force laws and drives.
        drive_inputs: symbols of the inputs that live drives follow.
    """

    graph: Graph
    q: list[Expr]
    qd: list[Expr]
    qdd: list[Expr]
    tau: list[Expr]
    t: Expr
    inputs: list[Expr]
    states: list[Expr]
    drive_inputs: list[Expr]
    live: frozenset[str] | None
    _live: dict[str, tuple[LiveParameter, Expr]] = field(default_factory=dict)
    _known: dict[Expr, Expr] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def quaternion(self, number: int) -> Quaternion:
        """The components of a quaternion, by its index among the attitudes of the mechanism."""
        first = len(self.qd) + 4 * number
        w, x, y, z = self.q[first : first + 4]
        return w, x, y, z

    @property
    def parameters(self) -> list[LiveParameter]:
        """Live parameters, in the order of the parameter vector."""
        return [parameter for parameter, _ in self._live.values()]

    @property
    def symbols(self) -> list[Expr]:
        """Their symbols, in the same order."""
        return [symbol for _, symbol in self._live.values()]

    def scalar(self, value: Scalar, name: str, unit: str = "", least: float = -math.inf) -> Expr:
        """A number or expression of the model, in the derivation graph.

        A nonzero number becomes a parameter called `name` if it is live.

        Args:
            value: the number or expression.
            name: name of the quantity.
            unit: its unit.
            least: lower bound; a parameter that is this quantity may not go below it.
        """
        if isinstance(value, Expr):
            found = rebuild([value], self.graph, self._known)[0]
            self._bound(found, least)
            return found
        number = float(value)
        if number != 0.0 and (self.live is None or name in self.live):
            self._used.add(name)
            known = self._live.get(name)
            # a merged body's part may share a name with the whole; it keeps its own number
            if known is None or known[0].default == number:
                symbol = self.add_parameter(LiveParameter(name, number, unit))
                self._bound(symbol, least)
                return symbol
        return self.graph.constant(number)

    def _bound(self, value: Expr, least: float) -> None:
        """Set a lower bound of a parameter; other expressions are not changed."""
        for name, (parameter, symbol) in self._live.items():
            low, high = parameter.range or (-math.inf, math.inf)
            if symbol is value and low < least <= parameter.default:
                self._live[name] = replace(parameter, range=(least, high)), symbol

    def vector(self, values: tuple[Scalar, Scalar, Scalar], name: str, unit: str = "") -> Vector:
        """Three scalars called `<name>.x`, `<name>.y`, `<name>.z`."""
        x, y, z = values
        return (
            self.scalar(x, f"{name}.x", unit),
            self.scalar(y, f"{name}.y", unit),
            self.scalar(z, f"{name}.z", unit),
        )

    def matrix(self, rows: Matrix3) -> Matrix:
        """Nine entries of a rotation; its numbers are never live."""
        built = [self.substitute(list(row), {}) for row in rows]
        r = [(row[0], row[1], row[2]) for row in built]
        return r[0], r[1], r[2]

    def add_parameter(self, parameter: LiveParameter) -> Expr:
        """Declare a live parameter; the same name gives the same symbol."""
        if parameter.name not in self._live:
            symbol = self.graph.symbol(f"par.{parameter.name}", static=True)
            self._live[parameter.name] = (parameter, symbol)
        return self._live[parameter.name][1]

    def substitute(self, exprs: Sequence[Scalar], replace: Mapping[Expr, Expr]) -> list[Expr]:
        """Expressions of the model with placeholders replaced, in the derivation graph."""
        known = {**self._known, **replace}
        return [
            rebuild([e], self.graph, known)[0] if isinstance(e, Expr) else self.graph.constant(e)
            for e in exprs
        ]

    def check_all_used(self, known: Collection[str]) -> None:
        """Raise an error for names in `live` that do not exist."""
        unknown = sorted((self.live or frozenset()) - self._used - set(known))
        if unknown:
            raise InputError(
                f"live={unknown}: no such parameter or non-zero number in the model",
                fix='Use live="all" or names such as "crank.mass", "crank.com.x", "crank.pin.z".',
            )


def make_symbols(mechanism: Mechanism, live: Selection = ()) -> Symbols:
    """Start a derivation.

    Args:
        mechanism: the frozen model.
        live: "all", or names of numbers (such as "crank.mass") to keep as parameters in addition to
            the declared ones.
    """
    graph = Graph()
    n = len(mechanism.bodies)
    numbers = range(1, n + 1)
    q, qd, qdd, tau = (
        [graph.symbol(f"{prefix}_{k}") for k in numbers] for prefix in ("q", "qd", "qdd", "tau")
    )
    # named after the number of the body: "qw_6"
    q += [
        graph.symbol(f"{component}_{attitude.bodies[-1] + 1}")
        for attitude in mechanism.attitudes
        for component in quaternion.NAMES
    ]
    wanted = None if live == ALL else frozenset((live,) if isinstance(live, str) else live)
    t = graph.symbol("t")
    inputs = [graph.symbol(f"u.{item.name}") for item in mechanism.inputs]
    states = [graph.symbol(f"z.{item.name}") for item in mechanism.states]
    followed = [item for drive in mechanism.drives for item in drive.inputs]
    drive_inputs = [graph.symbol(f"u.{item.name}") for item in followed]
    symbols = Symbols(graph, q, qd, qdd, tau, t, inputs, states, drive_inputs, wanted)
    for parameter in mechanism.parameters:
        new = symbols.add_parameter(
            LiveParameter(
                parameter.name, parameter.default, parameter.unit, parameter.range, parameter.doc
            )
        )
        symbols._known[parameter.symbol] = new
    given = zip((*mechanism.inputs, *followed), (*inputs, *drive_inputs), strict=True)
    for item, symbol in given:
        symbols._known[item.symbol] = symbol
    for state, symbol in zip(mechanism.states, states, strict=True):
        symbols._known[state.symbol] = symbol
    return symbols
