"""A steel rod on a motor, swinging in a vertical plane: the plant of a test bench for controllers.

The data are those of tables 1 and 2 of Boscariol, Gasparetto & Zanotto, "A HIL simulator of
flexible-link mechanisms" (2011). At q = 0 the rod is horizontal, at 90° it stands upright.

The equations contain the rod by finite elements, inertia, lag, gain, limit and friction of the
motor, and the gains of the sensors. Noise and quantization of the signals are added in
`controllers/card`, between the plant and a controller; their sizes are parameters of the plant
nevertheless.
"""

from __future__ import annotations

import math

import inloop as il
from inloop.gallery import gravity_along

LENGTH, MASS_PER_LENGTH = 1.5, 0.788  # [m], [kg/m]
E, SIDE = 230e9, 0.01  # Young's modulus [Pa], width and thickness of the rod [m]
CREEP = 0.01  # velocity at which smoothed friction reaches 76 % of its size [rad/s]


def flexlink(
    elements: int = 4, axial: bool = True, start: float = 0.0, held: bool = False
) -> il.Model:
    """One flexible link on the shaft of a motor.

    Args:
        elements: number of finite elements, an even one: the strain gauge is at mid-span.
        axial: let the rod stretch, as in the source: 26 states with 4 elements. Otherwise the rod
            keeps its length: 18 states, and steps may be ten times as long.
        start: initial angle [deg].
        held: hold the hub at this angle.
    """
    if elements < 2 or elements % 2:
        raise il.InputError(
            f"flexlink with {elements} elements has no node at mid-span for the strain gauge",
            fix="Take an even number.",
        )
    m = il.Model(
        "flexlink",
        gravity=gravity_along("-z"),
        doc="Flexible link on a motor, Boscariol et al. 2011, tables 1 and 2.",
    )
    length = m.parameter("length", LENGTH, unit="m", range=(0.5, 2.0), doc="free length")
    rho = m.parameter(
        "mass_per_length", MASS_PER_LENGTH, unit="kg/m", range=(0.1, 5.0), doc="of the rod"
    )
    young = m.parameter("E", E, unit="Pa", range=(1e9, 4e11), doc="Young's modulus")
    width = m.parameter("width", SIDE, unit="m", range=(2e-3, 0.05), doc="across the plane")
    thick = m.parameter("thickness", SIDE, unit="m", range=(2e-3, 0.05), doc="in the plane")
    alpha = m.parameter("alpha", 0.45, unit="1/s", range=(0.0, 10.0), doc="damping per mass")
    beta = m.parameter("beta", 4.2e-5, unit="s", range=(0.0, 1e-3), doc="damping per stiffness")
    inertia = m.parameter(
        "motor_inertia", 0.0021, unit="kg*m^2", range=(1e-4, 0.1), doc="of the shaft"
    )
    payload = m.parameter("payload", 0.0, unit="kg", range=(0.0, 1.0), doc="mass at the tip")
    angle = (math.radians(start), 0.0)
    hub = m.body("hub", on=m.ground, joint=il.revolute("-y", initial=angle, armature=inertia))
    area = width * thick
    link = m.flexible_link(
        "link",
        on=hub,
        length=length,
        mass_per_length=rho,
        EI=young * (width * thick * thick * thick / 12.0),
        EA=young * area if axial else None,
        elements=elements,
        damping=(alpha, beta),
        bends_about="-y",
    )
    m.body("load", on=link.tip, joint=il.fixed(), mass=payload)
    m.external_force("load", at="origin")
    if held:
        m.drive("hub", lambda t: angle[0] + 0.0 * t)
    _motor(m)
    _sensors(m, elements)
    return m


def _motor(m: il.Model) -> None:
    """A torque that follows its command with a lag, and friction."""
    command = m.input("motor.command", unit="V", doc="torque command of the driver")
    lag = m.parameter("motor_lag", 3e-3, unit="s", range=(1e-4, 0.1), doc="of driver and motor")
    gain = m.parameter("torque_gain", 0.4, unit="N*m/V", range=(0.0, 5.0), doc="of the driver")
    limit = m.parameter("voltage_limit", 10.0, unit="V", range=(0.0, 100.0), doc="of the command")
    friction = m.parameter("friction", 0.1, unit="N*m", range=(0.0, 5.0), doc="Coulomb's, of shaft")

    def drive(torque):  # type: ignore[no-untyped-def]
        held = il.maximum(il.minimum(command, limit), -limit)
        return torque, {"torque": (gain * held - torque) / lag}

    m.joint_force("hub", drive, "motor", states={"torque": 0.0})
    m.coulomb("hub", coulomb=friction, velocity=CREEP, name="friction")


def _sensors(m: il.Model, elements: int) -> None:
    """An encoder on the shaft and a strain gauge at mid-span, without noise."""
    gain = m.parameter(
        "strain_gain", 200.0, unit="V/rad", range=(0.0, 1e3), doc="amplifier of the strain gauge"
    )
    m.parameter(
        "encoder_counts", 20000.0, unit="1", range=(0.0, 1e7), doc="per turn; 0: no quantization"
    )
    m.parameter("encoder_noise", 1e-4, unit="rad", range=(0.0, 0.1), doc="standard deviation")
    m.parameter("strain_noise", 5e-3, unit="V", range=(0.0, 1.0), doc="standard deviation")
    m.parameter(
        "strain_quantum", 20.0 / 2**16, unit="V", range=(0.0, 1.0), doc="step of the converter"
    )
    m.output("encoder", "hub", lambda q: q, unit="rad")
    # as in the source, the signal is assumed proportional to the rotation at mid-span
    m.output("strain", f"link_{elements // 2}_r", lambda q: gain * q, unit="V")
