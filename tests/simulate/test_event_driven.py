"""Hard contacts from event to event: printed digits of planar problems, closed forms, refusals.

The digits are those of an event-driven solution of its own: modes fixed between events, DOP853 at
1e-12, Moreau's impact law for all contacts that are closed. They are good to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hard_models import G, ball, block, box, stack, table
from scipy.integrate import solve_ivp
from test_hard_loops import bounced, slider_crank

import inloop as il
from inloop.errors import InputError, SimulationError
from inloop.gallery.slider_clearance import slider_clearance
from inloop.gallery.wall_pendulum.exhibit import HITS, LAST
from inloop.gallery.wall_pendulum.model import wall_pendulum

METHOD = "event_driven"
LEAN = np.radians(25.0)
STEEP = float(np.tan(LEAN))
EDGE = 0.2 + 0.1 * np.sin(np.pi / 6) + 0.05 * np.cos(np.pi / 6)
# model; q and qd by time [s]
PROBLEMS = {
    "ball": (
        lambda: ball(0.9, 0.2, (1.0, 2.0)),
        {1.0: ((1.076810171, 0.7109491443), (0.3168101711, -1.394050856)),
         2.0: ((1.16053239, 0.01368436229), (0.0, 3.187222181)),
         3.0: ((1.16053239, 0.4183517221), (0.0, -0.4875508926)),
         3.5: ((1.16053239, 0.3478282574), (0.0, 0.129153341))},
    ),
    "dropped on an edge": (
        lambda: block((0.2, 0.1), 1.0, (0.2, 0.3), (0.0, EDGE, np.pi / 6), (0.5, 0, 0)),
        {0.25: ((0.1479012109, 0.06307613969, -0.09220854264),
                (0.9763891219, -0.8645362603, -12.80997365)),
         0.3: ((0.1828522743, 0.05381480206, 0.03090304198),
               (0.6236601563, -0.1792730415, -2.750102484)),
         0.4: ((0.2262695393, 0.05, 0.0), (0.2755782432, 0.0, 0.0)),
         0.6: ((0.2391719124, 0.05, 0.0), (0.0, 0.0, 0.0))},
    ),
    "slides below the angle of friction": (
        lambda: block((0.3, 0.1), 2.0, (0.0, STEEP - 0.02), (0.0, 0.05, 0.0), incline=LEAN),
        {0.5: ((0.02222719848, 0.05, 0.0), (0.08890879391, 0.0, 0.0)),
         1.0: ((0.08890879391, 0.05, 0.0), (0.1778175878, 0.0, 0.0))},
    ),
    "stops above it": (
        lambda: block(
            (0.3, 0.1), 2.0, (0.0, STEEP + 0.02), (0.0, 0.05, 0.0), (0.02, 0, 0), incline=LEAN
        ),
        {0.5: ((0.001124748133, 0.05, 0.0), (0.0, 0.0, 0.0)),
         1.0: ((0.001124748133, 0.05, 0.0), (0.0, 0.0, 0.0))},
    ),
    "tips over and sticks": (
        lambda: block((0.1, 0.3), 2.0, (0.0, 0.6), (0.0, 0.15, 0.0), incline=LEAN),
        {0.2: ((0.018903109, 0.1550257507, -0.1237860418),
               (0.2203987826, 0.04421018372, -1.421691439)),
         0.4: ((0.1157882661, 0.1437772723, -0.7508824062),
               (0.8148788253, -0.3728646685, -5.667646991)),
         0.9: ((0.3190585344, 0.05, -np.pi / 2), (0.0, 0.0, 0.0))},
    ),
    "tips over and slides": (
        lambda: block((0.1, 0.3), 2.0, (0.0, 0.4), (0.0, 0.15, 0.0), incline=LEAN),
        {0.4: ((0.1157896979, 0.1437783617, -0.7508658479),
               (0.8156730191, -0.3722551662, -5.658587157)),
         0.9: ((0.5603781928, 0.05, -np.pi / 2), (0.9615376483, 0.0, 0.0))},
    ),
    "rocks": (
        lambda: block(
            (0.1, 0.4), 1.0, (0.0, 0.8), (0.0, 0.05 * np.sin(0.15) + 0.2 * np.cos(0.15), -0.15)
        ),
        {0.5: ((-0.05284727783, 0.2042991457, 0.1106870145),
               (0.02561626966, -0.003460880934, -0.1253860831)),
         1.0: ((-0.02657089952, 0.2009297815, -0.01934529341),
               (-0.1936208386, -0.04444411745, 0.9636243925)),
         2.0: ((-0.03242072709, 0.2004826128, 0.009846312937),
               (-0.1150622766, 0.0275647384, 0.5739264618))},
    ),
}  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", PROBLEMS)
def test_printed_digits(name: str) -> None:
    make, known = PROBLEMS[name]
    step = 1e-2
    result = make().compile().simulate(t_end=max(known), step=step, method=METHOD)
    assert result.method == METHOD and result.status == "OK" and not result.doubts
    for t, (q, qd) in known.items():
        k = round(t / step)
        # ten digits are printed
        assert result.q[k] == pytest.approx(q, abs=1e-9), t
        assert result.qd[k] == pytest.approx(qd, rel=1e-9, abs=2e-9), t
    assert np.diff(result.energy.sum(axis=1)).max() < 1e-11


def test_a_slider_with_clearance_rattles_as_published() -> None:
    """Flores, Leine & Glocker 2010; its slider rattles between corners that are ever closer."""
    start = {"q": np.zeros(3), "qd": np.array([150.0, -225.0, 74.99])}
    result = slider_clearance().compile().simulate(t_end=0.02, step=1e-3, method=METHOD, **start)
    known = {
        5: ((0.5761741006, -0.2725494213, 0.0002799680183),
            (85.70281819, -36.59425277, -4.221615241)),
        10: ((0.9479048324, -0.4146061981, 0.0), (67.46871101, -21.50190046, 0.0)),
        20: ((1.613208419, -0.5199068535, 0.0), (71.67350101, 1.378111903, 0.0)),
    }  # fmt: skip
    for k, (q, qd) in known.items():
        assert np.cumsum(result.q[k]) == pytest.approx(q, abs=1e-8)
        assert np.cumsum(result.qd[k]) == pytest.approx(qd, rel=1e-8, abs=1e-8)


def test_impulses_of_impacts_are_told() -> None:
    result = ball(0.9, 0.2, (1.0, 2.0)).compile().simulate(t_end=0.6, step=0.1, method=METHOD)
    # the first impact is in the fifth step
    assert result["floor.hit"].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert 0.1 * result["floor.normal"][5] == pytest.approx(8.415949144, rel=1e-9)
    assert 0.1 * result["floor.tangent_1"][5] == pytest.approx(-1.683189829, rel=1e-9)


def test_a_ball_comes_to_rest_after_any_number_of_impacts() -> None:
    e = 0.7
    result = ball(e, 0.0, (1.0, 0.0)).compile().simulate(t_end=3.0, step=0.1, method=METHOD)
    rest = np.sqrt(2.0 / G) * (1 + e) / (1 - e)  # 2.5586 s
    assert result.t[np.flatnonzero(result["floor.hit"])[-1]] == pytest.approx(rest, abs=0.1)
    assert abs(result.q[-1, 1]) < 1e-12 and abs(result.qd[-1, 1]) < 1e-12
    assert result["floor.normal"][-1] == pytest.approx(G, rel=1e-9)
    # all that falls is carried: the mean force of the run is the weight
    assert result["floor.normal"][1:].mean() == pytest.approx(G, rel=1e-7)


def test_a_box_in_space_does_what_the_block_in_the_plane_does() -> None:
    # 30° about -y
    q = [0.0, 0.0, EDGE, 0.0, 0.0, 0.0, np.cos(np.pi / 12), 0.0, -np.sin(np.pi / 12), 0.0]
    result = (
        box((0.2, 0.3, 0.1), 1.0, (0.2, 0.3))
        .compile()
        .simulate(t_end=0.6, step=1e-2, method=METHOD, q=q, qd=[0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    )
    assert not result.doubts
    assert result.q[30, [0, 2]] == pytest.approx([0.1828522743, 0.05381480206], abs=1e-8)
    assert result.q[-1, :3] == pytest.approx([0.2391719124, 0.0, 0.05], abs=1e-8)
    assert np.abs(result.qd[-1]).max() < 1e-10


def test_a_box_is_pulled_away_below_a_stack() -> None:
    plant = stack((1.0,) * 5, (0.3, 0.2, 0.5, 0.5, 0.5), 1.0).compile()
    result = plant.simulate(t_end=0.3, step=1e-2, method=METHOD)
    # the lowest one is braked by 2.3 g, the others driven by 0.2 g until they are as fast
    assert result["x_0.q"][-1] == pytest.approx(0.02248434542, abs=1e-10)
    for k in range(1, 5):
        assert result[f"x_{k}.q"][-1] == pytest.approx(0.00326197757, abs=1e-10)


@pytest.mark.parametrize("seeds", [(0, 2, 21, 31), pytest.param(range(60), marks=pytest.mark.long)])
def test_a_cube_that_tumbles_loses_energy_and_comes_to_rest(seeds: Iterable[int]) -> None:
    cube = box((0.2, 0.2, 0.2), 1.0, (0.5, 0.3)).compile()
    for seed in seeds:
        random = np.random.default_rng(seed)
        turned = random.normal(size=4)
        q = cube.vector(box_tz=0.4, box=turned / np.linalg.norm(turned))
        speeds = random.normal(size=6) * [1, 1, 1, 6, 6, 6]
        qd = dict(zip(cube.coordinates, speeds, strict=True))
        result = cube.simulate(t_end=2.5, step=1e-2, q=q, qd=qd, method=METHOD)
        energy = result.energy.sum(axis=1)
        assert np.diff(energy).max() < 1e-12 and not result.doubts
        # it rests on a face
        assert np.abs(result.qd[-1]).max() < 1e-12
        assert energy[-1] == pytest.approx(0.1 * G, abs=1e-12)
        assert min(result[f"touch_{k}.gap"].min() for k in range(8)) > -1e-11


def incline_in_space(mu: float, slope: float, qd: tuple[float, float]) -> il.Model:
    """A particle on a plane that is inclined along x."""
    m = il.Model("particle", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, qd[0])))
    y = m.body("y", on=x, joint=il.prismatic("y", initial=(0.0, qd[1])))
    z = m.body("z", on=y, joint=il.prismatic("z"), mass=0.7)
    m.contact(m.ground, il.plane(), z, il.sphere(1e-3), law=il.hard(0.0, mu), name="floor")
    return m


def test_slip_turns_round_in_space_and_comes_to_rest() -> None:
    mu, slope = 0.5, 0.35
    m = incline_in_space(mu, slope, (-0.8, 1.1))
    z = 1e-3
    result = m.compile().simulate(t_end=0.5, step=1e-2, method=METHOD, q=[0.0, 0.0, z])

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        v = y[2:]
        a = -mu * G * np.cos(slope) * v / np.linalg.norm(v) + [G * np.sin(slope), 0.0]
        return np.concatenate([v, a])

    exact = solve_ivp(rates, (0, 0.3), [0, 0, -0.8, 1.1], "DOP853", rtol=1e-12, atol=1e-13)
    assert np.linalg.norm(exact.y[2:, -1]) > 0.05  # it slips still
    assert result.q[30, :2] == pytest.approx(exact.y[:2, -1], abs=1e-9)
    assert result.qd[30, :2] == pytest.approx(exact.y[2:, -1], abs=1e-9)
    # friction is more than the slope needs: it stands, and is held by just as much
    assert np.abs(result.qd[-1]).max() < 1e-12
    assert result["floor.friction"][-1] == pytest.approx(0.7 * G * np.sin(slope), rel=1e-9)


def test_a_sphere_slips_and_then_rolls() -> None:
    mu, radius, speed = 0.2, 0.1, 2.0
    m = il.Model("sphere")
    inertia = (0.4 * 1.5 * radius**2,) * 3
    body = m.body("ball", on=m.ground, joint=il.free(), mass=1.5, inertia=inertia)
    m.contact(m.ground, il.plane(), body, il.sphere(radius), law=il.hard(0.0, mu), name="floor")
    q, qd = np.zeros(10), np.zeros(6)
    q[[2, 6]], qd[:2] = (radius, 1.0), (speed * 0.6, speed * 0.8)
    result = m.compile().simulate(t_end=1.0, step=1e-2, method=METHOD, q=q, qd=qd)
    rolls = 2.0 * speed / (7.0 * mu * G)
    way = speed * rolls - 0.5 * mu * G * rolls**2 + 5.0 / 7.0 * speed * (1.0 - rolls)
    assert result.q[-1, :2] == pytest.approx([0.6 * way, 0.8 * way], abs=1e-9)
    assert result.qd[-1, :2] == pytest.approx([6.0 / 7.0, 8.0 / 7.0], abs=1e-9)
    assert result["floor.friction"][-1] < 1e-6


def test_four_feet_carry_and_slide_as_one() -> None:
    slope = 0.3
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    q = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    held = (
        table(il.hard(0.0, 0.35), gravity)
        .compile()
        .simulate(t_end=0.2, step=1e-2, method=METHOD, q=q)
    )
    normal = sum(held[f"touch_{k}.normal"][-1] for k in range(4))
    assert np.abs(held.qd[-1]).max() < 1e-12
    assert normal == pytest.approx(2.0 * G * np.cos(slope), rel=1e-9)


def test_a_slider_crank_hits_a_stop() -> None:
    m = slider_crank()
    m.hard_stop("slider", 0.7, limits=(-np.inf, 0.66), name="stop")
    exact, impacts = bounced(0.66, 0.7, 1.2)
    result = m.compile().simulate(t_end=1.2, step=1e-2, method=METHOD)
    assert impacts >= 2 and result["stop_high.hit"].sum() == impacts
    assert [result["crank.q"][-1], result["crank.qd"][-1]] == pytest.approx(exact, abs=2e-6)


def test_a_double_pendulum_at_a_wall() -> None:
    result = wall_pendulum().compile().simulate(t_end=4.0, step=1e-2, method=METHOD)
    # Lagrange's equations of two point masses, DOP853 at 1e-12, impacts at roots
    for name, known in HITS.items():
        hits = np.flatnonzero(result[f"{name}_wall.hit"])
        assert hits.tolist() == [int(np.ceil(t / 1e-2)) for t in known]
    assert np.cumsum(result.q[-1]) == pytest.approx(LAST, abs=3e-10)


def test_order_and_step_do_not_matter() -> None:
    def end(order: tuple[int, ...], step: float) -> np.ndarray:
        m = block((0.2, 0.1), 1.0, (0.2, 0.3), (0.0, EDGE, np.pi / 6), (0.5, 0.0, 0.0), order=order)
        result = m.compile().simulate(t_end=0.6, step=step, method=METHOD)
        return np.concatenate([result.q[-1], result.qd[-1]])

    first = end((0, 1, 2, 3), 1e-2)
    assert end((3, 1, 0, 2), 1e-2) == pytest.approx(first, abs=1e-10)
    assert end((0, 1, 2, 3), 7e-4) == pytest.approx(first, abs=1e-9)


def test_a_stepper_gives_the_same_bits() -> None:
    plant = PROBLEMS["tips over and slides"][0]().compile()
    result = plant.simulate(t_end=0.6, step=1e-2, method=METHOD)
    stepper, names = plant.stepper(step=1e-2, method=METHOD), plant.coordinates
    rows = []
    for k in range(60):
        if k == 45:
            # it stands on one corner that slips
            kept = stepper.snapshot()
            for _ in range(10):
                stepper.step()
            stepper.restore(kept)
        stepper.step()
        rows.append([stepper[f"{name}.{kind}"] for kind in ("q", "qd") for name in names])
    assert np.array_equal(np.array(rows), np.hstack([result.q, result.qd])[1:])
    many = plant.simulate_many(t_end=0.6, step=1e-2, runs=2, method=METHOD)
    assert np.array_equal(many.q[1, -1], result.q[-1])


def test_painleve_is_refused_with_a_word() -> None:
    def rod(mu: float) -> il.Plant:
        half, lean = 0.5, float(np.arctan(2.0))
        m = il.Model("rod")
        x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, -1.0)))
        z = m.body("z", on=x, joint=il.prismatic("z", initial=(half * np.sin(lean), 0.0)))
        turn = il.revolute((0.0, -1.0, 0.0), initial=(lean, 0.0))
        body = m.body("rod", on=z, joint=turn, mass=1.0, inertia=(1.0 / 12.0,) * 3)
        tip = body.point("tip", (-half, 0.0, 0.0))
        m.contact(m.ground, il.plane(), tip, il.point(), law=il.hard(0.0, mu), name="tip")
        return m.compile()

    # a unit of normal force at the tip that slides draws it into the ground if mu > 4/3
    with pytest.raises(SimulationError, match="no finite forces keep closed \\(Painlevé\\)"):
        rod(1.35).simulate(t_end=0.01, step=1e-3, method=METHOD)
    force = rod(1.3).simulate(t_end=1e-6, step=1e-6, method=METHOD)["tip.normal"][-1]
    # (1 + 3 c (c - mu s)) f = g, as the rod does not turn yet
    c, s = np.sqrt([0.2, 0.8])
    assert force == pytest.approx(G / (1.0 + 3.0 * c * (c - 1.3 * s)), rel=1e-3)


def test_what_it_cannot_do_is_refused_by_name() -> None:
    def run(m: il.Model) -> None:
        m.compile().simulate(t_end=0.01, step=1e-3, method=METHOD)

    with pytest.raises(InputError, match="contact 'touch_0' is compliant"):
        run(table(il.hard(0.0, 0.5, stiffness=1e7)))
    free = il.Model("pendulum")
    free.body("arm", on=free.ground, joint=il.revolute("y"), mass=1.0, com=(1.0, 0.0, 0.0))
    with pytest.raises(InputError, match="no hard contacts"):
        run(free)
    with pytest.raises(InputError, match="may take any number of events"):
        il.run(ball(0.9, 0.2, (1.0, 2.0)).compile(), rate=1000, method=METHOD)
