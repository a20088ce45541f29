"""Derivatives of inverse and forward dynamics by state, effort and parameters.

∂qdd/∂x = -M⁻¹ ∂tau/∂x,  with tau = M qdd + c differentiated at constant qdd
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inloop.formalisms.tangents import tangents
from inloop.symbolic import Expr, Output, Program, directional, jacobian, rebuild

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

Rows = list[list[Expr]]


def inverse_dynamics_derivatives(d: Derivation) -> Program:
    """∂tau/∂q and ∂tau/∂qd; ∂tau/∂qdd is M."""
    outputs = tuple(
        Output.matrix(f"dtau_d{name}", rows, f"∂tau/∂{name}") for name, rows in _by_state(d)
    )
    doc = "Derivatives of the inverse dynamics; ∂tau/∂qdd is the mass matrix."
    formalism = "recursive Newton-Euler, forward derivatives"
    return d.make("inverse_dynamics_derivatives", "q qd qdd loads", outputs, doc, formalism)


def direct_dynamics_derivatives(d: Derivation) -> Program:
    """∂qdd/∂q, ∂qdd/∂qd and ∂qdd/∂tau = M⁻¹."""
    graph, n = d.graph, d.n
    outputs = [
        Output.matrix(f"dqdd_d{name}", _solved(d, rows), f"∂qdd/∂{name}")
        for name, rows in _by_state(d)
    ]
    units = [[graph.one if i == j else graph.zero for i in range(n)] for j in range(n)]
    inverse = _transposed([d.factors.solve(unit) for unit in units])
    outputs.append(Output.matrix("dqdd_dtau", inverse, "∂qdd/∂tau = M^-1"))
    doc = "Derivatives of the direct dynamics."
    return d.make(
        "direct_dynamics_derivatives", "q qd tau loads", tuple(outputs), doc, "-M^-1 ∂tau/∂x"
    )


def parameter_derivatives(d: Derivation, names: Sequence[str]) -> tuple[Program, Program]:
    """∂tau/∂p and ∂qdd/∂p for live parameters p, as two programs."""
    known = dict(zip((p.name for p in d.symbols.parameters), d.symbols.symbols, strict=True))
    rows = jacobian(d.tau, [known[name] for name in names])
    listed = ", ".join(names)
    inverse = d.make(
        "inverse_dynamics_by_parameters",
        "q qd qdd loads",
        (Output.matrix("dtau_dp", rows, "∂tau/∂p, one column per parameter"),),
        f"Derivatives of the inverse dynamics by parameters: {listed}",
        "recursive Newton-Euler, forward derivatives",
    )
    direct = d.make(
        "direct_dynamics_by_parameters",
        "q qd tau loads",
        (Output.matrix("dqdd_dp", _solved(d, rows), "∂qdd/∂p, one column per parameter"),),
        f"Derivatives of the direct dynamics by parameters: {listed}",
        "-M^-1 ∂tau/∂p",
    )
    return inverse, direct


def _by_state(d: Derivation) -> tuple[tuple[str, Rows], tuple[str, Rows]]:
    """Derivatives of tau by small joint motions, and by joint velocities."""
    along = [directional(d.tau, tangent) for tangent in tangents(d.mechanism, d.symbols)]
    return ("q", _transposed(along)), ("qd", jacobian(d.tau, d.symbols.qd))


def _solved(d: Derivation, rows: Rows) -> Rows:
    """-M⁻¹ times a matrix of ∂tau/∂x, at the accelerations that the efforts produce."""
    qdd, _ = d.qdd
    at = dict(zip(d.symbols.qdd, qdd, strict=True))
    flat = iter(rebuild([e for row in rows for e in row], d.graph, at))
    columns = _transposed([[-next(flat) for _ in row] for row in rows])
    return _transposed([d.factors.solve(column) for column in columns])


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
