"""The mechanism of the gallery's car in MuJoCo: the same tree, loops as soft constraints.

MuJoCo has no tyre formula: wheels are ellipsoids on a plane with Coulomb friction. Massless bodies,
which it rejects, get 10 g.
"""

from __future__ import annotations

import math
import time

import mujoco
import numpy as np

from inloop.gallery.car import anti_roll, corners, hard_points, model
from inloop.gallery.suspension import model as suspension

LIGHT = '<inertial pos="0 0 0" mass="0.01" diaginertia="1e-4 1e-4 1e-4"/>'
WHEEL = '<inertial pos="0 0 0" mass="15" diaginertia="0.4 0.8 0.4"/>'
GRIP = 'friction="0.9 0.01 1e-4"'
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
LEAN = 0.1 * math.tan(hard_points.CASTER)


def _text(*numbers: float) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _body(name: str, at: tuple[float, ...], joints: str, inside: str, inertial: str = LIGHT) -> str:
    hinges = "".join(
        f'<joint name="{name}_{k}" type="hinge" axis="{AXES[axis]}"/>'
        for k, axis in enumerate(joints)
    )
    return f'<body name="{name}" pos="{_text(*at)}">{hinges}{inertial}{inside}</body>'


def _site(name: str, *at: float) -> str:
    return f'<site name="{name}" pos="{_text(*at)}"/>'


def _corner(axle: str, side: str, sign: int) -> str:
    """Arms, knuckle and wheel, on the chassis."""
    name, front = f"{axle}_{side}", axle == "front"
    x, lean = hard_points.WHEEL_X[axle], LEAN if front else 0.0
    ahead = hard_points.KINGPIN_AHEAD if front else 0.0
    upper_x, lower_x = x + ahead - lean, x + ahead + lean
    y, arm = sign * suspension.PIVOT_Y, sign * suspension.ARM
    spring = hard_points.SPRING_X[axle]
    lower = _site(f"lower_ball_{name}_b", 0.0, arm, 0.0)
    lower += _site(f"spring_{name}_b", spring - lower_x, sign * suspension.SPRING_ON_ARM, 0.0)
    tyre = (
        '<geom type="ellipsoid" size="0.3 0.08 0.3" friction="0.9 0.01 1e-4" solref="-2e5 -2e3"/>'
    )
    knuckle = _body(f"wheel_{name}", (x - upper_x, 0.0, -0.1), "y", tyre, WHEEL)
    knuckle += _site(f"lower_ball_{name}_a", 2.0 * lean, 0.0, -0.2)
    knuckle += _site(f"tie_rod_{name}_b", x - 0.1 - upper_x, 0.0, -0.1)
    heavy = LIGHT.replace('mass="0.01"', 'mass="1"')
    on_upper = _body(f"knuckle_{name}", (0.0, arm, 0.0), "zxy" if front else "x", knuckle, heavy)
    drop = anti_roll.DROP_X[axle] - upper_x
    on_upper += _site(f"drop_{name}_b", drop, sign * (anti_roll.HALF - suspension.PIVOT_Y), 0.0)
    return (
        _body(f"lower_{name}", (lower_x, y, 0.0), "x", lower)
        + _body(f"upper_{name}", (upper_x, y, suspension.UPPER_Z), "x", on_upper)
        + _site(f"spring_{name}_a", spring, y, suspension.SPRING_ON_CHASSIS)
    )


def _bar(axle: str) -> str:
    """An anti-roll bar of two halves with drop links."""

    def link(side: str, sign: int) -> str:
        end = _site(f"drop_{axle}_{side}_a", 0.0, 0.0, anti_roll.LINK)
        at = (anti_roll.LEVER, sign * anti_roll.HALF, 0.0)
        return _body(f"drop_{axle}_{side}", at, "xy", end)

    right = _body(f"torsion_{axle}", (0.0, 0.0, 0.0), "y", link("right", -1))
    stiff = f'stiffness="{hard_points.BAR_STIFFNESS[axle]}"'
    right = right.replace(f'name="torsion_{axle}_0"', f'name="torsion_{axle}_0" {stiff}')
    seat = (anti_roll.SEAT_X[axle], 0.0, anti_roll.SEAT_Z)
    return _body(f"bar_{axle}", seat, "y", link("left", 1) + right)


def _tie_rods() -> str:
    rods = ""
    for side, sign in hard_points.SIDES.items():
        ahead, out = corners.TIE_ROD
        end = _site(f"tie_rod_front_{side}_a", ahead, sign * out, 0.0)
        rods += _body(f"tie_{side}", (0.0, sign * suspension.RACK_HALF, 0.0), "zx", end)
    return rods


def mjcf() -> str:
    """The model as text."""
    inside = "".join(
        _corner(axle, side, sign)
        for axle in hard_points.AXLES
        for side, sign in hard_points.SIDES.items()
    )
    inside += "".join(_bar(axle) for axle in hard_points.AXLES)
    inside += (
        f'<body name="rack" pos="{_text(*suspension.RACK)}"><joint name="rack" type="slide" '
        f'axis="0 1 0"/>{LIGHT.replace("0.01", "3")}{_tie_rods()}</body>'
        '<body name="weight"><joint name="weight" type="slide" axis="1 0 0"/>'
        f"{LIGHT.replace('0.01', '100')}</body>"
    )
    slides = "".join(f'<joint type="slide" axis="{AXES[axis]}"/>' for axis in "xyz")
    hinges = "".join(f'<joint type="hinge" axis="{AXES[axis]}"/>' for axis in "zxy")
    names = [f"{axle}_{side}" for axle in hard_points.AXLES for side in hard_points.SIDES]
    loops = [*(f"lower_ball_{n}" for n in names), *(f"drop_{n}" for n in names)]
    loops += [f"tie_rod_front_{side}" for side in hard_points.SIDES]
    closed = "".join(f'<connect site1="{n}_a" site2="{n}_b"/>' for n in loops)
    springs = "".join(
        f'<spatial stiffness="{suspension.STIFFNESS}" damping="{suspension.DAMPING}" '
        f'springlength="{hard_points.FREE_LENGTH[n.partition("_")[0]]}">'
        f'<site site="spring_{n}_a"/><site site="spring_{n}_b"/></spatial>'
        for n in names
    )
    chassis = (
        f'<inertial pos="{_text(*model.CHASSIS_COM)}" mass="{model.CHASSIS_MASS}" '
        f'diaginertia="{_text(*model.CHASSIS_INERTIA)}"/>'
    )
    return (
        '<mujoco><option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>'
        # as stiff as steps of 1 ms allow
        '<default><equality solref="0.002 1"/></default><worldbody>'
        f'<geom type="plane" size="0 0 1" {GRIP}/>'
        f'<body name="chassis" pos="0 0 {model.HEIGHT}">{slides}{hinges}{chassis}{inside}</body>'
        f"</worldbody><equality>{closed}"
        '<joint joint1="rack"/><joint joint1="weight"/></equality>'
        f"<tendon>{springs}</tendon></mujoco>"
    )


class MujocoCar:
    """The car in MuJoCo, settled on its wheels and rolling.

    Attributes:
        gap: largest distance between the two ends of a loop [m], after steps.
    """

    def __init__(self, speed: float) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf())
        self.data = mujoco.MjData(self.model)
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        mujoco.mj_step(self.model, self.data, 2000)
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.data.qvel[0] = speed
        for name in (f"wheel_{axle}_{side}_0" for axle in hard_points.AXLES
                     for side in hard_points.SIDES):  # fmt: skip
            joint = self.model.joint(name)
            self.data.qvel[joint.dofadr[0]] = speed / 0.28
        mujoco.mj_step(self.model, self.data, 200)

    def seconds(self, steps: int) -> float:
        """Processor time of a number of steps [s]."""
        begin = time.process_time()
        mujoco.mj_step(self.model, self.data, steps)
        return time.process_time() - begin

    @property
    def gap(self) -> float:
        loops = [self.model.site(k).name for k in range(self.model.nsite)]
        ends = [n[:-2] for n in loops if n.endswith("_a") and not n.startswith("spring")]
        gaps = [self.data.site(f"{n}_a").xpos - self.data.site(f"{n}_b").xpos for n in ends]
        return float(np.linalg.norm(gaps, axis=1).max())

    @property
    def speed(self) -> float:
        """Speed of the chassis [m/s]."""
        return float(np.hypot(*self.data.qvel[:2]))
