"""Reverse mode: gradients of a weighted sum of rates or signals by state, inputs and parameters.

The balances of `balance.py` in reverse: the adjoints of the unknowns become, by one linear solve
with the transposed factors, adjoints of the balance, whose derivatives at a fixed solution are
computed in one reverse sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inloop.formalisms.variation.balance import Balance
from inloop.symbolic import Expr, gradient, rebuild


class Sweep:
    """Derivatives of a sum of expressions, collected from balance to balance."""

    def __init__(self, balance: Balance, wanted: Sequence[Expr]) -> None:
        self._balance, self._wanted = balance, list(wanted)
        d, parts = balance.derivation, balance.roles.velocities
        self._q = [d.symbols.q[k] for k in balance.roles.positions.dependent]
        self._qd = [balance.qd[k] for k in parts.dependent]
        driven = [s for k in parts.driven for s in (d.symbols.q[k], balance.qd[k], balance.qdd[k])]
        all_symbols = [*wanted, *self._q, *self._qd, *balance.qdd, *balance.lam, *driven]
        self._symbols = list(dict.fromkeys(all_symbols))
        self._found: dict[Expr, Expr] = dict.fromkeys(self._symbols, d.graph.zero)

    def add(self, total: Expr, held: Mapping[Expr, Expr] | None = None) -> None:
        """Add the derivatives of a sum; `held` are weights that are held constant."""
        slopes = rebuild(gradient(total, self._symbols), total.graph, held or {})
        for symbol, slope in zip(self._symbols, slopes, strict=True):
            self._found[symbol] = self._found[symbol] + slope

    def of(self, symbols: Sequence[Expr]) -> list[Expr]:
        """Derivatives so far."""
        return [self._found[s] for s in symbols]

    def weigh(self, name: str, weights: Sequence[Expr], balances: Sequence[Expr]) -> None:
        """Subtract weighted balances, with the weights held constant."""
        graph = self._balance.derivation.graph
        symbols = [graph.symbol(f"weight_{name}_{k + 1}") for k in range(len(weights))]
        total = graph.zero
        for symbol, left in zip(symbols, balances, strict=True):
            total = total - symbol * left
        self.add(total, dict(zip(symbols, weights, strict=True)))

    def through_balances(self) -> None:
        """From accelerations and multipliers to velocities, to positions, to drives."""
        balance = self._balance
        parts, zero = balance.roles.velocities, balance.derivation.graph.zero
        # M x - Jᵀ y = weights of qdd, J x = -(weights of lam)
        right = [-e for e in self.of(balance.lam)]
        x, y = balance.solve_motion(self.of(balance.qdd), right)
        moved = (*parts.independent, *parts.dependent)
        self.weigh("effort", [x[k] for k in moved], [balance.efforts[k] for k in moved])
        self.weigh("row", [-e for e in y], balance.accelerations)
        # J_vᵀ weights = those of qd_v, then of q_v
        weights = balance.solve_velocities_transposed(self.of(self._qd))
        self.weigh("speed", weights, balance.velocities)
        self.weigh("closing", balance.close_transposed(self.of(self._q)), balance.closing)
        for k, motion in balance.drives.items():
            symbols = (balance.derivation.symbols.q[k], balance.qd[k], balance.qdd[k])
            weights = self.of(symbols)
            if any(w is not zero for w in weights):
                self.weigh(f"drive_{k + 1}", weights, [-e for e in motion])

    def results(self) -> list[Expr]:
        """Derivatives by the requested symbols, with the solution substituted."""
        return self._balance.with_solution(self.of(self._wanted))


def pull_back(
    balance: Balance, weighted: Sequence[tuple[Expr, Expr]], wanted: Sequence[Expr]
) -> list[Expr]:
    """Derivatives of Σ weight · expression by the wanted symbols.

    Args:
        balance: the motion.
        weighted: weights, symbols that are held constant, and expressions in the symbols of the
            balance.
        wanted: symbols of the state, of inputs and parameters.
    """
    sweep = Sweep(balance, wanted)
    total = balance.derivation.graph.zero
    for weight, expr in weighted:
        total = total + weight * expr
    sweep.add(total)
    sweep.through_balances()
    return sweep.results()
