"""The gallery's rover in MuJoCo: the same solids, joints, motors and hills, as a height field."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from inloop.gallery.rover import data, grounds, model

TOP = 1.0  # heights of a field are fractions of this [m]
STEP = 1e-3


def _text(*numbers: float) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _inertial(mass: float, inertia: tuple[float, float, float]) -> str:
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{_text(*inertia)}"/>'


def _wheel(name: str, at: tuple[float, float, float], locked: bool) -> str:
    """A steering bracket and its wheel."""
    turns = "" if locked else f'<joint name="wheel_{name}" axis="0 1 0"/>'
    tread = f'<geom type="sphere" size="{data.RADIUS}" friction="{model.FRICTION} 0.005 0.0001"/>'
    wheel = (
        f'<body pos="{_text(*data.WHEEL_BELOW)}">{turns}'
        f"{_inertial(data.WHEEL_MASS, data.WHEEL_INERTIA)}{tread}</body>"
    )
    return (
        f'<body pos="{_text(*at)}"><joint name="steer_{name}" axis="0 0 1"/>'
        f"{_inertial(data.STEER_MASS, data.STEER_INERTIA)}{wheel}</body>"
    )


def heights() -> np.ndarray:
    """Heights of the hills, by x, then y [m]."""
    return np.asarray(grounds.ground(grounds.HILLS).heights)


def mjcf(locked: bool = False) -> str:
    """The model as text; with locked wheels it stands on a plane."""
    axes = {"-x": "-1 0 0", "y": "0 1 0"}
    bogies = "".join(
        f'<body pos="{_text(*bogie.at)}"><joint axis="{axes[bogie.axis]}"/>'
        f"{_inertial(bogie.mass, bogie.inertia)}"
        f"{''.join(_wheel(name, at, locked) for name, at in bogie.wheels.items())}</body>"
        for bogie in data.BOGIES
    )
    motors = "".join(
        ("" if locked else f'<velocity joint="wheel_{name}" kv="{model.DRIVING}"/>')
        + f'<position joint="steer_{name}" kp="{model.STEERING}" kv="{model.STEERING_DAMPING}"/>'
        for name in data.WHEELS
    )
    cells, half = round(grounds.EDGE / grounds.CELL), 0.5 * grounds.EDGE
    ground = f'type="hfield" hfield="hills" pos="0 0 {heights().min()}"'
    if locked:
        ground = 'type="plane" size="9 9 1"'
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 {-data.GRAVITY}" cone="elliptic" '
        'integrator="implicitfast"/><asset>'
        f'<hfield name="hills" nrow="{cells + 1}" ncol="{cells + 1}" '
        f'size="{half} {half} {TOP} 0.5"/></asset><worldbody>'
        f"<geom {ground} "
        f'friction="{model.FRICTION} 0.005 0.0001"/>'
        f'<body name="trunk" pos="{_text(*grounds.start(grounds.HILLS))}"><freejoint/>'
        f"{_inertial(data.TRUNK_MASS, data.TRUNK_INERTIA)}{bogies}</body></worldbody>"
        f"<actuator>{motors}</actuator></mujoco>"
    )


class MujocoRover:
    """The rover in MuJoCo, driven straight on."""

    def __init__(self, speed: float) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf())
        # by x, then y; MuJoCo by y, then x
        self.model.hfield_data[:] = ((heights() - heights().min()) / TOP).T.ravel()
        self.data = mujoco.MjData(self.model)
        for k in range(self.model.nu):
            if mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT,
                                 self.model.actuator_trnid[k, 0]).startswith("wheel"):  # fmt: skip
                self.data.ctrl[k] = speed / data.RADIUS

    def steps(self, count: int) -> np.ndarray:
        """CPU time of each step [µs], including about 0.3 µs of Python."""
        taken = np.empty(count)
        for k in range(count):
            begin = time.thread_time_ns()
            mujoco.mj_step(self.model, self.data)
            taken[k] = 1e-3 * (time.thread_time_ns() - begin)
        return taken

    @property
    def place(self) -> np.ndarray:
        """Position of the trunk [m]."""
        return np.array(self.data.qpos[:3])
