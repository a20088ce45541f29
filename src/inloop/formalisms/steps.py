"""Programs of implicit steps: predictor, corrector and the complete Jacobian of the rates.

The predictor solves (I - g W) k = f(x), the corrector (I - g W) y = f(x) - k with the factors that
the predictor has kept; implicit.py tells what W holds. The residual f - k comes from inverse
dynamics at the accelerations k, times the inverse of the predictor's mass matrix: what this leaves
out is of the order of g², like what the method leaves out itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inloop.formalisms import lu
from inloop.formalisms.derive import Derivation
from inloop.formalisms.implicit import Solver, Storage, build_solver
from inloop.formalisms.partition import Partition
from inloop.symbolic import Expr, Input, Output, Program, directional, rebuild

if TYPE_CHECKING:
    from inloop.formalisms.closed import ClosedLoops

PREDICTOR, CORRECTOR, JACOBIAN = "predictor", "corrector", "rates_jacobian"
FORMALISM = "mass matrix with the slopes of force laws"


def tree_steps(d: Derivation) -> tuple[Program, Program]:
    """Predictor and corrector of a mechanism without loops."""
    solver = build_solver(d.mass, d.loads.ports, d.symbols, range(d.n))
    storage = Storage(d.graph)
    right = [a - b for a, b in zip(d.symbols.tau, d.c, strict=True)]
    predictor = _predictor(d, solver, storage, right, d.symbols.qd, d.loads.rates)
    rest = [a - b for a, b in zip(d.symbols.tau, d.tau, strict=True)]
    return predictor, _corrector(d, solver, storage, rest, d.loads.rates)


def closed_steps(
    loops: ClosedLoops, partition: Partition, suffix: str = ""
) -> tuple[Program, Program]:
    """Predictor and corrector in independent coordinates, at a closed position."""
    d, found = loops.derivation, loops.at(partition)
    B = found.columns()
    solver = build_solver(found.mass(B)[1], found.loads.ports, d.symbols, partition.independent)
    storage = Storage(d.graph)
    tau0 = found.efforts(found.accelerations(partition.driven))
    right = found.projected(B, [a - b for a, b in zip(d.symbols.tau, tau0, strict=True)])
    rq = [d.symbols.qd[j] for j in partition.independent]
    follow = Output.vector("vd", [found.qd[i] for i in partition.dependent], "dependent velocities")
    state = loops.state("q qd qdd tau loads" if partition.driven else "q qd tau loads")
    rates = found.loads.rates
    predictor = _predictor(d, solver, storage, right, rq, rates, state, (follow,), suffix)
    state = loops.state("q qd qdd tau loads")
    return predictor, _corrector(d, solver, storage, found.residual(), rates, state, suffix)


def _predictor(
    d: Derivation,
    solver: Solver,
    storage: Storage,
    right: Sequence[Expr],
    rq: Sequence[Expr],
    rates: Sequence[Expr],
    state: str = "q qd tau loads",
    more: tuple[Output, ...] = (),
    suffix: str = "",
) -> Program:
    kv, kz = solver.solve(right, rq, rates)
    solver.stored(storage)
    outputs = (*_solution("k", kv, kz), *more, Output.vector("kept", storage.symbols, "factors"))
    doc = "First half of an implicit step: (I - g W) k = f."
    program = d.make(f"{PREDICTOR}{suffix}", state, outputs, doc, FORMALISM)
    return _with_inputs(program, [_span(solver)])


def _corrector(
    d: Derivation,
    solver: Solver,
    storage: Storage,
    residual: Sequence[Expr],
    rates: Sequence[Expr],
    state: str = "q qd qdd tau loads",
    suffix: str = "",
) -> Program:
    graph = d.graph
    rq = [graph.symbol(f"rq.{k}") for k in range(len(residual))]
    kz = [graph.symbol(f"kz.{k}") for k in range(len(rates))]
    rz = [rate - k for rate, k in zip(rates, kz, strict=True)]
    yv, yz = solver.stored(storage).solve(residual, rq, rz)
    doc = "Second half of an implicit step: (I - g W) y = f - k; qdd are the accelerations of k."
    program = d.make(f"{CORRECTOR}{suffix}", state, _solution("y", yv, yz), doc, FORMALISM)
    blocks = [_span(solver), Input("rq", tuple(rq), "residual of the velocities")]
    if kz:
        blocks.append(Input("kz", tuple(kz), "first solution of the states of force laws"))
    blocks.append(Input("kept", tuple(storage.symbols.values()), "factors"))
    return _with_inputs(program, blocks)


def _span(solver: Solver) -> Input:
    return Input("g", (solver.g,), "part of the step [s]")


def _solution(name: str, v: list[Expr], z: list[Expr]) -> tuple[Output, ...]:
    found = Output.vector(f"{name}v", v, "accelerations [rad/s² or m/s²]")
    return (found, Output.vector(f"{name}z", z, "rates of states of force laws")) if z else (found,)


def _with_inputs(program: Program, blocks: Sequence[Input]) -> Program:
    inputs = (*program.inputs, *blocks)
    return Program(program.name, inputs, program.outputs, program.doc, program.formalism)


# the complete Jacobian


def tree_jacobian(d: Derivation) -> Program:
    """∂(qdd, zd)/∂(q, qd, z) and ∂(qdd, zd)/∂t."""
    symbols = (*d.symbols.q, *d.symbols.qd, *d.symbols.states)
    tangents: list[Mapping[Expr, Expr]] = [{s: d.graph.one} for s in (*symbols, d.symbols.t)]
    qdd = dict(zip(d.symbols.qdd, d.qdd[0], strict=True))
    rest = [-tau for tau in d.tau]
    columns = [
        [*d.factors.solve(rebuild(directional(rest, t), d.graph, qdd)), *directional(d.loads.rates, t)]
        for t in tangents
    ]
    outputs = (
        Output.matrix("J", zip(*columns[:-1], strict=True), "∂(qdd, zd)/∂(q, qd, z)"),
        Output.vector("dfdt", columns[-1], "∂(qdd, zd)/∂t"),
    )
    doc = "Jacobian of the rates."
    return d.make(JACOBIAN, "q qd tau loads", outputs, doc, "M^-1 ∂(tau - M qdd - c)/∂x")


def closed_jacobian(loops: ClosedLoops, partition: Partition, suffix: str = "") -> Program:
    """∂(qdd_u, zd, qd_v)/∂(q_u, qd_u, z), with the dependent coordinates following q_u."""
    d, found = loops.derivation, loops.at(partition)
    graph, symbols = d.graph, d.symbols
    u, v = partition.independent, partition.dependent
    B = found.columns()
    mass = lu.factorize(found.mass(B)[1], len(u), graph, "Mr")
    tau0 = found.efforts(found.accelerations(partition.driven))
    right = found.projected(B, [a - b for a, b in zip(symbols.tau, tau0, strict=True)])
    qdd = dict(zip((symbols.qdd[j] for j in u), mass.solve(right), strict=True))
    tangents: list[Mapping[Expr, Expr]] = [
        {symbols.q[j]: graph.one} | {symbols.q[i]: B[c][k] for k, i in enumerate(v)}
        for c, j in enumerate(u)
    ]
    tangents += [{s: graph.one} for s in (*(symbols.qd[j] for j in u), *symbols.states)]
    rest, follow = found.residual(), [found.qd[i] for i in v]
    columns = [
        [
            *mass.solve(rebuild(directional(rest, tangent), graph, qdd)),
            *directional(found.loads.rates, tangent),
            *directional(follow, tangent),
        ]
        for tangent in tangents
    ]
    out = Output.matrix("J", zip(*columns, strict=True), "∂(qdd_u, zd, qd_v)/∂(q_u, qd_u, z)")
    state = loops.state("q qd qdd tau loads" if partition.driven else "q qd tau loads")
    doc = "Jacobian of the rates in independent coordinates, at a closed position."
    formalism = "coordinate partitioning, forward derivatives"
    return d.make(f"{JACOBIAN}{suffix}", state, (out,), doc, formalism)

