"""The formulas of dry friction, for joints and contacts alike; pure functions of scalars.

LuGre with the elasto-plastic presliding of Dupont, Hayward, Armstrong & Altpeter 2002:

    f  = s0 z + s1 zd + s2 v
    zd = v (1 - alpha(z, v) s0 z sgn(v) / f_s(v))

z is the mean deflection of the bristles, s0 their stiffness, s1 their damping, s2 the viscous
coefficient, f_s the Stribeck curve. All are finite at v = 0 and z = 0, and so are the derivatives.
"""

from __future__ import annotations

import math

from inloop.model.geometry import Scalar
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf


def stribeck(
    v: Scalar, coulomb: Scalar, static: Scalar, velocity: Scalar, exponent: Scalar = 2.0
) -> Scalar:
    """f_s(v) = Fc + (Fs - Fc) exp(-|v/vs|^n), what friction reaches in steady sliding.

    Args:
        v: sliding velocity [m/s].
        coulomb: Fc, reached at high velocity.
        static: Fs, reached at low velocity.
        velocity: vs, that of the transition [m/s].
        exponent: n.
    """
    if static is coulomb:
        return coulomb
    return coulomb + (static - coulomb) * sf.exp(-_power(v / velocity, exponent))


def _power(x: Scalar, exponent: Scalar) -> Scalar:
    """|x|^n; its derivative at zero is taken as zero."""
    if not isinstance(exponent, Expr) and exponent == 2.0:
        return x * x
    size = sf.absolute(x)
    return sf.where(size > 0.0, sf.power(sf.where(size > 0.0, size, 1.0), exponent), 0.0)


def adhesion(z: Scalar, v: Scalar, largest: Scalar, elastic: Scalar) -> Scalar:
    """alpha(z, v): 0 while the bristles only bend, 1 while they slide.

    With s = z sgn(v), which is negative while the bristles straighten, and the elastic limit
    zb = elastic * zh:

        0                                           s <= zb
        ½ + ½ sin(π (s - ½ (zh + zb))/(zh - zb))    zb < s < zh
        1                                           s >= zh

    Args:
        z: deflection [m].
        v: sliding velocity [m/s].
        largest: zh = f_s/s0, the deflection in steady sliding [m].
        elastic: zb/zh in 0 ... 1; 0 makes alpha 1 everywhere, which is LuGre without an elastic
            range: it creeps under a load that changes.
    """
    if not isinstance(elastic, Expr) and elastic == 0.0:
        return 1.0
    s = z * sf.sign(v)
    share = (s - elastic * largest) / ((1.0 - elastic) * largest)
    between = sf.minimum(sf.maximum(share, 0.0), 1.0)
    smooth = 0.5 - 0.5 * sf.cos(math.pi * between)
    return sf.where(elastic > 0.0, smooth, 1.0) if isinstance(elastic, Expr) else smooth


def bristle_rate(z: Scalar, v: Scalar, limit: Scalar, stiffness: Scalar, elastic: Scalar) -> Scalar:
    """zd = v - alpha s0 z |v| / f_s.

    Args:
        z: deflection [m].
        v: sliding velocity [m/s].
        limit: f_s(v).
        stiffness: s0.
        elastic: share of the deflection that is elastic.
    """
    largest = limit / stiffness
    return v - adhesion(z, v, largest, elastic) * sf.absolute(v) * (z / largest)


def bristle_force(
    z: Scalar, rate: Scalar, v: Scalar, stiffness: Scalar, damping: Scalar, viscous: Scalar
) -> Scalar:
    """f = s0 z + s1 zd + s2 v, positive against a positive v."""
    return stiffness * z + damping * rate + viscous * v


def smooth_coulomb(v: Scalar, coulomb: Scalar, viscous: Scalar, velocity: Scalar) -> Scalar:
    """f = Fc tanh(v/v0) + s2 v, one of the representations of Mostaghel & Davis 1997.

    It creeps instead of sticking: under a load below Fc it slides at v0 atanh(load/Fc).
    """
    return coulomb * sf.tanh(v / velocity) + viscous * v
