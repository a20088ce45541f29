"""Elasticity and damping of flexible links, as force laws on the nodal coordinates.

Bending follows Euler–Bernoulli. Each element has one axial strain, to which bending contributes
(Föppl–von Kármán, averaged over the element, so that cubic bending and linear stretching do not
lock):

    eps = (u_2 - u_1)/h + 1/(2h) ∫ w'² dx

The normal force N = EA (eps + beta epsd) then stiffens under tension and softens under compression.
Inextensible links have bending only; shortening.py describes how they stiffen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.formalisms.flexible_links.beam import Beam
from inloop.formalisms.frames import Skeleton
from inloop.formalisms.laws.ports import Feel, Port
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Element:
    """Displacements of the two ends of an element, and its length."""

    u: tuple[Expr, Expr]
    w: tuple[Expr, Expr]
    r: tuple[Expr, Expr]
    h: Expr


def elements_of(beam: Beam, along: Sequence[Expr], across: Sequence[Expr]) -> list[Element]:
    """Root to tip; the root is clamped."""
    zero = beam.EI.graph.zero
    u, w, r = [zero, *along], [zero, *across[0::2]], [zero, *across[1::2]]
    return [
        Element((u[k], u[k + 1]), (w[k], w[k + 1]), (r[k], r[k + 1]), h)
        for k, h in enumerate(beam.lengths)
    ]


def _bending(beam: Beam, e: Element) -> tuple[Expr, Expr, Expr]:
    """EI ∫ H'' H''ᵀ: force on the second end, moments on the two ends."""
    rise = e.w[1] - e.w[0]
    stiff = beam.EI / e.h
    shear = (12.0 * stiff / (e.h * e.h)) * rise - (6.0 * stiff / e.h) * (e.r[0] + e.r[1])
    lean = (6.0 * stiff / e.h) * rise
    first = (4.0 * stiff) * e.r[0] + (2.0 * stiff) * e.r[1] - lean
    second = (2.0 * stiff) * e.r[0] + (4.0 * stiff) * e.r[1] - lean
    return shear, first, second


def mean_slope(e: Element) -> tuple[Expr, Expr, Expr]:
    """∫ H' H'ᵀ / h: half the derivatives of the mean of w'², arranged as for bending."""
    rise, over = (e.w[1] - e.w[0]) / e.h, e.h.graph.one / e.h
    across = over * (1.2 * rise - 0.1 * (e.r[0] + e.r[1]))
    lean = 0.1 * rise
    first = (4.0 / 30.0) * e.r[0] - (1.0 / 30.0) * e.r[1] - lean
    second = (4.0 / 30.0) * e.r[1] - (1.0 / 30.0) * e.r[0] - lean
    return across, first, second


def slope_product(slope: tuple[Expr, Expr, Expr], e: Element) -> Expr:
    """Mean of w'² if `slope` is that of e, else of w' times the rate of w'."""
    across, first, second = slope
    return across * (e.w[1] - e.w[0]) + first * e.r[0] + second * e.r[1]


def stretch_of(beam: Beam, e: Element) -> Expr:
    """Axial strain of an element."""
    stretch = (e.u[1] - e.u[0]) / e.h
    return stretch + 0.5 * slope_product(mean_slope(e), e) if beam.stiffening else stretch


def _strain_rate(beam: Beam, e: Element, rate: Element) -> Expr:
    stretch = (rate.u[1] - rate.u[0]) / e.h
    return stretch + slope_product(mean_slope(e), rate) if beam.stiffening else stretch


def efforts(beam: Beam, q: Sequence[Expr], qd: Sequence[Expr]) -> list[Expr]:
    """Efforts of elasticity and damping on the coordinates, axial ones first.

    Args:
        beam: the link.
        q: its axial and then its lateral coordinates.
        qd: their rates.
    """
    n, m = len(beam.x), len(beam.axial)
    zero = beam.EI.graph.zero
    none = [zero] * n
    parts = [(list(v[:m]) or none, list(v[m:])) for v in (q, qd)]
    damped = [
        [a + beam.beta * b for a, b in zip(*both, strict=True)] for both in zip(*parts, strict=True)
    ]
    still, moving, both = (elements_of(beam, *part) for part in (*parts, damped))
    axial, lateral = [zero] * n, [zero] * (2 * n)
    for k, (e, rate, mixed) in enumerate(zip(still, moving, both, strict=True)):
        across, first, second = _bending(beam, mixed)
        if beam.axial:
            N = beam.EA * (stretch_of(beam, e) + beam.beta * _strain_rate(beam, e, rate))
            axial[k] = axial[k] - N
            if k > 0:
                axial[k - 1] = axial[k - 1] + N
            if beam.stiffening:
                pull = beam.lengths[k] * N
                a, b, c = mean_slope(e)
                across, first, second = across + pull * a, first + pull * b, second + pull * c
        lateral[2 * k] = lateral[2 * k] - across
        lateral[2 * k + 1] = lateral[2 * k + 1] - second
        if k > 0:
            lateral[2 * k - 2] = lateral[2 * k - 2] + across
            lateral[2 * k - 1] = lateral[2 * k - 1] - first
    return [*(axial if beam.axial else ()), *lateral]


def strain_energy(beam: Beam, q: Sequence[Expr]) -> Expr:
    """Energy of bending and stretching [J]; q as in `efforts`."""
    m = len(beam.axial)
    zero = beam.EI.graph.zero
    total = zero
    for e in elements_of(beam, list(q[:m]) or [zero] * len(beam.x), q[m:]):
        total = total + slope_product(_bending(beam, e), e)
        if beam.axial:
            strain = stretch_of(beam, e)
            total = total + (beam.EA * e.h) * (strain * strain)
    return 0.5 * total


def port(beam: Beam, skeleton: Skeleton) -> Port:
    """The elasticity of a link as a port for implicit methods, which need its derivatives."""
    graph, links = skeleton.graph, skeleton.links
    coordinates = (*beam.axial, *beam.lateral)
    numbers = range(len(coordinates))
    s, sd = ([graph.symbol(f"{beam.name}.{letter}_{k}") for k in numbers] for letter in ("s", "sd"))
    rates = [links[k].qd for k in coordinates]
    known = dict(zip(s, (links[k].q for k in coordinates), strict=True))
    known |= dict(zip(sd, rates, strict=True))
    feels = [Feel({a: graph.one}, b, rate) for a, b, rate in zip(s, sd, rates, strict=True)]
    t = skeleton.symbols.t
    acting = tuple(efforts(beam, s, sd))
    return Port(beam.name, acting, tuple(rates), tuple(feels), t, (), 0, known)
