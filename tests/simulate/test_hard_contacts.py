"""Hard contacts: impacts, dry friction and rest, against closed forms and event-driven solutions.

The digits of blocks are those of an event-driven solution: modes fixed between events, DOP853 at
1e-12, Moreau's impact law for all contacts that are closed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G, ball, block, box, stack, table

import inloop as il
from inloop.errors import InputError, ModelError
from inloop.geometry import Mesh

LEAN = np.radians(25.0)
STEEP = float(np.tan(LEAN))
# model, end [s], q and qd there
BLOCKS = {
    "dropped on an edge": (
        lambda: block((0.2, 0.1), 1.0, (0.2, 0.3), (0.0, 0.2933012702, np.pi / 6), (0.5, 0, 0)),
        (1.0, (0.2391719124, 0.05, 0.0), (0.0, 0.0, 0.0)),
    ),
    "tips over and sticks": (
        lambda: block((0.1, 0.3), 2.0, (0.0, 0.6), (0.0, 0.15, 0.0), incline=LEAN),
        (0.9, (0.3190585344, 0.05, -np.pi / 2), (0.0, 0.0, 0.0)),
    ),
    "tips over and slides": (
        lambda: block((0.1, 0.3), 2.0, (0.0, 0.4), (0.0, 0.15, 0.0), incline=LEAN),
        (0.9, (0.5603781928, 0.05, -np.pi / 2), (0.9615376483, 0.0, 0.0)),
    ),
    "rocks": (
        lambda: block((0.1, 0.4), 1.0, (0.0, 0.8), (0.0, 0.2052261222, -0.15)),
        (1.5, (-0.02192085384, 0.2019408115, -0.04242883078),
         (-0.08853677109, -0.01818244452, 0.4384293121)),
    ),
}  # fmt: skip


def touches(result: il.Result, quantity: str, count: int = 4) -> np.ndarray:
    return np.array([result[f"touch_{k}.{quantity}"] for k in range(count)])


def test_a_ball_bounces_as_in_closed_form() -> None:
    e, mu = 0.9, 0.2
    plant = ball(e, mu, (1.0, 2.0)).compile()
    result = plant.simulate(t_end=3.5, step=1e-3)
    assert result.method == "moreau" and result.status == "OK" and not result.doubts
    # falls with V, leaves with e V; friction takes mu of each impulse until it stands
    V, t, x, speed, impulses = np.sqrt(2 * G), np.sqrt(2 / G), 2 * np.sqrt(2 / G), 2.0, []
    while True:
        impulses.append((t, (1 + e) * V))
        speed = max(0.0, speed - mu * (1 + e) * V)
        V *= e
        if t + 2 * V / G > 3.5:
            break
        t, x = t + 2 * V / G, x + speed * 2 * V / G
    rest = 3.5 - t
    assert result.q[-1] == pytest.approx([x, V * rest - 0.5 * G * rest**2], abs=1e-9)
    assert result.qd[-1] == pytest.approx([0.0, V - G * rest], abs=1e-9)
    found = result["floor.normal"] * 1e-3
    hits = np.flatnonzero(found)
    assert found[hits] == pytest.approx([size for _, size in impulses], rel=1e-9)
    assert result.t[hits] == pytest.approx([when for when, _ in impulses], abs=1.01e-3)
    assert (result["floor.tangent_1"] * 1e-3).sum() == pytest.approx(-2.0)
    assert result["floor.gap"].min() > -1e-9


@pytest.mark.parametrize(("ground", "top"), [(il.plane(), 0.0), (il.box((1.0, 1.0, 0.4)), 0.2)])
def test_a_start_inside_is_noted(ground: il.Shape, top: float) -> None:
    """Declared, and found while it runs: nothing pushes the ball out, so somebody must say it."""
    m = il.Model("inside")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.contact(m.ground, ground, ball, il.sphere(0.1), law=il.hard(), name="floor")
    plant = m.compile()
    inside, apart = (plant.simulate(t_end=0.01, q={"ball": top + z}) for z in (0.05, 0.1))
    assert inside["ball.q"][-1] == pytest.approx(top + 0.05, abs=1e-9)
    assert "contact 'floor' starts with a penetration of 0.05" in inside.notes[0]
    assert apart.notes == ()


@pytest.mark.parametrize("of_mesh", [False, True])
def test_a_start_below_the_ground_is_noted(of_mesh: bool) -> None:
    """However deep: with its center on the ground it stays there, far below it falls."""
    ground: il.Shape = il.heightfield(np.zeros((5, 5)), (2.0, 2.0), -1.0)
    if of_mesh:
        surface = ground.surface()
        ground = Mesh(surface.vertices, surface.triangles[:32])
    m = il.Model("below")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.contact(ball, il.sphere(0.1), m.ground, ground, law=il.hard(), name="floor")
    plant = m.compile()
    on, below, above = (plant.simulate(t_end=0.01, q={"ball": z}) for z in (0.0, -0.3, 0.1))
    assert on["ball.q"][-1] == pytest.approx(0.0, abs=1e-9)
    assert "contact 'floor' starts with a penetration of 0.1" in on.notes[0]
    assert "the center of 'ball' starts 0.3 below the ground" in below.notes[0]
    assert above.notes == ()
    # 0.4 m in a step
    through = plant.simulate(t_end=0.02, step=1e-3, q={"ball": 2.0}, qd={"ball": -400.0})
    assert "went through the ground by t = 0.005 s" in through.notes[0]


def test_a_ball_without_losses_keeps_its_energy_for_ever() -> None:
    result = ball(1.0, 0.0, (0.3, 1.0)).compile().simulate(t_end=40.0, step=2e-3)
    energy = result.energy.sum(axis=1)
    assert np.count_nonzero(result["floor.normal"]) > 70
    assert np.abs(energy - energy[0]).max() < 1e-10 * energy[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_meet_the_event_driven_solution(name: str) -> None:
    make, (t_end, q, qd) = BLOCKS[name]
    plant, errors = make().compile(), []
    for step in (1e-3, 1e-4):
        result = plant.simulate(t_end=t_end, step=step)
        assert result.status == "OK" and not result.doubts
        errors.append((np.abs(result.q[-1] - q).max(), np.abs(result.qd[-1] - qd).max()))
        energy = result.energy.sum(axis=1)
        assert np.diff(energy).max() < 1e-12
        assert energy[0] - energy[-1] > 1e-3
    # at least of first order: ten times the steps, a tenth of the error, less what luck does
    (_, rough), (place, speed) = errors[0], errors[1]
    assert place < 5e-5 and speed < max(1e-9, 0.2 * rough) and speed < 1e-4
    assert place < max(1e-6, 0.2 * errors[0][0])


def test_a_block_slides_just_below_the_angle_of_friction_and_stops_just_above() -> None:
    start = (0.0, 0.05, 0.0)
    slides = block((0.3, 0.1), 2.0, (0.0, STEEP - 0.02), start, incline=LEAN).compile()
    result = slides.simulate(t_end=1.0, step=1e-3)
    a = G * (np.sin(LEAN) - (STEEP - 0.02) * np.cos(LEAN))
    assert result.q[-1] == pytest.approx([0.5 * a, 0.05, 0.0], abs=1e-8)
    assert result.qd[-1] == pytest.approx([a, 0.0, 0.0], abs=1e-8)
    stops = block(
        (0.3, 0.1), 2.0, (0.0, STEEP + 0.02), start, (0.02, 0.0, 0.0), incline=LEAN
    ).compile()
    result = stops.simulate(t_end=1.0, step=1e-3)
    a = G * (np.sin(LEAN) - (STEEP + 0.02) * np.cos(LEAN))
    assert result.q[-1] == pytest.approx([-(0.02**2) / (2 * a), 0.05, 0.0], abs=1e-7)
    # it does not creep, and is held to all digits
    assert np.abs(result.qd[-1]).max() < 1e-10
    assert touches(result, "normal")[:, -1].sum() == pytest.approx(2 * G * np.cos(LEAN), rel=1e-8)
    held = touches(result, "tangent_1")[:, -1].sum()
    assert abs(held) == pytest.approx(2 * G * np.sin(LEAN), rel=1e-8)


def test_housner_rocking_block_loses_what_its_shape_says() -> None:
    make, _ = BLOCKS["rocks"]
    result = make().compile().simulate(t_end=0.4, step=1e-4)
    hit = int(np.argmax(np.diff(result.qd[:, 2]) < -0.05))
    ratio = result.qd[hit + 1, 2] / result.qd[hit, 2]
    # 1 - 1.5 sin² of the angle between diagonal and height, 1 : 4
    assert ratio == pytest.approx(1.0 - 1.5 / 17.0, abs=1e-3)


@pytest.mark.long
def test_a_box_in_space_does_what_the_block_in_the_plane_does() -> None:
    angle = np.pi / 6
    flat = block((0.2, 0.1), 1.0, (0.2, 0.3), (0.0, 0.2933012702, angle), (0.5, 0, 0)).compile()
    deep = box((0.2, 0.3, 0.1), 1.0, (0.2, 0.3)).compile()
    turned = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    q = deep.vector(box_tz=0.2933012702, box=turned)
    planar = flat.simulate(t_end=0.6, step=5e-4)
    spatial = deep.simulate(t_end=0.6, step=5e-4, q=q, qd=deep.velocities(box_tx=0.5))
    assert spatial.q[:, 0] == pytest.approx(planar.q[:, 0], abs=1e-6)
    assert spatial.q[:, 2] == pytest.approx(planar.q[:, 1], abs=1e-6)
    assert np.abs(spatial.q[:, 1]).max() < 1e-9
    # four points carry it; their sum is its weight
    assert touches(spatial, "force", 8)[:, -1].sum() == pytest.approx(G, rel=1e-8)


@pytest.mark.parametrize("seeds", [4, pytest.param(40, marks=pytest.mark.long)])
def test_energy_never_grows_when_a_cube_tumbles(seeds: int) -> None:
    cube = box((0.2, 0.2, 0.2), 1.0, (0.5, 0.3)).compile()
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        turned = random.normal(size=4)
        q = cube.vector(box_tz=0.4, box=turned / np.linalg.norm(turned))
        speeds = random.normal(size=6) * [1, 1, 1, 6, 6, 6]
        result = cube.simulate(
            t_end=2.5, step=1e-3, q=q, qd=dict(zip(cube.coordinates, speeds, strict=True))
        )
        energy = result.energy.sum(axis=1)
        assert np.diff(energy).max() < 1e-11
        # it comes to rest on a face
        assert np.abs(result.qd[-1]).max() < 1e-9
        assert energy[-1] == pytest.approx(0.1 * G, abs=1e-3)
        assert touches(result, "gap", 8).min() > -1e-4


def test_a_box_is_pulled_away_below_a_stack() -> None:
    plant = stack((1.0,) * 5, (0.3, 0.2, 0.5, 0.5, 0.5), pulled=1.0).compile()
    # upper four: a = 0.2 g until all are equally fast; bottom: -2.3 g, then -0.7 g
    lowest, upper = 0.02248434542, 0.00326197757
    errors = []
    for step in (1e-3, 1e-4):
        result = plant.simulate(t_end=0.3, step=step, sample=0.1)
        assert result.status == "OK" and not result.doubts
        ends = np.array([result[f"x_{k}.q"][-1] for k in range(5)])
        errors.append(np.abs(ends - [lowest, upper, upper, upper, upper]).max())
        assert np.abs(result.qd[-1]).max() < 1e-9
    assert errors[0] < 3e-5 and errors[1] < 3e-6


@pytest.mark.parametrize("top", [1.0, 100.0])
def test_a_stack_rests_on_its_weight(top: float) -> None:
    masses = np.array([1.0, 1.0, 1.0, 1.0, top])
    result = stack(masses, (0.5,) * 5).compile().simulate(t_end=0.05, step=1e-3)
    assert not result.doubts
    levels = [(result[f"left_{k}.normal"] + result[f"right_{k}.normal"])[-1] for k in range(5)]
    assert levels == pytest.approx(G * np.cumsum(masses[::-1])[::-1], rel=1e-8)


def test_the_order_of_contacts_does_not_matter() -> None:
    arguments = (0.2, 0.1), 1.0, (0.2, 0.3), (0.0, 0.12, 0.4), (0.5, -1.0, 3.0)
    one, other = (
        block(*arguments, order=order).compile().simulate(t_end=0.4, step=1e-3)
        for order in ((0, 1, 2, 3), (2, 0, 3, 1))
    )
    assert np.count_nonzero(touches(one, "normal").sum(axis=0)) > 100
    assert other.qd == pytest.approx(one.qd, abs=1e-8)


def test_steps_snapshots_and_many_runs_give_the_same_bits() -> None:
    make, _ = BLOCKS["dropped on an edge"]
    plant = make().compile()
    whole = plant.simulate(t_end=0.4, step=1e-3)
    stepper, names = plant.stepper(step=1e-3), plant.coordinates
    rows = []
    for k in range(400):
        if k == 250:
            # contacts are closed here, and their forces are the start of the next solution
            kept = stepper.snapshot()
            for _ in range(50):
                stepper.step()
            stepper.restore(kept)
        stepper.step()
        rows.append([stepper[f"{name}.{kind}"] for kind in ("q", "qd") for name in names])
    assert np.array_equal(np.array(rows), np.hstack([whole.q, whole.qd])[1:])
    first = plant.simulate(t_end=0.25, step=1e-3)
    rest = plant.simulate(t_end=0.4, step=1e-3, start=first)
    assert np.array_equal(rest.q[-1], whole.q[-1])
    many = plant.simulate_many(t_end=0.4, step=1e-3, runs=2)
    assert np.array_equal(many.q[1, -1], whole.q[-1])


def test_feet_that_give_way_share_a_load_as_springs_do() -> None:
    plant = table(il.hard(0.0, 0.5, stiffness=1e8)).compile()
    start = plant.vector(top_tz=0.1, top=(1.0, 0.0, 0.0, 0.0))
    result = plant.simulate(t_end=0.3, step=1e-3, q=start)
    shares = 0.25 * np.array([1 - 0.25 - 2 / 15, 1 + 0.25 - 2 / 15, 1 - 0.25 + 2 / 15,
                              1 + 0.25 + 2 / 15])  # fmt: skip
    assert touches(result, "normal")[:, -1] == pytest.approx(2.0 * G * shares, rel=1e-3)
    assert touches(result, "gap")[:, -1] == pytest.approx(-2.0 * G * shares / 1e8, rel=0.05)


def test_feet_that_give_way_do_not_creep_on_a_slope() -> None:
    slope = np.radians(20.0)
    law = il.hard(0.0, 0.5, stiffness=1e7)
    plant = table(law, (G * np.sin(slope), 0.0, -G * np.cos(slope))).compile()
    start = plant.vector(top_tz=0.1, top=(1.0, 0.0, 0.0, 0.0))
    result = plant.simulate(t_end=1.0, step=1e-3, q=start)
    # without memory it would move by F/(h k) = 0.2 mm/s
    assert np.abs(result.qd[-1]).max() < 1e-10
    held = touches(result, "tangent_1")[:, -1].sum()
    assert abs(held) == pytest.approx(2.0 * G * np.sin(slope), rel=1e-8)


def test_feet_that_give_way_bounce_as_rigid_ones_do() -> None:
    """Compliance has no say in impacts, and remembers no impulses of theirs."""
    rigid, soft = (table(il.hard(0.4, 0.3, stiffness=k)).compile() for k in (None, 1e8))
    start = rigid.vector(top_tz=0.3, top=(1.0, 0.0, 0.0, 0.0))
    one, other = (plant.simulate(t_end=0.35, step=5e-4, q=start) for plant in (rigid, soft))
    assert one["touch_0.hit"].sum() >= 1.0
    assert other.q[-1, :3] == pytest.approx(one.q[-1, :3], abs=1e-6)
    assert np.diff(other.energy.sum(axis=1)).max() < 1e-9


def test_a_rod_jams_where_friction_leaves_no_force() -> None:
    """Painlevé's rod: no finite force keeps the tip that slides on the ground; an impulse does."""
    half, speed, lean = 0.5, 1.0, float(np.arctan(2.0))
    m = il.Model("rod")
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, -speed)))
    height = half * np.sin(lean) - 1e-12
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(height, 0.0)))
    turn = il.revolute((0.0, -1.0, 0.0), initial=(lean, 0.0))
    rod = m.body("rod", on=z, joint=turn, mass=1.0, inertia=(1.0 / 12.0,) * 3)
    tip = rod.point("tip", (-half, 0.0, 0.0))
    m.contact(m.ground, il.plane(), tip, il.point(), law=il.hard(0.0, 2.0), name="tip")
    plant = m.compile()
    # what a unit of normal force does at the tip that slides: it draws it into the ground
    c, s = np.cos(lean), np.sin(lean)
    assert 1.0 + 12.0 * half**2 * c * (c - 2.0 * s) < -0.5
    # the impulse that stops the tip at once
    J = np.array([[0.0, 1.0, -half * c], [1.0, 0.0, half * s]])
    impulse = np.linalg.solve(J @ np.diag([1.0, 1.0, 12.0]) @ J.T, [0.0, speed])
    assert impulse == pytest.approx([0.3, 0.4])
    for step in (1e-3, 1e-4, 1e-5):
        result = plant.simulate(t_end=5 * step, step=step)
        found = [result["tip.normal"][1] * step, result["tip.tangent_1"][1] * step]
        assert found == pytest.approx(impulse, abs=10.0 * step)
        assert abs(result["tip.slip_1"][1]) < step and not result.doubts
        assert np.diff(result.energy.sum(axis=1)).max() < 1e-12


def test_friction_and_restitution_may_be_parameters() -> None:
    m = il.Model("live")
    e, mu = m.parameter("e", 0.5), m.parameter("mu", 0.1)
    slide = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 2.0)))
    mass = m.body("z", on=slide, joint=il.prismatic("z", initial=(1.0, 0.0)), mass=2.0)
    law = il.hard(restitution=e, friction=mu)
    m.contact(mass, il.sphere(0.2), m.ground, il.plane(), law=law, name="floor")
    plant = m.compile()
    V = np.sqrt(2 * G * 0.8)
    for values in ((0.5, 0.1), (0.25, 0.2)):
        plant.parameters.update(e=values[0], mu=values[1])
        result = plant.simulate(t_end=0.45, step=1e-3)
        impulse = 2.0 * (1 + values[0]) * V
        assert (result["floor.force"] * 1e-3).max() == pytest.approx(impulse, rel=1e-9)
        assert result.qd[-1, 0] == pytest.approx(2.0 - values[1] * impulse / 2.0, rel=1e-9)
        # forces are told on the second body that was named, the ground
        assert (result["floor.force_z"] <= 0.0).all() and (result["floor.force_x"] >= 0.0).all()


def test_two_spheres_meet_anywhere_in_space() -> None:
    m = il.Model("spheres", gravity=(0.0, 0.0, 0.0))
    left = m.body("left", on=m.ground, joint=il.free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    right = m.body("right", on=m.ground, joint=il.free(), mass=3.0, inertia=(0.2, 0.2, 0.2))
    m.contact(left, il.sphere(0.3), right, il.sphere(0.2), law=il.hard(0.6), name="meet")
    plant = m.compile()
    p, speed = np.array([-0.5, 0.6, -0.4]), np.array([1.6, -1.0, 0.9])
    start = dict(zip(plant.coordinates[:3], p, strict=True))
    speeds = dict(zip(plant.coordinates[:3], speed, strict=True))
    result = plant.simulate(t_end=1.0, step=1e-4, sample=0.1, q=start, qd=speeds)
    # they meet where |p + v t| = 0.5; there along n as in one dimension, and nothing across it
    half, square = p @ speed, speed @ speed
    when = (-half - np.sqrt(half**2 - square * (p @ p - 0.25))) / square
    n = -(p + speed * when) / 0.5
    impulse = 0.75 * 1.6 * (n @ speed) * n
    after = result.qd[-1]
    assert after[:3] == pytest.approx(speed - impulse, abs=2e-4)
    assert after[6:9] == pytest.approx(impulse / 3.0, abs=2e-4)
    assert after[:3] + 3.0 * after[6:9] == pytest.approx(speed, abs=1e-12)
    assert np.linalg.norm(impulse) > 0.5 and not after[[3, 4, 5, 9, 10, 11]].any()


def test_a_pendulum_between_hard_stops() -> None:
    m = il.Model("pendulum")
    joint = il.revolute("y", limits=(-0.5, 0.4), initial=(0.0, 3.0))
    m.body("arm", on=m.ground, joint=joint, mass=1.5, com=(0.0, 0.0, -0.3), inertia=(0.1,) * 3)
    assert m.hard_stop("arm", 0.6, name="stop") == ("stop_low", "stop_high")
    plant = m.compile()
    assert plant.outputs["stop_low.gap"] == "rad"
    result = plant.simulate(t_end=1.5, step=1e-3)
    inertia, weight = 0.1 + 1.5 * 0.3**2, 1.5 * G * 0.3
    # energy tells the speed at the stop, restitution the impulse, and energy the next speed
    speed = np.sqrt(3.0**2 - 2.0 * weight * (1 - np.cos(0.4)) / inertia)
    found = result["stop_high.effort"] * 1e-3
    assert found.min() == pytest.approx(-1.6 * inertia * speed, rel=1e-5)
    lower = np.sqrt((0.6 * speed) ** 2 + 2.0 * weight * (np.cos(0.5) - np.cos(0.4)) / inertia)
    found = result["stop_low.effort"] * 1e-3
    assert found.max() == pytest.approx(1.6 * inertia * lower, rel=2e-4)
    assert result.q.max() < 0.4 + 1e-5 and result.q.min() > -0.5 - 1e-5


def test_a_stop_carries_what_leans_on_it() -> None:
    m = il.Model("leaning")
    joint = il.revolute("y", initial=(0.3, 0.0))
    m.body("arm", on=m.ground, joint=joint, mass=1.5, com=(0.0, 0.0, 0.3), inertia=(0.1,) * 3)
    m.hard_stop("arm", 0.3, limits=(-np.inf, 0.5), name="stop")
    result = m.compile().simulate(t_end=3.0, step=1e-3)
    assert result["stop_high.gap"][-1] == pytest.approx(0.0, abs=1e-5)
    carried = 1.5 * G * 0.3 * np.sin(result.q[-1, 0])
    assert result["stop_high.effort"][-1] == pytest.approx(-carried, rel=1e-8)
    assert result.qd[-1] == pytest.approx(0.0, abs=1e-12)


def test_others_than_the_method_for_it_are_refused() -> None:
    plant = ball(0.5, 0.0, (1.0, 0.0)).compile()
    for call in (
        lambda: plant.simulate(t_end=1.0, method="rk4"),
        lambda: plant.simulate(t_end=1.0, tolerance=1e-6),
        lambda: plant.stepper(method="implicit"),
        lambda: plant.simulate(t_end=1.0, method="scipy"),
        plant.linearize,
        plant.equilibrium,
    ):
        with pytest.raises(InputError, match="contact 'floor' is hard"):
            call()


def test_what_makes_no_sense_is_told() -> None:
    m = il.Model("wrong")
    mass = m.body("z", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    for k, law in enumerate((il.hard(1.5), il.hard(0.0, -0.1), il.hard(stiffness=-1.0))):
        m.contact(m.ground, il.plane(), mass, il.point(), law=law, name=f"c{k}")
    rub = il.coulomb_contact(0.3)
    m.contact(m.ground, il.plane(), mass, il.point(), law=il.hard(), friction=rub, name="c3")
    with pytest.raises(ModelError) as caught:
        m.build()
    text = str(caught.value)
    assert "restitution must be >= 0 and <= 1, got 1.5" in text
    assert "friction must be >= 0, got -0.1" in text
    assert "stiffness must be > 0, got -1" in text
    assert "a hard contact includes its own friction" in text


def test_an_impact_at_the_end_of_a_step_leaves_open_contacts_alone() -> None:
    # three balls 1 mm apart, the second impact 1e-16 s before a step ends: one blow after the other
    m, radius = il.Model("cradle", gravity=(0.0, 0.0, 0.0)), 0.05
    before = None
    for k in range(4):
        start = (k * (2.0 * radius + 1e-3), 0.0) if k else (-0.05, 2.0)
        ball = m.body(f"ball_{k}", on=m.ground, joint=il.prismatic("x", initial=start), mass=1.0)
        if before is not None:
            law = il.hard(restitution=1.0)
            m.contact(before, il.sphere(radius), ball, il.sphere(radius), law=law, name=f"gap_{k}")
        before = ball
    result = m.compile().simulate(t_end=0.05, step=1e-3)
    assert result.qd[-1] == pytest.approx([0.0, 0.0, 0.0, 2.0], abs=1e-9)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize(("stiffness", "notes"), [(1e5, 0), (1e4, 1), (1.0, 1)])
def test_a_contact_that_is_soft_carries_and_says_so_if_it_is_too_soft(
    stiffness: float, notes: int, live: bool
) -> None:
    """It was hit anew in every step, and sank for ever."""
    m = il.Model("soft")
    ball = m.body("z", on=m.ground, joint=il.prismatic("z", initial=(0.1, 0.0)), mass=1.0)
    law = il.hard(stiffness=m.parameter("k", 1e7) if live else stiffness)
    m.contact(m.ground, il.plane(), ball, il.sphere(0.1), law=law, name="floor")
    plant = m.compile()
    plant.parameters.update({"k": stiffness} if live else {})
    result = plant.simulate(t_end=2.0, step=1e-3)
    assert len([note for note in result.notes if "too soft for a hard contact" in note]) == notes
    if stiffness > 1.0:
        assert abs(result.qd[-1, 0]) < 1e-4
        assert result["floor.force"][-1] == pytest.approx(9.81, rel=1e-3)
        assert result["floor.gap"][-1] > -6.0 * 9.81 / stiffness
