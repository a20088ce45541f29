"""PAC2002, also known as MF-Tyre 5.2: pure and combined slip, all moments, relaxation.

After the Magic Formula of Pacejka, with the names of coefficients that .tir files have: p and the
like for pure slip, r for combined slip, q and s for moments, l for scaling factors, which are 1
where they are not given. All slopes are divided by the load, so that nothing is divided by 0 where
a wheel has left the road. Forms without trigonometry: cos(atan x) = 1/√(1+x²), sin(2 atan x) =
2x/(1+x²).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from inloop.errors import InputError
from inloop.model.geometry import Scalar
from inloop.model.names import quoted, suggestion
from inloop.model.tyres.formula import Side, Slip, TyreForces
from inloop.symbolic import functions as sf

NEEDED = ("FNOMIN", "UNLOADED_RADIUS")
PURE = (
    *("PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3"),
    *("PHX1", "PHX2", "PVX1", "PVX2"),
    *("PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3", "PEY4", "PKY1", "PKY2", "PKY3"),
    *("PHY1", "PHY2", "PHY3", "PVY1", "PVY2", "PVY3", "PVY4"),
)
COMBINED = (
    *("RBX1", "RBX2", "RCX1", "REX1", "REX2", "RHX1"),
    *("RBY1", "RBY2", "RBY3", "RCY1", "REY1", "REY2", "RHY1", "RHY2"),
    *("RVY1", "RVY2", "RVY3", "RVY4", "RVY5", "RVY6"),
)
MOMENTS = (
    *("QSX1", "QSX2", "QSX3", "QSY1", "QSY2", "QSY3", "QSY4"),
    *("QBZ1", "QBZ2", "QBZ3", "QBZ4", "QBZ5", "QBZ9", "QBZ10", "QCZ1"),
    *("QDZ1", "QDZ2", "QDZ3", "QDZ4", "QDZ6", "QDZ7", "QDZ8", "QDZ9"),
    *("QEZ1", "QEZ2", "QEZ3", "QEZ4", "QEZ5", "QHZ1", "QHZ2", "QHZ3", "QHZ4"),
    *("SSZ1", "SSZ2", "SSZ3", "SSZ4"),
)
RELAXATION = ("PTX1", "PTX2", "PTX3", "PTY1", "PTY2")
SCALING = (
    *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LGAX"),
    *("LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LGAY", "LTR", "LRES", "LGAZ"),
    *("LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY"),
)
OTHERS = ("LONGVL", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING")
KNOWN = (*NEEDED, *PURE, *COMBINED, *MOMENTS, *RELAXATION, *SCALING, *OTHERS)
# without which a formula has no shape, or divides by 0
NOT_ZERO = ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")


@dataclass(frozen=True)
class Pac2002:
    """A tyre by its coefficients.

    Attributes:
        coefficients: by name; those that are not given are 0, scaling factors 1.
        side: of the vehicle on which it was measured; on the other one it is mirrored.
        notes: what a file contains beyond that.
    """

    coefficients: Mapping[str, float]
    side: Side | None = "left"
    notes: tuple[str, ...] = ()
    _all: Mapping[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = dict(self.coefficients)
        for name, value in given.items():
            if name not in KNOWN:
                raise InputError(
                    f"PAC2002 has no coefficient {quoted(name)}", fix=suggestion(name, KNOWN)
                )
            if isinstance(value, bool) or not math.isfinite(float(value)):
                raise InputError(f"coefficient {name} = {quoted(value)} is not a number")
        for name in (*NEEDED, *NOT_ZERO):
            if not given.get(name):
                raise InputError(
                    f"PAC2002 needs coefficient {name}, and it must not be 0",
                    fix="Give all coefficients of pure slip; those left out are 0.",
                )
        for name in NEEDED:
            if given[name] <= 0.0:
                raise InputError(f"{name} = {given[name]:g} must be > 0")
        defaults = {name: 1.0 if name in SCALING else 0.0 for name in KNOWN}
        object.__setattr__(self, "_all", defaults | given)

    @property
    def nominal_load(self) -> float:
        """Load for which it was made, scaled [N]."""
        return self["FNOMIN"] * self["LFZO"]

    @property
    def radius(self) -> float:
        """Without load [m]."""
        return self["UNLOADED_RADIUS"]

    @property
    def vertical_stiffness(self) -> float | None:
        """Against the road [N/m], or None."""
        return self["VERTICAL_STIFFNESS"] or None

    @property
    def vertical_damping(self) -> float:
        """Against the road [N·s/m]."""
        return self["VERTICAL_DAMPING"]

    def __getitem__(self, name: str) -> float:
        return self._all[name]

    def _row(self, *names: str) -> list[float]:
        return [self._all[name] for name in names]

    # ---- what all formulas need ----

    def _dfz(self, slip: Slip) -> Scalar:
        return (slip.load - self.nominal_load) / self.nominal_load

    def _mu(self, slip: Slip) -> tuple[Scalar, Scalar]:
        """Coefficients of friction along e1 and e2."""
        dfz = self._dfz(slip)
        x1, x2, x3, scale_x, lean_x = self._row("PDX1", "PDX2", "PDX3", "LMUX", "LGAX")
        y1, y2, y3, scale_y, lean_y = self._row("PDY1", "PDY2", "PDY3", "LMUY", "LGAY")
        gamma_x, gamma_y = lean_x * slip.gamma, lean_y * slip.gamma
        mu_x = (x1 + x2 * dfz) * (1.0 - x3 * gamma_x * gamma_x) * scale_x * slip.grip
        mu_y = (y1 + y2 * dfz) * (1.0 - y3 * gamma_y * gamma_y) * scale_y * slip.grip
        return mu_x, mu_y

    def _slope_x(self, slip: Slip) -> Scalar:
        """Kx / Fz: longitudinal force by slip and load [1]."""
        dfz = self._dfz(slip)
        k1, k2, k3, scale = self._row("PKX1", "PKX2", "PKX3", "LKX")
        return (k1 + k2 * dfz) * sf.exp(k3 * dfz) * scale

    def _slope_y(self, slip: Slip) -> Scalar:
        """Ky / Fz: lateral force by slip angle and load [1/rad]."""
        k1, k2, k3, scale, lean = self._row("PKY1", "PKY2", "PKY3", "LKY", "LGAY")
        x = slip.load / (k2 * self.nominal_load)
        leaning = 1.0 - k3 * sf.absolute(lean * slip.gamma)
        return 2.0 * k1 / (k2 * (1.0 + x * x)) * leaning * scale

    # ---- pure slip ----

    def _pure_x(self, slip: Slip) -> Scalar:
        dfz, (mu, _) = self._dfz(slip), self._mu(slip)
        c, e1, e2, e3, e4 = self._row("PCX1", "PEX1", "PEX2", "PEX3", "PEX4")
        h1, h2, v1, v2 = self._row("PHX1", "PHX2", "PVX1", "PVX2")
        c, scale_e, scale_h = c * self["LCX"], self["LEX"], self["LHX"]
        scale_v = self["LVX"] * self["LMUX"] * slip.grip
        x = slip.kappa + (h1 + h2 * dfz) * scale_h
        e = (e1 + e2 * dfz + e3 * dfz * dfz) * (1.0 - e4 * sf.sign(x)) * scale_e
        b = self._slope_x(slip) / (c * mu)
        shift = slip.load * (v1 + v2 * dfz) * scale_v
        return mu * slip.load * sf.sin(_magic(b, c, e, x)) + shift

    def _shifts_y(self, slip: Slip) -> tuple[Scalar, Scalar]:
        """SHy, and SVy / Fz."""
        dfz, gamma = self._dfz(slip), self["LGAY"] * slip.gamma
        h1, h2, h3, scale_h = self._row("PHY1", "PHY2", "PHY3", "LHY")
        v1, v2, v3, v4, scale_v = self._row("PVY1", "PVY2", "PVY3", "PVY4", "LVY")
        horizontal = (h1 + h2 * dfz) * scale_h + h3 * gamma
        vertical = (v1 + v2 * dfz) * scale_v + (v3 + v4 * dfz) * gamma
        return horizontal, vertical * self["LMUY"] * slip.grip

    def _pure_y(self, slip: Slip) -> Scalar:
        dfz, (_, mu) = self._dfz(slip), self._mu(slip)
        gamma, (horizontal, vertical) = self["LGAY"] * slip.gamma, self._shifts_y(slip)
        e1, e2, e3, e4, scale_e = self._row("PEY1", "PEY2", "PEY3", "PEY4", "LEY")
        x = slip.alpha + horizontal
        e = (e1 + e2 * dfz) * (1.0 - (e3 + e4 * gamma) * sf.sign(x)) * scale_e
        b, c = self._stiffness_factor_y(slip)
        return mu * slip.load * sf.sin(_magic(b, c, e, x)) + vertical * slip.load

    def _stiffness_factor_y(self, slip: Slip) -> tuple[Scalar, float]:
        """By and Cy."""
        c = self["PCY1"] * self["LCY"]
        return self._slope_y(slip) / (c * self._mu(slip)[1]), c

    # ---- combined slip ----

    def _part_x(self, slip: Slip) -> Scalar:
        """By which a slip angle makes the longitudinal force smaller."""
        b1, b2, c, e1, e2, h = self._row("RBX1", "RBX2", "RCX1", "REX1", "REX2", "RHX1")
        b = b1 * _cos_atan(b2 * slip.kappa) * self["LXAL"]
        e = e1 + e2 * self._dfz(slip)
        return _falling(b, c, e, slip.alpha, h)

    def _part_y(self, slip: Slip) -> Scalar:
        """By which longitudinal slip makes the lateral force smaller."""
        b1, b2, b3, c = self._row("RBY1", "RBY2", "RBY3", "RCY1")
        e1, e2, h1, h2 = self._row("REY1", "REY2", "RHY1", "RHY2")
        dfz = self._dfz(slip)
        b = b1 * _cos_atan(b2 * (slip.alpha - b3)) * self["LYKA"]
        return _falling(b, c, e1 + e2 * dfz, slip.kappa, h1 + h2 * dfz)

    def _induced_y(self, slip: Slip) -> Scalar:
        """Lateral force that longitudinal slip brings [N]."""
        v1, v2, v3, v4, v5, v6 = self._row("RVY1", "RVY2", "RVY3", "RVY4", "RVY5", "RVY6")
        size = v1 + v2 * self._dfz(slip) + v3 * slip.gamma
        turn = sf.sin(v5 * sf.atan(v6 * slip.kappa)) * self["LVYKA"]
        return self._mu(slip)[1] * slip.load * size * _cos_atan(v4 * slip.alpha) * turn

    # ---- all together ----

    def forces(self, slip: Slip) -> TyreForces:
        """Forces and moments in steady slip."""
        x = self._pure_x(slip) * self._part_x(slip)
        induced = self._induced_y(slip)
        y = self._pure_y(slip) * self._part_y(slip) + induced
        r0, nominal = self.radius, self["FNOMIN"]
        sx1, sx2, sx3, scale, offset = self._row("QSX1", "QSX2", "QSX3", "LMX", "LVMX")
        overturning = sx1 * offset + (-sx2 * slip.gamma + sx3 * y / nominal) * scale
        sy1, sy2, sy3, sy4, scale = self._row("QSY1", "QSY2", "QSY3", "QSY4", "LMY")
        rate = sf.absolute(slip.speed) / (self["LONGVL"] or 1.0)
        rolling = sy1 + sy2 * x / nominal + sy3 * rate + sy4 * rate**4
        return TyreForces(
            x,
            y,
            r0 * slip.load * overturning,
            -r0 * slip.load * rolling * scale,
            self._aligning(slip, x, y, y - induced),
        )

    def _aligning(self, slip: Slip, x: Scalar, y: Scalar, y_of_angle: Scalar) -> Scalar:
        """Mz: the lateral force at its trail, what is left without it, and Fx beside the middle."""
        dfz, gamma, r0 = self._dfz(slip), self["LGAZ"] * slip.gamma, self.radius
        ratio = self._slope_x(slip) / self._slope_y(slip) * slip.kappa
        h1, h2, h3, h4 = self._row("QHZ1", "QHZ2", "QHZ3", "QHZ4")
        at_trail = slip.alpha + h1 + h2 * dfz + (h3 + h4 * dfz) * gamma
        horizontal, vertical = self._shifts_y(slip)
        at_rest = slip.alpha + horizontal + vertical / self._slope_y(slip)
        trail = self._trail(slip, gamma, at_trail, _with_slip(at_trail, ratio))
        s1, s2, s3, s4 = self._row("SSZ1", "SSZ2", "SSZ3", "SSZ4")
        arm = r0 * (s1 + s2 * y / self["FNOMIN"] + (s3 + s4 * dfz) * gamma) * self["LS"]
        residual = self._residual(slip, gamma, _with_slip(at_rest, ratio))
        return -trail * y_of_angle + residual + arm * x

    def _trail(self, slip: Slip, gamma: Scalar, angle: Scalar, equivalent: Scalar) -> Scalar:
        """Pneumatic trail [m]; its curvature follows the angle alone."""
        dfz, size = self._dfz(slip), sf.absolute(gamma)
        b1, b2, b3, b4, b5 = self._row("QBZ1", "QBZ2", "QBZ3", "QBZ4", "QBZ5")
        d1, d2, d3, d4, c = self._row("QDZ1", "QDZ2", "QDZ3", "QDZ4", "QCZ1")
        e1, e2, e3, e4, e5 = self._row("QEZ1", "QEZ2", "QEZ3", "QEZ4", "QEZ5")
        b = (b1 + b2 * dfz + b3 * dfz * dfz) * (1.0 + b4 * gamma + b5 * size)
        b = b * (self["LKY"] / self["LMUY"])
        d = (d1 + d2 * dfz) * (1.0 + d3 * gamma + d4 * gamma * gamma) * self["LTR"]
        turn = (2.0 / math.pi) * sf.atan(b * c * angle)
        e = (e1 + e2 * dfz + e3 * dfz * dfz) * (1.0 + (e4 + e5 * gamma) * turn)
        reach = slip.load * d * self.radius / self.nominal_load
        return reach * sf.cos(_magic(b, c, e, equivalent)) * sf.cos(slip.alpha)

    def _residual(self, slip: Slip, gamma: Scalar, angle: Scalar) -> Scalar:
        """Moment that is left where the trail is 0 [N·m]."""
        dfz = self._dfz(slip)
        d6, d7, d8, d9 = self._row("QDZ6", "QDZ7", "QDZ8", "QDZ9")
        by, cy = self._stiffness_factor_y(slip)
        b = self["QBZ9"] * (self["LKY"] / self["LMUY"]) + self["QBZ10"] * by * cy
        size = (d6 + d7 * dfz) * self["LRES"] + (d8 + d9 * dfz) * gamma
        reach = slip.load * self.radius * size * (self["LMUY"] * slip.grip)
        return reach * _cos_atan(b * angle) * sf.cos(slip.alpha)

    def relaxation(self, slip: Slip) -> tuple[Scalar, Scalar]:
        """How far the tyre rolls until longitudinal and lateral forces are there [m].

        With exp(+PTX3 dfz), as MSC's description has it.
        """
        dfz, r0 = self._dfz(slip), self.radius
        x1, x2, x3, scale_x = self._row("PTX1", "PTX2", "PTX3", "LSGKP")
        y1, y2, scale_y, k3 = self._row("PTY1", "PTY2", "LSGAL", "PKY3")
        of_kappa = slip.load * (x1 + x2 * dfz) * sf.exp(x3 * dfz) * r0 / self["FNOMIN"]
        x = slip.load / ((y2 or 1.0) * self.nominal_load)
        leaning = 1.0 - k3 * sf.absolute(self["LGAY"] * slip.gamma)
        of_alpha = y1 * 2.0 * x / (1.0 + x * x) * leaning * r0 * self["LFZO"]
        return of_kappa * scale_x, of_alpha * scale_y


def _magic(b: Scalar, c: Scalar, e: Scalar, x: Scalar) -> Scalar:
    """C atan(Bx - E (Bx - atan Bx)), with E at most 1."""
    bx, e = b * x, sf.minimum(e, 1.0)
    return c * sf.atan(bx - e * (bx - sf.atan(bx)))


def _falling(b: Scalar, c: Scalar, e: Scalar, x: Scalar, shift: Scalar) -> Scalar:
    """A cosine of the magic formula that is 1 at x = 0."""
    return sf.cos(_magic(b, c, e, x + shift)) / sf.cos(_magic(b, c, e, shift))


def _cos_atan(x: Scalar) -> Scalar:
    return 1.0 / sf.sqrt(1.0 + x * x)


def _with_slip(angle: Scalar, ratio: Scalar) -> Scalar:
    """The slip angle that stands for an angle and a longitudinal slip together."""
    tangent = sf.tan(angle)
    size = tangent * tangent + ratio * ratio
    some = size > 1e-24
    return sf.where(some, sf.atan(sf.sqrt(sf.where(some, size, 1.0))), 0.0) * sf.sign(angle)
