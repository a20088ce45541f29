"""Programs of implicit steps: predictor, corrector and the complete Jacobian of the rates.

The predictor solves (I - g W) k = f(x) + g ∂f/∂t, the corrector (I - g W) y = w f(x) - k + (w - 1)
g ∂f/∂t with the factors kept by the predictor; for W see implicit.py. The residual f - k comes from
inverse dynamics at the accelerations k, times the inverse of the predictor's mass matrix: the error
is of order g², like that of the method itself. With hard contacts, a third program computes the
effect of their impulses in such a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inloop.formalisms.derive import Derivation
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.laws.ports import Entries, Tangent
from inloop.formalisms.laws.reactions import reactions
from inloop.formalisms.loops import lu
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.reduced import Constrained
from inloop.formalisms.recursions.crb import MassMatrix
from inloop.formalisms.stepping.implicit import Factors, Law, Solver, Storage, build_solver
from inloop.formalisms.tangents import attitude_rates
from inloop.symbolic import Expr, Input, Output, Program, align, directional, reachable, rebuild

if TYPE_CHECKING:
    from inloop.formalisms.loops.closed import ClosedLoops

PREDICTOR, CORRECTOR, JACOBIAN = "predictor", "corrector", "rates_jacobian"
RESPONSE = "response"
HALF_WAY = 0.5  # fraction of the step at which its second stage lies if contacts are hard
ALIKE_FROM = 3  # minimum number of similar laws to compute side by side
WHOLE = 4  # their number is padded to a multiple of this
FORMALISM = "mass matrix with the slopes of force laws"


def tree_steps(d: Derivation) -> tuple[Program, ...]:
    """Predictor and corrector of a mechanism without loops, each followed by its laws."""
    step = _Step(d, d.loads, lambda qdd: _tree_reactions(d, qdd), range(d.n))
    step.factorize(d.mass)
    right = [a - b for a, b in zip(d.symbols.tau, d.c, strict=True)]
    rest = [a - b for a, b in zip(d.symbols.tau, d.tau, strict=True)]
    state = "q qd tau loads"
    return (
        *step.predictor(PREDICTOR, state, right),
        *step.corrector(CORRECTOR, f"qdd {state}", rest),
        *step.response(RESPONSE),
    )


def closed_steps(loops: ClosedLoops, partition: Partition, suffix: str = "") -> tuple[Program, ...]:
    """The same in independent coordinates, at a closed position."""
    d, found = loops.derivation, loops.at(partition)
    B = found.columns()
    step = _Step(d, found.loads, found.reactions, partition.independent)
    moved = bool(partition.driven) or any(row.nu is not d.graph.zero for row in found.used)
    step.factorize(found.mass(B)[1], moved)
    right = _free(d, found, B)
    rest = found.residual(step.qdd)
    follow = Output.vector("vd", [found.qd[i] for i in partition.dependent], "dependent velocities")
    state = loops.state("q qd tau loads")
    first = f"qdd {state}" if partition.driven else state
    return (
        *step.predictor(f"{PREDICTOR}{suffix}", first, right, (follow,)),
        *step.corrector(f"{CORRECTOR}{suffix}", f"qdd {state}", rest, (follow,)),
        *step.response(f"{RESPONSE}{suffix}"),
    )


def _tree_reactions(d: Derivation, qdd: Sequence[Expr]) -> dict[Expr, Expr]:
    return reactions(d.skeleton, d.loads, qdd) if d.loads.reactions else {}


def _free(d: Derivation, found: Constrained, B: list[list[Expr]]) -> list[Expr]:
    """Aᵀ (tau - tau0): the right side for the independent accelerations."""
    tau0 = found.efforts(found.accelerations(found.driven()))
    return found.projected(B, [a - b for a, b in zip(d.symbols.tau, tau0, strict=True)])


class _Step:
    """The two programs of an implicit step.

    Args:
        d: the derivation.
        loads: its force laws, at the velocities of the mechanism.
        reactions: joint reactions that laws need, from accelerations.
        coordinates: coordinates whose accelerations are solved for.
    """

    def __init__(
        self,
        d: Derivation,
        loads: Loads,
        reactions: Callable[[Sequence[Expr]], dict[Expr, Expr]],
        coordinates: Sequence[int],
    ) -> None:
        self._d, self._loads, self._reactions = d, loads, reactions
        self._coordinates = tuple(coordinates)
        self.qdd = [d.symbols.qdd[k] for k in coordinates]
        self._storage = Storage(d.graph)
        self._pushed = bool(d.mechanism.hard_contacts)

    def factorize(self, mass: MassMatrix | Entries, moved: bool = False) -> None:
        """Laws are differentiated with the reactions of a mechanism without accelerations."""
        still = self._reactions([self._d.graph.zero] * len(self.qdd))
        ports = [
            replace(port, known={key: still.get(e, e) for key, e in port.known.items()})
            for port in self._loads.ports
        ]
        self._solver = build_solver(mass, ports, self._d.symbols, self._coordinates, moved)
        # for the accelerations themselves, on which reactions depend
        self._inertia = build_solver(mass, (), self._d.symbols, self._coordinates)

    def _accelerations(self, inertia: Solver, right: Sequence[Expr]) -> list[Expr]:
        """M⁻¹ right if laws need reactions; otherwise not needed."""
        if not self._loads.reactions:
            return [self._d.graph.zero] * len(right)
        return inertia.motion(right, (), ())[0]

    def _rates(self, qdd: Sequence[Expr]) -> list[Expr]:
        return rebuild(self._loads.rates, self._d.graph, self._reactions(qdd))

    def predictor(
        self, name: str, state: str, right: Sequence[Expr], more: tuple[Output, ...] = ()
    ) -> tuple[Program, ...]:
        """k, and the factors to keep."""
        d, solver = self._d, self._solver
        felt = [law.sd for law in solver.laws]
        rates = self._rates(self._accelerations(self._inertia, right))
        right, rates = solver.with_time(right, rates, d.graph.one)
        kv, M_kv = solver.motion(right, rates, felt)
        kz = solver.states(kv, rates, felt)
        self._M_kv = [self._storage(e) for e in M_kv]
        solver.stored(self._storage, self._pushed)
        self._kept_inertia = self._inertia
        if self._loads.reactions:
            self._kept_inertia = self._inertia.stored(self._storage)
        kept = Output.vector("kept", self._storage.symbols, "factors")
        doc = "First half of an implicit step: (I - g W) k = f."
        program = d.make(name, state, (*_solution("k", kv, kz), *more, kept), doc, FORMALISM)
        program = replace(program, inputs=(*program.inputs, _span(solver)))
        rows = []
        for law, row in self._scalar_laws():
            blocks = (law.C, law.g_e_s, law.g_e_z, law.D, law.E, law.H)
            rows.append([*row, *(entry for block in blocks for entry in block.values())])
        return _laws_apart(program, rows)

    def _scalar_laws(self) -> Iterator[tuple[Law, list[Expr]]]:
        """Laws of single joints, each with its effort and the rates of its states.

        Laws that need reactions are omitted: these are known only later.
        """
        later = set(self._loads.reactions)
        for port, law in zip(self._loads.ports, self._solver.laws, strict=True):
            rates = self._loads.rates[law.first : law.first + law.count]
            alone = port.scalar and port.work[0].is_symbol
            if alone and later.isdisjoint(reachable(rates)):
                yield law, self._d.symbols.substitute(port.efforts, port.known) + rates

    def corrector(
        self,
        name: str,
        state: str,
        residual: Sequence[Expr],
        more_outputs: tuple[Output, ...] = (),
    ) -> tuple[Program, ...]:
        """y, from the residual at the accelerations qdd."""
        d, solver = self._d, self._solver.stored(self._storage)
        rq = [d.graph.symbol(f"rq.{k}") for k in range(len(residual))]
        kz = [d.graph.symbol(f"kz.{k}") for k in range(len(self._loads.rates))]
        # w f - k = w (f - k) + (w - 1) k
        w = d.graph.symbol("w")
        more = w - 1.0
        right = [w * r + more * Mk for r, Mk in zip(residual, self._M_kv, strict=True)]
        felt = solver.felt(rq, more)
        change = self._accelerations(self._kept_inertia, residual)
        rates = self._rates([a + b for a, b in zip(self.qdd, change, strict=True)])
        weighted = [w * rate - k for rate, k in zip(rates, kz, strict=True)]
        right, weighted = solver.with_time(right, weighted, more)
        yv, _ = solver.motion(right, weighted, felt)
        yz = solver.states(yv, weighted, felt)
        doc = "Second half of an implicit step: (I - g W) y = w f - k; qdd is k of the velocities."
        program = d.make(name, state, (*_solution("y", yv, yz), *more_outputs), doc, FORMALISM)
        blocks = [_span(solver), Input("w", (w,), "weight of f")]
        blocks.append(Input("rq", tuple(rq), "right-hand side of the velocities"))
        if kz:
            blocks.append(Input("kz", tuple(kz), "k of the states of force laws"))
        blocks.append(Input("kept", tuple(self._storage.symbols.values()), "factors"))
        program = replace(program, inputs=(*program.inputs, *blocks))
        return _laws_apart(program, [row for _, row in self._scalar_laws()])

    def response(self, name: str) -> tuple[Program, ...]:
        """Effect of impulses of hard contacts during a step, with the kept factors."""
        if not self._pushed:
            return ()
        d, solver = self._d, self._solver.stored(self._storage, held=True)
        push = [d.graph.symbol(f"push.{k}") for k in range(len(self.qdd))]
        dv, dz = solver.response(push, len(self._loads.rates), HALF_WAY)
        doc = "What impulses change that act during a step whose laws are implicit."
        outputs = (Output.vector("dv", dv, "velocities"), Output.vector("dz", dz, "states of laws"))
        blocks = (
            _span(solver),
            Input("push", tuple(push), "impulses [N s or N m s]"),
            Input("kept", tuple(self._storage.symbols.values()), "factors"),
        )
        return (Program(name, blocks, outputs, doc, FORMALISM),)


def _laws_apart(program: Program, rows: Sequence[Sequence[Expr]]) -> tuple[Program, ...]:
    """Split a program into one without the similar laws on many joints, and one of these laws.

    The extracted part is a row of expressions per law, for the largest group of similar rows, which
    back ends compute side by side.
    """
    groups: list[list[list[Expr]]] = []
    for row in rows:
        # signs are absorbed by the users of a value
        plain = [e.args[0] if e.op == "neg" else e for e in row]
        plain = [e for e in plain if e.args and not e.static]
        group = next((g for g in groups if align([g[0], plain]) is not None), None)
        if group is None:
            groups.append([plain])
        else:
            group.append(plain)
    largest = max(groups, key=len, default=[])
    if len(largest) < ALIKE_FROM or not largest[0]:
        return (program,)
    columns = len(largest[0])
    symbols = [program.graph.symbol(f"law.{k}") for k in range(columns * len(largest))]
    places = iter(symbols)
    known = {row[c]: next(places) for c in range(columns) for row in largest}
    # one line per value, padded to whole vectors by repeating the last law
    padded = [*largest, *[largest[-1]] * (-len(largest) % WHOLE)]
    exprs = tuple(row[c] for c in range(columns) for row in padded)
    doc = "values and slopes of force laws: a row per value, a column per law"
    block = Input("law", tuple(known.get(e, e) for e in exprs), doc)
    inputs = (*program.inputs, block)
    rest = program.with_exprs(rebuild(program.exprs, program.graph, known), inputs)
    law = Output("law", exprs, (columns, len(padded)), doc)
    names = ("q", "qd", "u", "z", "t", "g")
    inputs = tuple(b for b in program.inputs if b.name in names)
    doc = "Force laws of one kind."
    return rest, Program(f"{program.name}_laws", inputs, (law,), doc, program.formalism)


def _span(solver: Solver) -> Input:
    return Input("g", (solver.g,), "part of the step [s]")


def _solution(name: str, v: list[Expr], z: list[Expr]) -> tuple[Output, ...]:
    found = Output.vector(f"{name}v", v, "accelerations [rad/s² or m/s²]")
    return (found, Output.vector(f"{name}z", z, "rates of states of force laws")) if z else (found,)


# the complete Jacobian


def tree_jacobian(d: Derivation) -> Program:
    """∂(qdd, zd)/∂(q, qd, z) and ∂(qdd, zd)/∂t; quaternions count as the last states z."""
    q, turning = d.symbols.q[: d.n], d.symbols.q[d.n :]
    symbols = (*q, *d.symbols.qd, *d.symbols.states, *turning, d.symbols.t)
    tangents: list[Tangent] = [{s: d.graph.one} for s in symbols]
    rates = rebuild(d.loads.rates, d.graph, _tree_reactions(d, d.symbols.qdd))
    rates += attitude_rates(d.mechanism, d.symbols, d.symbols.qd)
    rest = [-tau for tau in d.tau]
    columns = _columns(d.factors, rest, rates, d.symbols.qdd, d.qdd[0], tangents)
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
    tangents: list[Tangent] = [
        {symbols.q[j]: graph.one} | {symbols.q[i]: B[c][k] for k, i in enumerate(v)}
        for c, j in enumerate(u)
    ]
    tangents += [{s: graph.one} for s in (*(symbols.qd[j] for j in u), *symbols.states)]
    qdd = [symbols.qdd[j] for j in u]
    rates = rebuild(found.loads.rates, graph, found.reactions(qdd))
    at = mass.solve(_free(d, found, B))
    columns = _columns(mass, found.residual(qdd), rates, qdd, at, tangents)
    follow = [directional([found.qd[i] for i in v], tangent) for tangent in tangents]
    rows = zip(*(a + b for a, b in zip(columns, follow, strict=True)), strict=True)
    out = Output.matrix("J", rows, "∂(qdd_u, zd, qd_v)/∂(q_u, qd_u, z)")
    state = loops.state("q qd qdd tau loads" if partition.driven else "q qd tau loads")
    doc = "Jacobian of the rates in independent coordinates, at a closed position."
    formalism = "coordinate partitioning, forward derivatives"
    return d.make(f"{JACOBIAN}{suffix}", state, (out,), doc, formalism)


def _columns(
    mass: Factors,
    residual: Sequence[Expr],
    rates: Sequence[Expr],
    qdd: Sequence[Expr],
    at: Sequence[Expr],
    tangents: Sequence[Tangent],
) -> list[list[Expr]]:
    """Derivatives of qdd and of the rates of states, one column per direction.

    Args:
        mass: factors of the mass matrix.
        residual: tau - M qdd - c with symbols qdd.
        rates: rates of states, with the same symbols where they need reactions.
        qdd: those symbols.
        at: the accelerations.
        tangents: the directions.
    """
    known = dict(zip(qdd, at, strict=True))
    columns = []
    for tangent in tangents:
        graph = next(iter(tangent)).graph
        moved = mass.solve(rebuild(directional(residual, tangent), graph, known))
        along = {**tangent, **dict(zip(qdd, moved, strict=True))}
        columns.append([*moved, *rebuild(directional(rates, along), graph, known)])
    return columns
