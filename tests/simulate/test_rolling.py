"""Rolling, knife edges and constraints on velocities in motion: closed and classical forms.

The disc: angles are yaw about z, lean about x, spin about y; F are axes that follow yaw and lean.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

import inloop as il

G, MASS, RADIUS = 9.81, 2.3, 0.31
ACROSS, ABOUT = 0.06, 0.11  # moments of inertia of the disc [kg·m²]
JOINTS = ("tx", "ty", "tz", "rz", "rx", "ry")


def disc(free: bool = False) -> il.Model:
    m = il.Model("disc", gravity=(0.0, 0.0, -G))
    slides = [il.prismatic("x"), il.prismatic("y"), il.prismatic("z", guess=RADIUS)]
    angles = [il.revolute("z"), il.revolute("x"), il.revolute("y")]
    joint = il.free() if free else [*slides, *angles]
    inertia = (ACROSS, ABOUT, ACROSS)
    wheel = m.body("disc", on=m.ground, joint=joint, mass=MASS, inertia=inertia)
    m.rolls(wheel, radius=RADIUS, axis="y", name="rim")
    return m


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return disc().compile()


def classical(t: float, x: np.ndarray) -> list[float]:
    """Newton and Euler in the axes F; x = (yaw, lean, spin, their rates, x, y of the center)."""
    yaw, lean, _, yaw_rate, lean_rate, spin_rate, _, _ = x
    s, c = math.sin(lean), math.cos(lean)
    up = np.array([0.0, 0.0, RADIUS])  # from the contact to the center
    inertia = np.diag([ACROSS, ABOUT, ACROSS])
    om_F = np.array([lean_rate, yaw_rate * s, yaw_rate * c])
    om = om_F + np.array([0.0, spin_rate, 0.0])

    def unbalanced(accelerations: np.ndarray) -> np.ndarray:
        yaw_a, lean_a, spin_a = accelerations
        omd = np.array(
            [
                lean_a,
                yaw_a * s + yaw_rate * c * lean_rate + spin_a,
                yaw_a * c - yaw_rate * s * lean_rate,
            ]
        )
        acceleration = np.cross(omd, up) + np.cross(om_F, np.cross(om, up))
        force = MASS * acceleration - MASS * G * np.array([0.0, -s, -c])
        momentum_rate = inertia @ omd + np.cross(om_F, inertia @ om)
        return np.asarray(momentum_rate - np.cross(-up, force))

    rest = unbalanced(np.zeros(3))
    matrix = np.array([unbalanced(e) - rest for e in np.eye(3)]).T
    found = np.linalg.solve(matrix, -rest)
    along, aside, rise = np.cross(om, up)
    level = c * aside - s * rise
    vx = along * math.cos(yaw) - level * math.sin(yaw)
    vy = along * math.sin(yaw) + level * math.cos(yaw)
    return [yaw_rate, lean_rate, spin_rate, *found, vx, vy]


START = {"rz": (0.2, 0.7), "rx": (0.35, 0.2), "ry": (0.1, 5.0)}
PLACE = {"disc_tx": 0.4, "disc_ty": -0.5}


@pytest.mark.long
def test_a_disc_wobbles_as_the_classical_equations_say(plant: il.Plant) -> None:
    first = [START[k][0] for k in START] + [START[k][1] for k in START] + [0.4, -0.5]
    known = scipy.integrate.solve_ivp(
        classical, (0.0, 3.0), first, "DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]
    angles = {f"disc_{k}": v[0] for k, v in START.items()}
    rates = {f"disc_{k}": v[1] for k, v in START.items()}
    run = plant.simulate(t_end=3.0, step=1e-3, q={**angles, **PLACE}, qd=rates)
    found = [run[f"disc_{k}.q"][-1] for k in ("rz", "rx", "ry", "tx", "ty")]
    assert found == pytest.approx([*known[:3], *known[6:]], abs=2e-8)
    # it turned through whole turns, and the choice of independent coordinates changed with it
    assert abs(found[0]) > 6.0
    assert any("independent coordinates are now" in note for note in run.notes)
    assert run.energy_drift() < 1e-9
    assert run.constraint_violation < 1e-12
    assert run["disc_tz.q"] == pytest.approx(RADIUS * np.cos(run["disc_rx.q"]), abs=1e-12)


def test_a_disc_on_a_free_joint_does_the_same(plant: il.Plant) -> None:
    angles = {f"disc_{k}": v[0] for k, v in START.items()}
    rates = {f"disc_{k}": v[1] for k, v in START.items()}
    known = plant.simulate(t_end=1.5, step=1e-3, q={**angles, **PLACE}, qd=rates)
    yaw, lean, spin = (scipy.spatial.transform.Rotation.from_rotvec(v) for v in (
        (0.0, 0.0, START["rz"][0]), (START["rx"][0], 0.0, 0.0), (0.0, START["ry"][0], 0.0)
    ))  # fmt: skip
    x, y, z, w = (yaw * lean * spin).as_quat()
    # angular velocity in the axes of the body
    om = spin.inv().apply(lean.inv().apply([0.0, 0.0, START["rz"][1]]))
    om = om + spin.inv().apply([START["rx"][1], 0.0, 0.0]) + [0.0, START["ry"][1], 0.0]
    tumbling = disc(free=True).compile()
    run = tumbling.simulate(
        t_end=1.5,
        step=1e-3,
        q={"disc": (w, x, y, z), **PLACE},
        qd=dict(zip(("disc_wx", "disc_wy", "disc_wz"), om, strict=True)),
    )
    for k in ("tx", "ty", "tz"):
        assert run[f"disc_{k}.q"] == pytest.approx(known[f"disc_{k}.q"], abs=1e-8)
    for k in ("normal", "longitudinal", "lateral"):
        assert run[f"lam.rim.{k}"] == pytest.approx(known[f"lam.rim.{k}"], abs=1e-6)
    assert run.energy_drift() < 1e-8


def test_a_disc_rolls_steadily_in_a_circle(plant: il.Plant) -> None:
    """(C + m r²) Ω w_y cos a = A Ω² sin a cos a - m g r sin a, and a circle of radius r w_y / Ω."""
    lean, yaw_rate = 0.4, -2.1
    s, c = math.sin(lean), math.cos(lean)
    about = (ACROSS * yaw_rate**2 * s * c - MASS * G * RADIUS * s) / (
        (ABOUT + MASS * RADIUS**2) * yaw_rate * c
    )
    run = plant.simulate(
        t_end=2.0,
        step=1e-3,
        q={"disc_rx": lean},
        qd={"disc_rz": yaw_rate, "disc_rx": 0.0, "disc_ry": about - yaw_rate * s},
    )
    assert run["disc_rx.q"] == pytest.approx(lean, abs=1e-8)
    assert run["disc_rz.qd"] == pytest.approx(yaw_rate, abs=1e-7)
    speed = RADIUS * about
    turned = yaw_rate * run.t
    assert run["disc_tx.q"] == pytest.approx(speed / yaw_rate * np.sin(turned), abs=1e-7)
    assert run["disc_ty.q"] == pytest.approx(speed / yaw_rate * (1.0 - np.cos(turned)), abs=1e-7)
    assert run["lam.rim.normal"] == pytest.approx(MASS * G, abs=1e-6)
    assert run["lam.rim.lateral"] == pytest.approx(MASS * speed * yaw_rate, abs=1e-6)
    assert run["lam.rim.longitudinal"] == pytest.approx(0.0, abs=1e-6)
    # the same force in world axes, on the disc
    assert run["rim.force.z"] == pytest.approx(MASS * G, abs=1e-6)
    assert run["rim.force.x"] == pytest.approx(-MASS * speed * yaw_rate * np.sin(turned), abs=1e-6)


def test_a_knife_edge_on_a_slope_does_not_slide_down() -> None:
    """It turns steadily, and so drifts across the slope: a cycloid (Neimark & Fufaev 1972)."""
    slope, turning = 0.3, 1.9
    pull = G * math.sin(slope)
    m = il.Model("edge", gravity=(pull, 0.0, -G * math.cos(slope)))
    plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z", initial=(0.0, turning))]
    skate = m.body("skate", on=m.ground, joint=plane, mass=1.4, inertia=(0.02, 0.03, 0.04))
    m.knife_edge(skate, "y")
    run = m.compile().simulate(t_end=5.0, step=1e-3)
    t, size = run.t, pull / (2.0 * turning**2)
    across = size * (turning * t - 0.5 * np.sin(2.0 * turning * t))
    assert run["skate_tx.q"] == pytest.approx(size * np.sin(turning * t) ** 2, abs=1e-9)
    assert run["skate_ty.q"] == pytest.approx(across, abs=1e-9)
    # along its own axis y it is held against the weight and the turning
    held = 1.4 * (2.0 * pull * np.sin(turning * t))
    assert run["lam.skate_edge.lateral"] == pytest.approx(held, abs=1e-8)


def test_a_sleigh_of_chaplygin_ends_straight() -> None:
    """u = √E tanh(k (t - t0)), w = √(E/D) / cosh(k (t - t0)) for the edge behind the center."""
    mass, inertia, ahead, w0, u0 = 1.7, 0.23, 0.4, 1.3, 0.2
    m = il.Model("sleigh", gravity=(0.0, 0.0, 0.0))
    plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
    about = (0.13, 0.12, inertia)
    sleigh = m.body("sleigh", on=m.ground, joint=plane, mass=mass, com=(ahead, 0, 0), inertia=about)
    m.knife_edge(sleigh, "y")
    run = m.compile().simulate(t_end=6.0, step=2e-3, qd={"sleigh_rz": w0, "sleigh_tx": u0})
    D = ahead**2 + inertia / mass
    E = u0**2 + D * w0**2
    rate = ahead * math.sqrt(E) / D
    since = run.t + math.atanh(u0 / math.sqrt(E)) / rate
    assert run["sleigh_rz.qd"] == pytest.approx(math.sqrt(E / D) / np.cosh(rate * since), abs=1e-9)
    heading = run["sleigh_rz.q"]
    along = np.cos(heading) * run["sleigh_tx.qd"] + np.sin(heading) * run["sleigh_ty.qd"]
    assert along == pytest.approx(math.sqrt(E) * np.tanh(rate * since), abs=1e-9)
    assert run.energy_drift() < 1e-9


SOLID = 0.4  # moment of inertia of a ball, in m r²


def ball_on(m: il.Model, on: object, radius: float = 0.05) -> None:
    mass = 0.2
    about = SOLID * mass * radius**2
    ball = m.body("ball", on=m.ground, joint=il.free(), mass=mass, inertia=(about, about, about))
    m.rolls(ball, radius=radius, on=on, name="spot")  # type: ignore[arg-type]


def test_a_ball_on_a_turntable_goes_in_circles() -> None:
    """v' = Ω k/(1 + k) ẑ × v: a circle, whose center does not depend on that of the table."""
    turning = 1.7
    m = il.Model("turntable")
    table = m.body("table", on=m.ground, joint=il.revolute("z"), mass=3.0, inertia=(1.0, 1.0, 1.5))
    m.drive(table, lambda t: turning * t)
    ball_on(m, table)
    run = m.compile().simulate(
        t_end=6.0,
        step=1e-3,
        q={"ball_tx": 0.3, "ball_ty": 0.1},
        qd={"ball_tx": 0.2, "ball_ty": -0.1, "ball_wz": 0.3},
    )
    rate = turning * SOLID / (1.0 + SOLID)
    path = (0.3 + 0.1j) + (0.2 - 0.1j) / (1j * rate) * (np.exp(1j * rate * run.t) - 1.0)
    assert run["ball_tx.q"] + 1j * run["ball_ty.q"] == pytest.approx(path, abs=1e-9)
    assert run["ball_tz.q"] == pytest.approx(0.05, abs=1e-14)
    # the drive holds the table against the friction of the ball
    force = run["spot.force.x"] + 1j * run["spot.force.y"]
    place = run["ball_tx.q"] + 1j * run["ball_ty.q"]
    assert run["table.effort"] == pytest.approx((np.conj(place) * force).imag, abs=1e-9)


def test_a_ball_rolls_down_a_tilted_plane() -> None:
    """5/7 of what it would slide, in a parabola; its axes turn by 0.1 rad in each step."""
    slope = 0.35
    m = il.Model("slope")
    ball_on(m, m.ground.frame("slope", (0.1, 0.2, 0.3), il.rpy(0.0, slope, 0.0)))
    plant = m.compile()
    # down the slope is x of the frame; the velocities of the center lie in it
    down = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    run = plant.simulate(
        t_end=2.0, step=1e-3, q={"ball_tx": 0.5, "ball_ty": -0.3},
        qd={"ball_tx": 0.2 * down[0], "ball_ty": 0.6, "ball_wx": 0.0},
    )  # fmt: skip
    moved = np.stack([run[f"ball_{k}.q"] - run[f"ball_{k}.q"][0] for k in ("tx", "ty", "tz")])
    along = 0.2 * run.t + 0.5 * G * math.sin(slope) / (1.0 + SOLID) * run.t**2
    assert down @ moved == pytest.approx(along, abs=1e-7)
    assert moved[1] == pytest.approx(0.6 * run.t, abs=1e-7)
    # lam.x is along the frame's x, down: friction holds the ball back by 2/7 of its weight there
    held = -0.2 * G * math.sin(slope) * SOLID / (1.0 + SOLID)
    assert run["lam.spot.x"] == pytest.approx(held, abs=1e-6)
    assert run["lam.spot.normal"] == pytest.approx(0.2 * G * math.cos(slope), abs=1e-6)


def test_a_written_constraint_is_the_ready_made_one() -> None:
    def sleigh(m: il.Model) -> None:
        plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
        about = (0.13, 0.12, 0.23)
        m.body("sleigh", on=m.ground, joint=plane, mass=1.7, com=(0.4, 0.1, 0.0), inertia=about)

    runs = []
    for written in (False, True):
        m = il.Model("sleigh", gravity=(1.0, -2.0, 0.0))
        sleigh(m)
        if written:
            m.velocity_constraint(
                "edge",
                lambda q, qd: (
                    il.cos(q["sleigh_rz"]) * qd["sleigh_ty"]
                    - il.sin(q["sleigh_rz"]) * qd["sleigh_tx"]
                ),
            )
        else:
            m.knife_edge("sleigh", "y", name="edge")
        start = {"sleigh_rz": 0.7, "sleigh_tx": 0.3, "sleigh_ty": -2.0}
        runs.append(m.compile().simulate(t_end=2.0, step=1e-3, q=start, qd={"sleigh_rz": 1.1}))
    ready, written_run = runs
    assert written_run.q == pytest.approx(ready.q, abs=1e-12)
    pull = written_run["lam.edge.row_1"]
    assert pull == pytest.approx(ready["lam.edge.lateral"], abs=1e-10)
    assert np.ptp(pull) > 1.0
    assert written_run.q[0] == pytest.approx([0.3, -2.0, 0.7], abs=0.0)  # all positions are kept


def test_a_constraint_may_depend_on_time() -> None:
    """A belt whose speed is prescribed takes a load along; its force is mass times acceleration."""
    m = il.Model("belt", gravity=(0.0, 0.0, 0.0))
    m.body("load", on=m.ground, joint=il.prismatic("x", initial=0.4), mass=3.0)
    m.body("free", on="load", joint=il.revolute("y"), mass=0.5, inertia=(0.1, 0.1, 0.1))
    m.velocity_constraint("belt", lambda qd, t: qd["load"] - 0.3 * il.sin(2.0 * t))
    run = m.compile().simulate(t_end=2.0, step=1e-3)
    assert run["load.q"] == pytest.approx(0.4 + 0.15 * (1.0 - np.cos(2.0 * run.t)), abs=1e-9)
    assert run["lam.belt.row_1"] == pytest.approx(3.5 * 0.6 * np.cos(2.0 * run.t), abs=1e-9)
    assert run.units["lam.belt.row_1"] == "N"


def test_two_edges_that_agree_share_the_load() -> None:
    """Both on one axle: one follows from the other, and is told; the motion is that of one."""
    runs = []
    for edges in (("left",), ("left", "right")):
        m = il.Model("axle", gravity=(0.0, 0.0, 0.0))
        plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
        about = (0.1, 0.2, 0.25)
        cart = m.body("cart", on=m.ground, joint=plane, mass=1.2, com=(0.3, 0, 0), inertia=about)
        for name, y in (("left", 0.2), ("right", -0.2)):
            cart.point(name, (0.0, y, 0.0))
            if name in edges:
                m.knife_edge(f"cart.{name}", "y", name=name)
        plant = m.compile()
        runs.append(plant.simulate(t_end=3.0, step=1e-3, qd={"cart_rz": 1.5, "cart_tx": 0.1}))
    assert plant.formulation.notes == (
        "loop 'right' adds nothing in direction lateral; row dropped",
    )
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-12)
    assert runs[1].constraint_violation < 1e-12
