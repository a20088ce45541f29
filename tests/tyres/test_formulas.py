"""Formulas of tyres against values of other implementations.

PAC2002: points at which MFeval.jl (path of MF 5.2), OpenTire and an independent program agree,
with six decimals. 1987: values of the formula as the course of UCLouvain has it.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest

import inloop as il
from inloop.model.tyres.formula import mirrored
from inloop.symbolic import Graph, evaluate

Slip = il.tyres.Slip
# Fz [N], kappa, alpha, gamma [rad]; Fx, Fy [N], Mz [N·m]
TYRE_A = """
4850  0     0.02  0     123.133462  -1659.434622   40.696510
4850  0     0.10  0      66.486853  -4624.196465   38.718956
4850  0    -0.10  0      71.775188   4871.723217  -73.598058
2000  0     0.05  0      28.442766  -1627.892507   10.238578
4000  0     0.05  0      73.537551  -2967.732464   49.284882
6000  0     0.05  0     139.143734  -3907.371253  105.698019
8000  0     0.05  0     229.758901  -4450.906873  168.684751
4000  0     0     0.05   98.744882   -201.902817  -15.889585
4000  0     0.05  0.05   73.537551  -3131.700556   36.713797
4000  0     0.05 -0.05   73.537551  -2826.063588   60.649371
4000  0.05  0     0    3468.975398     89.341267   31.260360
4000 -0.05  0     0   -3370.437824   -169.269316  -47.175210
4000  0.20  0     0    4755.096782    113.492974   50.011460
6000 -1.0   0     0   -4907.331625    -30.861541  -57.590975
4000  0.05  0.05  0    2785.428845  -2719.620279   59.012815
4000 -0.10 -0.10  0   -3384.716192   3371.648747  -59.926914
2000  0.10  0.15  0    1364.918747  -1987.938003    9.845752
6000 -0.03 -0.08  0   -2368.814123   5079.997487 -142.480565
6000  0.02  0.04  0.03 2294.814629  -3449.448419  115.391435
4000 -0.15  0.10 -0.04 -3841.629597 -3100.129294  -13.690636
"""
TYRE_B = """
4000  0     0.05  0    -108.413960  -2027.853135   85.205821
4000  0     0.05  0.05 -108.413960  -2258.336795   75.740739
4000  0.05  0     0    3073.226578      1.974992   23.239967
4000  0.05  0.05  0    2475.002254  -1952.768775   75.224440
6000  0.02  0.04  0.03 1861.764438  -1988.990728  137.424840
"""


def rows(text: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, line.split())) for line in text.strip().splitlines()]


def all_parts(found: il.tyres.TyreForces) -> tuple[float, ...]:
    return tuple(getattr(found, field.name) for field in fields(found))


def main_parts(found: il.tyres.TyreForces) -> tuple[float, ...]:
    return found.longitudinal, found.lateral, found.aligning


@pytest.mark.parametrize("row", rows(TYRE_A))
def test_pac2002_of_tyre_a(tyre_a: il.tyres.Pac2002, row: tuple[float, ...]) -> None:
    assert main_parts(tyre_a.forces(Slip(*row[:4]))) == pytest.approx(row[4:], abs=1e-6)


@pytest.mark.parametrize("row", rows(TYRE_B))
def test_pac2002_of_tyre_b(tyre_b: il.tyres.Pac2002, row: tuple[float, ...]) -> None:
    assert main_parts(tyre_b.forces(Slip(*row[:4]))) == pytest.approx(row[4:], abs=1e-6)


@pytest.mark.parametrize(
    ("tyre", "load", "of_kappa", "of_alpha", "kx", "ky"),
    [
        ("tyre_a", 4850.0, 0.813801, 0.593035, 108169.550, -85018.987),
        ("tyre_a", 4000.0, 0.544227, 0.523015, 85619.954, -74905.088),
        ("tyre_b", 3800.0, 0.715190, 0.564647, 74985.400, -45211.025),
    ],
)
def test_relaxation_lengths_and_slopes(
    request: pytest.FixtureRequest, tyre: str, load: float, of_kappa: float, of_alpha: float,
    kx: float, ky: float,
) -> None:  # fmt: skip
    formula = request.getfixturevalue(tyre)
    assert formula.relaxation(Slip(load, 0.0, 0.0)) == pytest.approx((of_kappa, of_alpha), abs=1e-6)
    # steepest where slip and its shift are 0 together
    dfz = load / formula["FNOMIN"] - 1.0
    kappa = -(formula["PHX1"] + formula["PHX2"] * dfz)
    alpha = -(formula["PHY1"] + formula["PHY2"] * dfz)
    h = 1e-6
    x = [formula._pure_x(Slip(load, kappa + step, 0.0)) for step in (-h, h)]
    y = [formula._pure_y(Slip(load, 0.0, alpha + step)) for step in (-h, h)]
    slopes = [(b - a) / (2.0 * h) for a, b in (x, y)]
    assert slopes == pytest.approx((kx, ky), rel=1e-6)


@pytest.mark.parametrize(
    ("load", "kappa", "alpha", "gamma", "fx", "fy", "mz"),
    [
        (4000.0, 0.0, -3.0, 0.0, 0.0, 2615.882795, -52.604572),
        (4000.0, 0.0, 2.0, 2.0, 0.0, -2001.279921, 38.571935),
        (5000.0, 0.0, 4.0, -2.0, 0.0, -3272.676067, 84.799037),
        (4000.0, -0.05, 0.0, 0.0, -3823.681596, 0.0, 0.0),
    ],
)
def test_formula_of_1987(
    load: float, kappa: float, alpha: float, gamma: float, fx: float, fy: float, mz: float
) -> None:
    """The course has forces to the right: signs of Fy and Mz are turned."""
    slip = Slip(load, kappa, math.radians(alpha), math.radians(gamma))
    found = main_parts(il.tyres.Formula1987().forces(slip))
    assert found == pytest.approx((fx, fy, mz), abs=1e-6)


@pytest.mark.parametrize("formula", ["tyre_a", "1987"])
def test_a_tyre_in_the_air_has_no_forces(request: pytest.FixtureRequest, formula: str) -> None:
    tyre = il.tyres.Formula1987() if formula == "1987" else request.getfixturevalue(formula)
    for slip in (Slip(0.0, 0.0, 0.0), Slip(0.0, -1.0, 0.3, 0.1, 20.0), Slip(0.0, 0.2, -1.5)):
        assert all_parts(tyre.forces(slip)) == pytest.approx((0.0,) * 5, abs=1e-12)
    # and nearly none where it only just touches
    assert abs(tyre.forces(Slip(1e-6, 0.1, 0.1)).lateral) < 1e-5


@pytest.mark.parametrize("formula", ["tyre_a", "1987"])
def test_half_the_grip_gives_half_the_largest_force(
    request: pytest.FixtureRequest, formula: str
) -> None:
    tyre = il.tyres.Formula1987() if formula == "1987" else request.getfixturevalue(formula)
    angles = [k * 1e-3 for k in range(1, 1200)]
    peaks = [
        max(-tyre.forces(Slip(4000.0, 0.0, a, grip=grip)).lateral for a in angles)
        for grip in (1.0, 0.5)
    ]
    assert peaks[1] == pytest.approx(0.5 * peaks[0], rel=2e-3)
    # the slope at small slip stays
    near = [tyre.forces(Slip(4000.0, 0.0, 1e-4, grip=g)).lateral for g in (1.0, 0.5)]
    far = [tyre.forces(Slip(4000.0, 0.0, -1e-4, grip=g)).lateral for g in (1.0, 0.5)]
    assert near[1] - far[1] == pytest.approx(near[0] - far[0], rel=2e-2)


def test_a_mirrored_tyre_pulls_to_the_other_side(tyre_a: il.tyres.Pac2002) -> None:
    slip = Slip(4000.0, 0.03, 0.05, 0.02)
    there = tyre_a.forces(replace(slip, alpha=-0.05, gamma=-0.02))
    here = mirrored(tyre_a, slip)
    assert (here.longitudinal, here.rolling) == (there.longitudinal, there.rolling)
    assert (here.lateral, here.aligning) == (-there.lateral, -there.aligning)


def test_numbers_and_symbols_give_the_same(tyre_a: il.tyres.Pac2002) -> None:
    graph = Graph()
    names = ("load", "kappa", "alpha", "gamma", "speed", "grip")
    values = (4321.0, -0.04, 0.07, -0.03, 17.0, 0.8)
    symbols = {name: graph.symbol(name) for name in names}
    traced = all_parts(tyre_a.forces(Slip(**symbols)))
    known = dict(zip(symbols.values(), values, strict=True))
    found = evaluate([graph.wrap(x) for x in traced], known)
    assert found == pytest.approx(all_parts(tyre_a.forces(Slip(*values))), rel=1e-12)


def test_coefficients_that_are_wrong() -> None:
    with pytest.raises(il.InputError, match="PCX1"):
        il.tyres.Pac2002({"PCX11": 1.0})
    with pytest.raises(il.InputError, match="needs coefficient FNOMIN"):
        il.tyres.Pac2002({"PCX1": 1.0})
