"""Linear equations of an implicit step: the mass matrix with the derivatives of the force laws.

With W = ∂f/∂x of x = (q, qd, z), restricted to the force laws, (I - g W) k = r reads

    kq - g kv = rq
    M kv - g (∂tau/∂q kq + ∂tau/∂qd kv + ∂tau/∂z kz) = M rv
    kz - g (∂phi/∂q kq + ∂phi/∂qd kv + ∂phi/∂z kz) = rz

Laws interact only through the motion, so each one eliminates its own states. With derivatives e_s,
… of one law (ports.py), J its rates by qd, D = (I - g z_z)⁻¹, E = g D z_s and H = g D z_v + g E,
there remains

    (M + Σ Jᵀ C J) kv = M rv + Σ Jᵀ (g e_s J rq + g e_z w),   C = -g (e_v + e_z H + g e_s)
    kz = w + H J kv,  w = D rz + E J rq,   kq = rq + g kv

Right-hand sides also contain g ∂f/∂t or a fraction of it. For a law this is g (e_t + e_s s_t + e_v
sd_t), and likewise for its rates, where s_t and sd_t are the motion due to drives: with s_t, J rq
of the first solve is just the rate sd.

Left to the explicit part of the method, which keeps its order with any W: inertia, gravity and
velocity terms, the dependence of J on q, and unstable derivatives (C < 0 or z_z > 0 of a law with
one effort or one state), which could make the matrix singular.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.laws.ports import Entries, Port, jacobian_entries, slopes
from inloop.formalisms.loops import lu
from inloop.formalisms.recursions import ltdl
from inloop.formalisms.recursions.crb import MassMatrix
from inloop.formalisms.symbols import Symbols
from inloop.symbolic import Expr, Graph, directional

Store = Callable[[Expr], Expr]
Motion = Mapping[int, Expr]
Factors = ltdl.Factors | lu.LU


@dataclass(frozen=True)
class Law:
    """A law after elimination of its states; matrices by (row, column), without zeros.

    Attributes:
        J_work: velocities on which it does work, by coordinate.
        J_feel: velocities on which it depends, by coordinate.
        C: its contribution to the mass matrix, between the two.
        g_e_s, g_e_z: g times derivatives of the efforts.
        D, E, H: see above.
        sd: the velocities on which it depends.
        s_t: the part of them due to drives; empty: none.
        g_e_t, g_z_t: g times derivatives by time, drives included.
        first: index of its first state.
        count: number of its states.
    """

    J_work: Entries
    J_feel: Entries
    C: Entries
    g_e_s: Entries
    g_e_z: Entries
    D: Entries
    E: Entries
    H: Entries
    sd: dict[int, Expr]
    s_t: dict[int, Expr]
    g_e_t: dict[int, Expr]
    g_z_t: dict[int, Expr]
    first: int
    count: int

    def stored(self, store: Store, held: bool = False) -> Law:
        """The same law with the numbers that further solves need kept.

        Args:
            store: keeps a number.
            held: also keep C, which is in the factors: M kv is needed again.
        """
        resistance: Entries = self.C if held else {}
        slopes = (self.g_e_s, self.g_e_z, self.D, self.E, self.H)
        J_work, J_feel, C, g_e_s, g_e_z, D, E, H = (
            {key: store(entry) for key, entry in block.items()}
            for block in (self.J_work, self.J_feel, resistance, *slopes)
        )
        s_t, g_e_t, g_z_t = (
            {key: store(entry) for key, entry in vector.items()}
            for vector in (self.s_t, self.g_e_t, self.g_z_t)
        )
        matrices = (J_work, J_feel, C, g_e_s, g_e_z, D, E, H)
        return Law(*matrices, {}, s_t, g_e_t, g_z_t, self.first, self.count)


@dataclass(frozen=True)
class Solver:
    """(I - g W) k = r, factorized.

    Attributes:
        g: the symbol g [s].
        laws: the force laws.
        factors: factors of the mass matrix with their derivatives.
        order: coordinates in the order of its rows.
    """

    g: Expr
    laws: tuple[Law, ...]
    factors: Factors
    order: tuple[int, ...]

    def with_time(
        self, M_rv: Sequence[Expr], rz: Sequence[Expr], part: Expr
    ) -> tuple[list[Expr], list[Expr]]:
        """M_rv and rz with a fraction of g ∂f/∂t, without the motion of drives."""
        right, rates = list(M_rv), list(rz)
        for law in self.laws:
            for j, value in _times(_transposed(law.J_work), law.g_e_t).items():
                right[j] = right[j] + part * value
            for k, value in law.g_z_t.items():
                rates[law.first + k] = rates[law.first + k] + part * value
        return right, rates

    def felt(self, rq: Sequence[Expr], part: Expr) -> list[Motion]:
        """J rq of all laws, with a fraction of the motion of drives."""
        return [
            _sum(_felt(law, rq), {k: part * e for k, e in law.s_t.items()}) for law in self.laws
        ]

    def motion(
        self, M_rv: Sequence[Expr], rz: Sequence[Expr], felt: Sequence[Motion]
    ) -> tuple[list[Expr], list[Expr]]:
        """kv, and M kv if the laws still have C."""
        right = list(M_rv)
        for law, sd in zip(self.laws, felt, strict=True):
            push = _sum(_times(law.g_e_s, sd), _times(law.g_e_z, _alone(law, sd, rz)))
            for j, value in _times(_transposed(law.J_work), push).items():
                right[j] = right[j] + value
        found = self.factors.solve([right[j] for j in self.order])
        kv = [found[self.order.index(j)] for j in range(len(right))]
        # (M + Σ Jᵀ C J) kv is known
        M_kv = list(right)
        for law in self.laws:
            held = _times(_transposed(law.J_work), _times(law.C, _felt(law, kv)))
            for j, value in held.items():
                M_kv[j] = M_kv[j] - value
        return kv, M_kv

    def states(self, kv: Sequence[Expr], rz: Sequence[Expr], felt: Sequence[Motion]) -> list[Expr]:
        """kz."""
        kz = list(rz)
        for law, sd in zip(self.laws, felt, strict=True):
            found = _sum(_alone(law, sd, rz), _times(law.H, _felt(law, kv)))
            for k in range(law.count):
                kz[law.first + k] = found.get(k, self.g.graph.zero)
        return kz

    def response(
        self, push: Sequence[Expr], states: int, part: float
    ) -> tuple[list[Expr], list[Expr]]:
        """Response to pushes M rv = `push` in a step of two stages, with the laws linear as in W.

        The first stage gives k = (I - g W)⁻¹ r; the second one is at x + part g k and adds
        y = (I - g W)⁻¹ (r + part g W k - k) = (1 - part) (I - g W)⁻¹ (r - k). The laws need C.

        Returns:
            kv + yv and kz + yz.
        """
        zero, share = self.g.graph.zero, 1.0 - part
        n, still = len(push), [zero] * states
        unfelt = self.felt([zero] * n, zero)
        kv, M_kv = self.motion(push, still, unfelt)
        kz = self.states(kv, still, unfelt)
        # (I - g W) (k + y) = (1 + share) r - share k
        right = [(1.0 + share) * p - share * Mk for p, Mk in zip(push, M_kv, strict=True)]
        rest = [-share * k for k in kz]
        felt = self.felt([-share * self.g * k for k in kv], zero)
        dv, _ = self.motion(right, rest, felt)
        return dv, self.states(dv, rest, felt)

    def stored(self, store: Store, held: bool = False) -> Solver:
        """The same solver with stored numbers; `held`: see `Law.stored`."""
        f = self.factors
        L = {key: store(entry) for key, entry in f.L.items()}
        if isinstance(f, ltdl.Factors):
            factors: Factors = replace(f, L=L, inverse_D=[store(e) for e in f.inverse_D])
        else:
            U = {key: store(entry) for key, entry in f.U.items()}
            factors = replace(f, L=L, U=U, reciprocals=[store(e) for e in f.reciprocals])
        return replace(
            self, laws=tuple(law.stored(store, held) for law in self.laws), factors=factors
        )


def _felt(law: Law, v: Sequence[Expr]) -> dict[int, Expr]:
    """J v of a law."""
    return _times(law.J_feel, dict(enumerate(v)))


def _alone(law: Law, felt: Mapping[int, Expr], rz: Sequence[Expr]) -> dict[int, Expr]:
    """w = D rz + E J rq: the change of its states without kv."""
    own = {k: rz[law.first + k] for k in range(law.count)}
    return _sum(_times(law.D, own), _times(law.E, felt))


class Storage:
    """Numbers passed from one program to the next: expressions there, symbols here."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.symbols: dict[Expr, Expr] = {}

    def __call__(self, expr: Expr) -> Expr:
        """The symbol of an expression; none is needed for parameters-only expressions."""
        if expr.static:
            return expr
        return self.symbols.setdefault(expr, self._graph.symbol(f"kept.{len(self.symbols)}"))


def build_solver(
    mass: MassMatrix | Entries,
    ports: Sequence[Port],
    symbols: Symbols,
    coordinates: Sequence[int],
    moved: bool = False,
) -> Solver:
    """Factorize the mass matrix with the derivatives of the laws.

    Args:
        mass: mass matrix of a tree, or all entries of a reduced one by positions in `coordinates`.
        ports: the force laws.
        symbols: of the derivation; dependent coordinates are expressions of the independent `qd`.
        coordinates: coordinates whose accelerations are solved for.
        moved: whether drives or time-dependent constraints move the mechanism.
    """
    g = symbols.graph.symbol("g")
    columns = [symbols.qd[k] for k in coordinates]
    laws = tuple(_eliminated(port, symbols, columns, g, moved) for port in ports)
    added: Entries = {}
    for law in laws:
        inner = _product(_transposed(law.J_work), _product(law.C, law.J_feel))
        added = _added(added, inner)
    symmetric = all(port.scalar for port in ports)
    n = len(columns)
    if isinstance(mass, MassMatrix):
        if symmetric and all((max(key), min(key)) in mass.entries for key in added):
            lower = {key: e for key, e in added.items() if key[0] >= key[1]}
            whole = replace(mass, entries=_added(mass.entries, lower))
            return Solver(g, laws, ltdl.factorize(whole), tuple(range(n)))
        mass = {**mass.entries, **{(j, i): e for (i, j), e in mass.entries.items()}}
    # tips first, so that branches of a tree do not fill each other
    order = tuple(reversed(range(n)))
    entries = {(n - 1 - i, n - 1 - j): e for (i, j), e in _added(mass, added).items()}
    return Solver(g, laws, lu.factorize(entries, n, symbols.graph, "Me"), order)


def _eliminated(port: Port, symbols: Symbols, columns: Sequence[Expr], g: Expr, moved: bool) -> Law:
    """A law with its states eliminated."""
    graph = symbols.graph
    slope = slopes(port, symbols)
    count = len(port.states)
    minus, scaled = graph.constant(-1.0), _scaled
    D = _inverse(slope.z_z, count, g)
    E = _product(D, scaled(g, slope.z_s))
    H = _added(_product(D, scaled(g, slope.z_v)), scaled(g, E))
    g_e_s, g_e_z = scaled(g, slope.e_s), scaled(g, slope.e_z)
    stiff = _added(scaled(g, slope.e_v), _added(_product(g_e_z, H), scaled(g, g_e_s)))
    C = scaled(minus, stiff)
    if port.scalar and C:
        C = {(0, 0): graph.call("max", C[0, 0], graph.zero)}
    J_work = jacobian_entries(port.work, columns)
    rates = [feel.rate for feel in port.feels]
    J_feel = jacobian_entries(rates, columns)
    # contribution of drives to the rates: the symbols qdd of driven joints
    others = {v: a for v, a in zip(symbols.qd, symbols.qdd, strict=True) if v not in columns}
    drift = {j: e for j, e in enumerate(directional(rates, others)) if e is not graph.zero}
    g_e_t, g_z_t = (
        _sum({i: g * e for (i, _), e in by_t.items()}, _times(scaled(g, by_v), drift))
        for by_t, by_v in ((slope.e_t, slope.e_v), (slope.z_t, slope.z_v))
    )
    sd = dict(enumerate(rates))
    own = _times(_scaled(minus, J_feel), dict(enumerate(columns)))
    s_t = _sum(sd, own) if moved else {}
    matrices = (J_work, J_feel, C, g_e_s, g_e_z, D, E, H)
    return Law(*matrices, sd, s_t, g_e_t, g_z_t, port.first, count)


def _inverse(z_z: Entries, count: int, g: Expr) -> Entries:
    """D = (I - g z_z)⁻¹."""
    graph = g.graph
    if count == 1:
        slope = graph.call("min", z_z[0, 0], graph.zero) if z_z else graph.zero
        return {(0, 0): graph.one / (graph.one - g * slope)}
    unit = {(k, k): graph.one for k in range(count)}
    factors = lu.factorize(_added(unit, _scaled(-g, z_z)), count, graph, "Dz")
    found: Entries = {}
    for j in range(count):
        column = factors.solve([graph.one if i == j else graph.zero for i in range(count)])
        found |= {(i, j): e for i, e in enumerate(column) if e is not graph.zero}
    return found


# sparse matrices and vectors of expressions


def _scaled(factor: Expr, A: Entries) -> Entries:
    return {key: factor * entry for key, entry in A.items()}


def _transposed(A: Entries) -> Entries:
    return {(j, i): entry for (i, j), entry in A.items()}


def _added(A: Mapping[tuple[int, int], Expr], B: Entries) -> Entries:
    total = dict(A)
    for key, entry in B.items():
        total[key] = total[key] + entry if key in total else entry
    return total


def _product(A: Entries, B: Entries) -> Entries:
    total: Entries = {}
    for (i, k), a in A.items():
        for (l, j), b in B.items():
            if k == l:
                total[i, j] = total[i, j] + a * b if (i, j) in total else a * b
    return total


def _times(A: Entries, x: Mapping[int, Expr]) -> dict[int, Expr]:
    total: dict[int, Expr] = {}
    for (i, j), a in A.items():
        if j in x:
            total[i] = total[i] + a * x[j] if i in total else a * x[j]
    return total


def _sum(x: Mapping[int, Expr], y: Mapping[int, Expr]) -> dict[int, Expr]:
    total = dict(x)
    for i, value in y.items():
        total[i] = total[i] + value if i in total else value
    return total
