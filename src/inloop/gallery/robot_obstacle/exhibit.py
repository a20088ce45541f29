"""The arm at the block as an exhibit."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Device, Exhibit, Experiment, Outcome, Reference, View
from inloop.gallery.puma560.model import SOURCE
from inloop.gallery.robot.model import INERTIAS
from inloop.gallery.robot_obstacle.kinematics import (
    gravity_torques,
    mass_nominal,
    tool_jacobian,
    tool_place,
)
from inloop.gallery.robot_obstacle.looks import robot_obstacle_looks
from inloop.gallery.robot_obstacle.model import (
    BACK,
    BUFFER,
    FACE,
    FORWARD,
    NOMINAL,
    RESTITUTION,
    STIFFNESS,
    robot_obstacle,
)

BLOW = np.array([0.0, -0.9, 1.1, 0.4, -0.7, 0.3])  # speeds in the nominal pose [rad/s]
SHORT = 1e-6  # a step in which the servos have no effect yet [s]
PRESSED, STEP = 3.0, 1e-3
AXES = [f"joint_{k + 1}" for k in range(6)]


def after_blow() -> np.ndarray:
    """Speeds after a frictionless impact in the nominal pose: published M, DH table [rad/s].

    The impulse along x reverses the velocity of the tool, times e; its effect on all joints.
    """
    row, back = tool_jacobian(NOMINAL)[0], np.linalg.inv(mass_nominal())
    impulse = (1.0 + RESTITUTION) * (row @ BLOW) / (row @ back @ row)
    return np.asarray(BLOW - impulse * back @ row)


def pressed(goal: np.ndarray = FORWARD) -> tuple[float, np.ndarray]:
    """Force on the block [N] and pose [rad] at rest, without friction.

    Servos, gravity and the force along x are in balance, and the buffer touches the block.
    """
    gains, carried = STIFFNESS * np.array(INERTIAS), gravity_torques(NOMINAL)
    x = np.array([*NOMINAL, 0.0])

    def miss(x: np.ndarray) -> np.ndarray:
        q, force = x[:6], x[6]
        efforts = gains * (goal - q) + carried - gravity_torques(q) - tool_jacobian(q)[0] * force
        return np.array([*efforts, tool_place(q)[0] + BUFFER - FACE])

    for _ in range(20):
        d = 1e-6
        slope = np.stack([(miss(x + d * e) - miss(x - d * e)) / (2.0 * d) for e in np.eye(7)], 1)
        x = x - np.linalg.solve(slope, miss(x))
    return float(x[6]), x[:6]


def _blow(plant: il.Plant) -> tuple[float, ...]:
    """Speeds after the impact [rad/s]."""
    plant.parameters["mu"] = 0.0
    start = dict(zip(AXES, (float(x) for x in NOMINAL), strict=True))
    # slightly before the block, so that it is hit within the step
    before = {k: v - 0.5 * SHORT * float(w) for (k, v), w in zip(start.items(), BLOW, strict=True)}
    speeds = dict(zip(AXES, (float(x) for x in BLOW), strict=True))
    run = plant.simulate(t_end=2 * SHORT, step=SHORT, q=before, qd=speeds)
    plant.parameters.reset()
    return tuple(float(x) for x in run.qd[-1])


def _press(plant: il.Plant) -> float:
    """Force on the block at rest [N]."""
    plant.parameters["mu"] = 0.0
    run = plant.simulate(t_end=PRESSED, step=STEP, inputs={"press": 1.0})
    plant.parameters.reset()
    return float(run["hit.force"][-1])


def _strike(bench: Bench) -> Outcome:
    """Drive the tool into the block in half a second, then hold; with and without friction."""
    plant = bench.compile()
    known, _ = pressed()
    runs = {}
    for mu in (0.0, 0.3):
        plant.parameters["mu"] = mu
        runs[mu] = plant.simulate(
            t_end=bench.seconds or PRESSED,
            step=STEP,
            inputs={"press": lambda t: il.minimum(2.0 * t, 1.0)},
        )
    speeds, run = _blow(plant), runs[0.0]
    hits = np.flatnonzero(run["hit.touch_1_hit"] > 0.5)
    figures: dict[str, float | tuple[float, ...]] = {
        "speeds after a blow in the nominal pose [rad/s]": speeds,
        "speeds after a blow in the nominal pose, known [rad/s]": tuple(after_blow().tolist()),
        "presses at rest [N]": float(run["hit.force"][-1]),
        "presses at rest, known [N]": known,
        "first impact [s]": float(run.t[hits[0]]) if len(hits) else float("nan"),
        "impacts": float(len(hits)),
        "largest force in a step of 1 ms [N]": float(run["hit.force"].max()),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        for mu, one in runs.items():
            above.plot(one.t, 1e3 * one["hit.gap"], label=f"μ = {mu:g}")
            below.plot(one.t, one["hit.force"], label=f"μ = {mu:g}")
        above.set_ylabel("gap [mm]")
        above.set_ylim(-1.0, None)
        above.legend()
        for name in ("joint_2", "joint_3", "joint_5"):
            middle.plot(run.t, run[f"{name}.qd"], label=name)
        middle.set_ylabel("speeds [rad/s]")
        middle.legend(fontsize="small")
        below.axhline(known, color="gray", linewidth=0.8)
        below.set_ylim(0.0, 4.0 * known)
        below.set_ylabel("force on the block [N]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


EXHIBIT = Exhibit(
    name="robot_obstacle",
    title="Robot arm that hits a block",
    look_at="Press it against the block: it bounces, then pushes. Its joints have hard stops.",
    make=robot_obstacle,
    start="at rest, the tool 14 cm away from the block",
    seconds=3.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", ("hit.force", ("joint_2.q", "joint_3.q", "joint_5.q"), "joint_2.qd")),
    poses={"back": tuple(BACK.tolist()), "nominal": tuple(NOMINAL.tolist())},
    looks=robot_obstacle_looks,
    reach=((-0.35, -0.4, -0.38), (1.0, 0.3, 1.15)),
    device=Device(
        input="press",
        low=0.0,
        high=1.0,
        rest=0.0,
        body="link_6",
        point=(0.0, 0.0, 0.1),
        axis=(0.3, 0.0, 0.0),
        hint="Drag the tool forwards, or hold the right arrow, to press.",
        keys={"ArrowRight": 1.0},
    ),
    experiments={"strike": Experiment("driven into the block, with and without friction", _strike)},
    references=(
        Reference(
            what="speeds of the joints after a blow in the pose q_n",
            value=tuple(after_blow().tolist()),
            unit="rad/s",
            tolerance=1e-3,
            source=f"v - (1 + e) M⁻¹ Jᵀ J v / J M⁻¹ Jᵀ with M(q_n) of {SOURCE}",
            measure=_blow,
        ),
        Reference(
            what="force on the block at rest",
            value=(pressed()[0],),
            unit="N",
            tolerance=1e-3,
            source="balance of servos, weight and force by the DH table, solved by Newton",
            measure=_press,
        ),
    ),
)
