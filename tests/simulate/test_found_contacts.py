"""Contacts that are found while a plant runs: closed forms, equal models, replay to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G, box

import inloop as il
from inloop.geometry import Mesh

SLOPE, WALL, RADIUS = np.radians(15.0), np.radians(40.0), 0.1


def valley() -> Mesh:
    """Walls z = |y| tan 40° of 1600 triangles, along x."""
    x, y = np.linspace(-0.5, 4.5, 101), np.linspace(-0.4, 0.4, 9)
    X, Y = np.meshgrid(x, y, indexing="ij")
    vertices = np.stack([X, Y, np.abs(Y) * np.tan(WALL)], axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(X.shape)
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    return Mesh(vertices, np.vstack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def marble(mu: float) -> il.Model:
    m = il.Model("marble", gravity=(G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE)))
    ball = m.body("ball", on=m.ground, joint=il.free(), mass=1.0, inertia=(0.4 * RADIUS**2,) * 3)
    law = il.hard(friction=mu)
    m.contact(m.ground, valley(), ball, il.sphere(RADIUS), law=law, name="touch")
    return m


def rolling() -> tuple[float, float]:
    """Acceleration along the valley, and of the turning."""
    a = G * np.sin(SLOPE) / (1.0 + 0.4 / np.cos(WALL) ** 2)
    return a, a / (RADIUS * np.cos(WALL))


def sliding(mu: float) -> tuple[float, float]:
    push = G * np.cos(SLOPE) / (2.0 * np.cos(WALL))
    turning = 2.0 * mu * push * np.cos(WALL) * RADIUS / (0.4 * RADIUS**2)
    return G * np.sin(SLOPE) - 2.0 * mu * push, turning


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("mu", "expected"), [(0.2, rolling()), (0.05, sliding(0.05))], ids=["rolls", "slides"]
)
def test_a_sphere_in_a_valley_of_triangles(mu: float, expected: tuple[float, float]) -> None:
    # any bump at an edge between triangles shows at once
    plant = marble(mu).compile()
    start = {"ball_tz": RADIUS / np.cos(WALL) - 1e-9}
    result = plant.simulate(t_end=1.0, step=1e-3, q=start)
    assert result.status == "OK" and not result.doubts
    a, turning = expected
    assert result["ball_tx.q"][-1] == pytest.approx(0.5 * a, abs=1e-7)
    assert result["ball_tx.qd"][-1] == pytest.approx(a, abs=1e-7)
    assert result["ball_wy.qd"][-1] == pytest.approx(turning, rel=1e-6)
    assert np.abs(result["ball_ty.q"]).max() < 1e-7
    # what the walls carry together along the valley and across it
    assert result["touch.force_x"][-1] == pytest.approx(a - G * np.sin(SLOPE), rel=1e-6)
    assert result["touch.force_z"][-1] == pytest.approx(G * np.cos(SLOPE), rel=1e-6)
    assert result["touch.gap"][1:].max() < 0.0


def found_box(sides: tuple[float, float, float], law: tuple[float, float]) -> il.Model:
    """The box of `hard_models.box`, whose corners are found."""
    m = il.Model("found_box")
    square = np.array(sides) ** 2
    inertia = tuple(1.3 / 12.0 * (square.sum() - square))
    body = m.body("box", on=m.ground, joint=il.free(), mass=1.3, inertia=inertia)
    # the second shape may be named first
    m.contact(body, il.box(sides), m.ground, il.plane(), law=il.hard(*law), name="touch")
    return m


def test_a_box_that_tumbles_is_the_same_with_corners_that_are_found() -> None:
    sides, law = (0.3, 0.2, 0.12), (0.3, 0.4)
    start = {"q": {"box_tz": 0.3}, "qd": {"box_tx": 0.8, "box_wy": 3.0, "box_wx": 1.0}}
    runs = [
        # in the end it lies on four corners, whose shares depend on their order
        model.compile().simulate(t_end=0.38, step=5e-4, **start)
        for model in (box(sides, 1.3, law), found_box(sides, law))
    ]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-9)
    push = sum(runs[0][f"touch_{k}.normal"] for k in range(8))
    assert push.max() > 100.0
    assert runs[1]["touch.force"] == pytest.approx(push, abs=1e-5 * push.max())
    # told on the second body, which is the ground here
    assert np.isfinite(runs[1]["touch.point_x"]).all()


def wheel_model() -> il.Model:
    """A wheel on bumpy ground: contacts come and go."""
    m = il.Model("wheel")
    body = m.body("wheel", on=m.ground, joint=il.free(), mass=2.0, inertia=(0.01, 0.018, 0.01))
    ground = il.terrain(
        lambda x, y: 0.02 * np.sin(7.0 * x) * np.cos(5.0 * y), size=(6.0, 3.0), cell=0.15
    )
    wheel = il.torus(0.1, 0.04, axis="y")
    m.contact(m.ground, ground, body, wheel, law=il.hard(0.2, 0.6), name="road")
    return m


def test_a_run_with_contacts_that_come_and_go_repeats_to_the_bit() -> None:
    plant = wheel_model().compile()
    start = {"q": {"wheel_tz": 0.3, "wheel_tx": -2.0}, "qd": {"wheel_tx": 1.5, "wheel_wy": 9.0}}
    run = plant.simulate(t_end=1.0, step=1e-3, **start)
    touching = run["road.force"] > 0.0
    assert np.count_nonzero(np.diff(touching)) > 5 and run.status == "OK"
    stepper = plant.stepper(step=1e-3, **start)
    for _ in range(400):
        stepper.step()
    kept = stepper.snapshot()
    states = []
    names = [f"{c}.{of}" for c in plant.coordinates for of in ("q", "qd")]
    names += [f"road.{of}" for of in ("gap", "force", "point_x", "touch_1_normal_z")]
    for _ in range(2):
        stepper.restore(kept)
        for _ in range(600):
            stepper.step()
        states.append([stepper[name] for name in names])
    assert states[0] == states[1]
    assert states[0] == [run[name][-1] for name in names]


def test_energy_never_grows_on_rough_ground() -> None:
    plant = wheel_model().compile()
    start = {"q": {"wheel_tz": 0.3}, "qd": {"wheel_tx": 1.0, "wheel_wy": 14.0, "wheel_wz": 1.0}}
    run = plant.simulate(t_end=1.5, step=5e-4, **start)
    energy = run.energy.sum(axis=1)
    assert np.count_nonzero(run["road.force"]) > 100
    assert np.diff(energy).max() < 1e-8 * (energy[0] - energy[-1])


def test_boxes_stand_on_each_other() -> None:
    m = il.Model("tower")
    below: il.Body | None = None
    for k in range(3):
        body = m.body(f"box_{k}", on=m.ground, joint=il.free(), mass=1.0 + k, inertia=(0.01,) * 3)
        law, shape = il.hard(friction=0.5), il.box((0.2, 0.2, 0.1))
        if below is None:
            m.contact(m.ground, il.plane(), body, shape, law=law, name="on_0")
        else:
            m.contact(below, shape, body, shape, law=law, name=f"on_{k}")
        below = body
    start = {f"box_{k}_tz": 0.05 + 0.1 * k - 1e-9 * (k + 1) for k in range(3)}
    plant = m.compile()
    run = plant.simulate(t_end=0.2, step=1e-3, q=start)
    for k, mass in enumerate((6.0, 5.0, 3.0)):
        assert run[f"on_{k}.force"][2:] == pytest.approx(mass * G, rel=1e-6)
    assert np.abs(run.qd).max() < 1e-6
    # the one in the middle is pushed: touches wander, and all rest in the end
    run = plant.simulate(t_end=1.2, step=1e-3, q=start, qd={"box_1_tx": 1.7, "box_1_wz": 2.0})
    energy = run.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-7 and np.abs(run.qd[-1]).max() < 1e-6
    assert run["box_1_tx.q"][-1] > 0.02
    assert run["on_0.force"][-1] == pytest.approx(6.0 * G, rel=1e-6)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("stiffness", [None, 1e7])
def test_locked_wheels_do_not_creep_on_a_slope(stiffness: float | None) -> None:
    slope = np.radians(20.0)
    m = il.Model("locked", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    body = m.body(
        "trunk",
        on=m.ground,
        joint=il.free(position=(0.0, 0.0, 0.129 - 1e-9)),
        mass=64.6,
        com=(0.02, 0.01, 0.2),
        inertia=(2.0, 3.0, 4.0),
    )
    ground = il.terrain(lambda x, y: 0.0, size=(2.0, 2.0), cell=0.1)
    law = il.hard(friction=0.8, stiffness=stiffness)
    for k, (x, y) in enumerate((x, y) for x in (-0.4, 0.0, 0.4) for y in (-0.35, 0.35)):
        wheel = body.point(f"wheel_{k}", (x, y, 0.0))
        m.contact(m.ground, ground, wheel, il.sphere(0.129), law=law, name=f"road_{k}")
    run = m.compile().simulate(t_end=2.0, step=1e-3)
    held = run["trunk_tx.q"][run.t > 1.0 - 5e-4]
    assert abs(held[-1] - held[0]) < 1e-12
    pushed = sum(run[f"road_{k}.force_x"][-1] for k in range(6))
    assert pushed == pytest.approx(-64.6 * G * np.sin(slope), rel=1e-6)


def test_terrain_that_is_too_fine_is_told() -> None:
    m = il.Model("fine")
    body = m.body("ball", on=m.ground, joint=il.free(), mass=1.0, inertia=(1.0,) * 3)
    ground = il.terrain(lambda x, y: 0.0, size=(2.0, 2.0), cell=0.02)
    m.contact(m.ground, ground, body, il.sphere(0.5), law=il.hard(), name="touch")
    with pytest.raises(il.ModelError, match="the triangles of the terrain are too small"):
        m.build()


def test_what_is_too_fast_for_the_step_is_noted() -> None:
    """A ball of 5 cm and a plate of 2 cm: whether it is seen depends on where its steps end."""
    m = il.Model("bullet")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    plate, shape = il.box((2.0, 2.0, 0.02)), il.sphere(0.05)
    m.contact(m.ground, plate, ball, shape, law=il.hard(0.5, 0.0), name="plate")
    plant = m.compile()
    passed = 0
    for height in np.arange(1.0, 1.1, 0.01):
        for speed in (5.0, 100.0):
            result = plant.simulate(t_end=0.02, step=1e-3, q=[height], qd=[-speed])
            fast = [note for note in result.notes if "pass through each other unseen" in note]
            assert len(fast) == (speed > 5.0)
            passed += int(result.q[-1, 0] < 0.0)
    assert passed > 0
    slow = plant.simulate(t_end=0.02, step=1e-4, q=[1.0], qd=[-100.0])
    assert slow.qd[-1, 0] > 49.0 and not slow.notes
