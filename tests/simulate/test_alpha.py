"""Bodies with six coordinates each, moved by the generalized-alpha method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il
from inloop import gallery
from inloop.gallery.four_bar import four_bar

# IFToMM A02, regular branch, integrated independently: x, y of B0 of two loops after 10 s
TIP = np.array([0.328458111540815, 0.944518538178601])


def arm() -> il.Model:
    """Two links in space, with a law that has a state, a spring, and an input."""
    m = il.Model("arm", gravity=(0.0, 0.0, -9.81))
    mass = m.parameter("mass", 0.7, unit="kg")
    upper = m.body(
        "upper",
        on=m.ground,
        joint=il.revolute("y", initial=(0.7, 0.3)),
        mass=1.3,
        com=(0.0, 0.03, -0.4),
        inertia=(0.02, 0.03, 0.025),
    )
    lower = m.body(
        "lower",
        on=upper.point("elbow", (0.1, 0.0, -0.8)),
        joint=il.revolute((0.3, 0.8, 0.1), initial=(0.4, -1.3)),
        mass=mass,
        com=(0.05, 0.02, -0.3),
        inertia=(0.02, 0.013, 0.017),
    )
    # a spring and a damper in a row, pressed by the force that the joint transmits
    m.joint_force(
        "upper",
        lambda q, qd, radial, pull: (
            -pull,
            {"pull": 30.0 * qd - 8.0 * pull + 0.01 * radial},
        ),
        states={"pull": 0.2},
    )
    m.spring(lower.point("tip", (0.0, 0.0, -0.5)), m.ground.point("wall", (0.6, 0.5, 0.1)),
             stiffness=25.0, damping=0.3, free_length=0.4)  # fmt: skip
    m.joint_input("lower")
    return m


@pytest.fixture(scope="module")
def bodies() -> il.Plant:
    return arm().compile(formulation="redundant")


@pytest.fixture(scope="module")
def linkage() -> il.Plant:
    return four_bar(2).compile(formulation="redundant")


def end_of(plant: il.Plant, step: float) -> np.ndarray:
    last = plant.simulate(t_end=1.0, step=step, sample=1.0, inputs={"lower.tau": 0.4})
    assert last.method == "alpha"
    return np.concatenate([last.q[-1], last.qd[-1]])


def test_order_two_and_the_motion_of_the_reduced_equations(bodies: il.Plant) -> None:
    reference = (
        arm()
        .compile()
        .simulate(t_end=1.0, step=1.0, tolerance=1e-11, method="dopri", inputs={"lower.tau": 0.4})
    )
    expected = np.concatenate([reference.q[-1], reference.qd[-1]])
    far, near = end_of(bodies, 1e-4), end_of(bodies, 5e-5)
    ratio = np.linalg.norm(far - expected) / np.linalg.norm(near - expected)
    assert 3.8 < ratio < 4.2
    assert np.abs((4.0 * near - far) / 3.0 - expected).max() < 1e-8


def test_steps_chosen_by_a_tolerance(linkage: il.Plant, bodies: il.Plant) -> None:
    """A second-order method: a thousandth of the error per step is a hundredth of the error."""
    gripped = {"inputs": {"lower.tau": 0.4}}
    for plant, model, given in ((linkage, four_bar(2), {}), (bodies, arm(), gripped)):
        expected = model.compile().simulate(t_end=1.0, step=0.1, tolerance=1e-11, **given)
        errors = []
        for tolerance in (1e-5, 1e-8):
            found = plant.simulate(
                t_end=1.0, step=0.1, tolerance=tolerance, method="alpha", **given
            )
            # states within steps, not at their ends
            np.testing.assert_allclose(found.t, expected.t, atol=1e-12)
            errors.append(np.abs(found.q - expected.q).max())
            if found.violation is not None:
                assert found.violation.max() < 1e-9
        assert errors[1] < 1e-4
        assert 50.0 < errors[0] / errors[1] < 200.0


def test_steps_are_short_where_much_happens() -> None:
    """A pendulum swings onto a stiff spring: equal steps as many as these are less exact."""
    m = il.Model("bumper", gravity=(0.0, 0.0, -9.81))
    m.body("bob", on=m.ground, joint=il.revolute("y", initial=(1.2, 0.0)), mass=1.0,
           com=(0.0, 0.0, -0.5), inertia=(0.01, 0.01, 0.01))  # fmt: skip
    m.joint_force("bob", lambda q, qd: 1e6 * (il.sqrt(q * q + 1e-8) - q))
    reduced, plant = m.compile(), m.compile(formulation="redundant")
    expected = reduced.simulate(t_end=1.5, step=1.5, tolerance=1e-11, method="rodas").q[-1]
    chosen = plant.simulate(t_end=1.5, step=1.5, tolerance=1e-6, method="alpha")
    steps = chosen.end.steps
    even = plant.simulate(t_end=1.5, step=1.5 / steps, sample=1.5)
    assert abs(chosen.q[-1] - expected).max() < 3e-4
    assert abs(even.q[-1] - expected).max() > 0.1
    # the accelerations alone, by a method of fourth order
    other = plant.simulate(t_end=1.5, step=1.5, tolerance=1e-9, method="rodas")
    assert abs(other.q[-1] - expected).max() < 1e-6
    assert any("redundant formulation have no generated Jacobian" in note for note in other.notes)


def test_a_flexible_link_without_a_body() -> None:
    """A clamped beam falls and swings: its nodes are all that moves. First frequency by hand."""
    m = il.Model("clamped", gravity=(0.0, 0.0, -9.81))
    m.flexible_link("rod", on=m.ground, length=1.5, mass_per_length=0.788, EI=191.667, elements=4,
                    stiffening=False)  # fmt: skip
    plant = m.compile(formulation="redundant")
    assert plant.formulation.code.about.layout.bodies == 0
    frequency = 1.8751040687**2 * np.sqrt(191.667 / (0.788 * 1.5**4))  # [rad/s]
    period = 2.0 * np.pi / frequency
    found = plant.simulate(t_end=3.0 * period, step=period / 1000.0)
    tip = np.abs(found["rod_4_w.q"])
    # twice the deflection at rest, and back to it: higher modes take some percent
    assert abs(tip.max() / (0.788 * 9.81 * 1.5**4 / (8.0 * 191.667)) - 2.0) < 0.05
    assert tip[1000::1000].max() < 0.03 * tip.max()


@pytest.mark.long
def test_flexible_links_in_a_loop_move_as_in_the_reduced_equations() -> None:
    model = gallery.get("flexible_four_bar").build(elements=6)
    plant, reduced = model.compile(formulation="redundant"), model.compile()
    expected = reduced.simulate(t_end=0.05, step=2e-6, sample=0.05, method="implicit")
    far, near = (plant.simulate(t_end=0.05, step=h, sample=0.05) for h in (2e-5, 1e-5))
    found = (4.0 * near.q[-1] - far.q[-1]) / 3.0
    assert np.abs(expected.q[-1] - expected.q[0]).max() > 0.02
    assert np.abs((found - expected.q[-1]) / plant.coordinate_sizes).max() < 1e-8
    assert near.violation.max() < 1e-9


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "step", "t_end"), [("heavy_top", 25e-6, 1.0), ("andrews", 5e-6, 0.03)]
)
def test_what_is_fast_agrees_with_short_steps(name: str, step: float, t_end: float) -> None:
    """The wheel of the top turns at 150 rad/s: what Newton's method leaves must not add up."""
    model = gallery.get(name).build()
    plant, reduced = model.compile(formulation="redundant"), model.compile()
    expected = reduced.simulate(t_end=t_end, step=t_end, tolerance=1e-13, method="dopri").q[-1]
    far, near = (plant.simulate(t_end=t_end, step=h, sample=t_end).q[-1] for h in (step, step / 2))
    assert np.abs((4.0 * near - far) / 3.0 - expected).max() < 1e-8


def test_a_spinning_body_precesses() -> None:
    """No moment, two equal moments of inertia: om turns about the axis at (J3 - J1) om3 / J1."""
    m = il.Model("stone", gravity=(0.0, 0.0, 0.0))
    m.body("stone", on=m.ground, joint=il.ball(), mass=1.0, inertia=(0.2, 0.2, 0.33))
    plant = m.compile(formulation="redundant")
    first, t_end = (0.9, 0.0, 7.0), 2.0
    found = []
    for step in (2e-3, 1e-3):
        last = plant.simulate(t_end=t_end, step=step, qd={"stone": first}, sample=t_end)
        angle = (0.33 - 0.2) * first[2] / 0.2 * t_end
        expected = (first[0] * np.cos(angle), first[0] * np.sin(angle), first[2])
        found.append(np.abs(last.qd[-1] - expected).max())
        # the attitude: angular momentum stays where it was in the world
        R = plant.pose("stone", last.q[-1])[1]
        J = np.diag((0.2, 0.2, 0.33))
        assert np.abs(R @ J @ last.qd[-1] - J @ first).max() < 2e-4
    assert found[1] < 2e-5
    assert 3.7 < found[0] / found[1] < 4.3


def test_singular_positions_are_passed_without_drift(linkage: il.Plant) -> None:
    """Eight passages in 10 s, all links flat, with steps of 10 and of 1 ms."""
    errors = []
    for step in (1e-2, 1e-3):
        result = linkage.simulate(t_end=10.0, step=step, sample=0.1)
        errors.append(np.abs(linkage.position("bar_0.B", result.q[-1])[:2] - TIP).max())
        assert result.violation is not None
        assert result.violation.max() < 1e-9
        assert not result.notes
    assert errors[1] < 1e-4
    assert 80.0 < errors[0] / errors[1] < 130.0


@pytest.mark.long
def test_forty_loops_pass_the_flat_position() -> None:
    """All bars stay parallel, so that one pendulum of their masses is the reference."""
    loops = 40
    plant = four_bar(loops).compile(formulation="redundant")
    # bars turn about their ends, couplers are carried along their circle
    stretch = 9.81 * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    exact = solve_ivp(
        lambda t, y: [y[1], stretch * np.sin(y[0])], (0.0, 10.0), [0.0, -1.0], "DOP853",
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    errors = []
    for step in (1e-2, 1e-3):
        result = plant.simulate(t_end=10.0, step=step, sample=0.05)
        bars = np.stack([result[f"bar_{k}.q"] for k in range(loops + 1)], axis=1)
        assert np.count_nonzero(np.diff(np.sign(np.cos(bars[:, 0])))) == 10
        assert np.abs(bars - bars[:, :1]).max() < 1e-9
        assert result.violation is not None
        assert result.violation.max() < 1e-9
        errors.append(abs(result["bar_0.q"][-1] - exact.y[0, -1]))
    assert errors[1] < 1e-4
    assert 80.0 < errors[0] / errors[1] < 130.0


def test_a_fixed_number_of_solves() -> None:
    """Every step solves twice, and torques that jump leave nothing of it behind."""
    torques = 0.4 + 0.5 * np.random.default_rng(3).standard_normal(300)
    ends = {}
    for solves in (2, 6):
        stepper = arm().compile(formulation="redundant", solves=solves).stepper(step=1e-3)
        for torque in torques:
            stepper.step(**{"lower.tau": float(torque)})
            assert stepper.newton is not None
            assert stepper.newton.iterations == solves
        ends[solves] = np.array([stepper["upper.q"], stepper["lower.q"]])
    assert np.abs(ends[2] - ends[6]).max() < 1e-8


def test_a_stepper_gives_the_bits_of_a_run_and_goes_back(linkage: il.Plant) -> None:
    expected = linkage.simulate(t_end=0.1, step=1e-3)
    stepper = linkage.stepper(step=1e-3)
    for _ in range(50):
        stepper.step()
    taken = stepper.snapshot()
    for again in range(2):
        for _ in range(50):
            stepper.step()
        np.testing.assert_array_equal(stepper.look().q[-1], expected.q[-1], err_msg=str(again))
        stepper.restore(taken)
    assert stepper.newton is not None
    assert 1 <= stepper.newton.iterations <= 3
    assert stepper.newton.correction < 1e-9


def test_runs_go_on_with_their_method_in_their_formulation(bodies: il.Plant) -> None:
    half = bodies.simulate(t_end=0.1, step=0.1, tolerance=1e-6, method="alpha")
    rest = bodies.simulate(t_end=0.2, step=0.1, start=half)
    assert (rest.method, rest.tolerance) == ("alpha", 1e-6)
    assert half.end is not None and rest.t[0] == pytest.approx(0.1)
    other = replace(half, end=replace(half.end, formulation="reduced"))
    with pytest.raises(il.InputError, match="start is a run of formulation='reduced'"):
        bodies.simulate(t_end=0.2, step=0.1, start=other)


def test_parameters_change_between_steps(bodies: il.Plant) -> None:
    """As in the reduced formulation; a lighter arm is elsewhere."""
    ends = []
    for plant, mass in ((bodies, 2.0), (arm().compile(), 2.0), (bodies, 0.7)):
        stepper = plant.stepper(step=1e-3)
        for k in range(200):
            if k == 100:
                stepper.parameters["mass"] = mass
            stepper.step()
        ends.append(stepper.look().q[-1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-4
    assert np.abs(ends[0] - ends[2]).max() > 1e-2


def test_drives_and_efforts() -> None:
    """A cart that is led and carries a pendulum: what its drive gives is m a, by hand."""
    m = il.Model("cart", gravity=(0.0, 0.0, -9.81))
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.body("bob", on=cart, joint=il.revolute("y", initial=0.5), mass=0.5, com=(0.0, 0.0, -0.7))
    m.drive("cart", lambda t: 0.2 * il.sin(3.0 * t))
    plant, reduced = m.compile(formulation="redundant"), m.compile()
    found = plant.simulate(t_end=1.0, step=5e-4, sample=0.1)
    expected = reduced.simulate(t_end=1.0, step=0.1, tolerance=1e-10)
    assert np.abs(found["cart.effort"] - expected["cart.effort"]).max() < 1e-4
    assert np.abs(found["bob.q"] - expected["bob.q"]).max() < 1e-5
    # the drive gives what the sum of all masses needs
    x_bob = 0.5 * (found["cart.qdd"] - 0.7 * (
        found["bob.qdd"] * np.cos(found["bob.q"])
        - found["bob.qd"] ** 2 * np.sin(found["bob.q"])
    ))  # fmt: skip
    assert np.abs(found["cart.effort"] - 2.0 * found["cart.qdd"] - x_bob).max() < 1e-9
    # the drive of a stepper reads the same clock
    stepper = plant.stepper(step=5e-4)
    for _ in range(200):
        stepper.step()
    np.testing.assert_array_equal(stepper.look().qd[-1], found.qd[1])


@pytest.fixture(scope="module")
def ball() -> il.Plant:
    """A ball that falls onto a stiff contact."""
    m = il.Model("drop", gravity=(0.0, 0.0, -9.81))
    m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.2, -30.0)), mass=0.1)
    m.joint_force("ball", lambda q, qd: il.where(q < 0.0, 1e7 * abs(q) ** 1.5, 0.0))
    return m.compile(formulation="redundant")


def test_a_contact_gives_back_the_velocity(ball: il.Plant) -> None:
    up = ball.simulate(t_end=0.02, step=2e-5, sample=0.02)["ball.qd"][-1]
    # up again with the velocity it came with, but for gravity since it was there
    there = np.sqrt(30.0**2 + 2.0 * 9.81 * 0.2)
    came = (there - 30.0) / 9.81
    assert abs(up - (there - 9.81 * (0.02 - came))) < 2e-2


def test_what_steps_do_not_resolve_is_told(ball: il.Plant) -> None:
    """A tenth of a contact per step: the ball would come up too fast, and the run says so."""
    rough = ball.simulate(t_end=0.02, step=1e-3)
    assert any("are not resolved by steps of 0.001 s" in doubt for doubt in rough.doubts)


@pytest.mark.parametrize("damping", [0.2, 0.6])
def test_fast_vibrations_fade_by_the_damping_that_was_asked_for(damping: float) -> None:
    """A spring of 6e4 oscillations per step: all three roots of the method are -ρ there."""
    m = il.Model("string", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("z", initial=1e-6), mass=1.0)
    m.joint_force("mass", lambda q, qd: -1.6e15 * q)
    plant = m.compile(formulation="redundant", damping=damping)
    q = plant.simulate(t_end=0.12, step=1e-2)["mass.q"]
    rho = 1.0 - damping
    left = q[3:] + 3.0 * rho * q[2:-1] + 3.0 * rho**2 * q[1:-2] + rho**3 * q[:-3]
    assert np.abs(left / q[3:]).max() < 1e-5


def test_damping_that_makes_no_sense() -> None:
    model = arm()
    with pytest.raises(il.InputError, match="from 0 to 1"):
        model.compile(formulation="redundant", damping=1.5)
    with pytest.raises(il.InputError, match="formulation='redundant'"):
        model.compile(damping=0.1)


def test_numbers_of_solves_that_make_no_sense() -> None:
    model = arm()
    for solves in (0, 11):
        with pytest.raises(il.InputError, match="Use 1 to 10"):
            model.compile(formulation="redundant", solves=solves)
    with pytest.raises(il.InputError, match="formulation='redundant'"):
        model.compile(solves=2)


def test_methods_that_do_not_fit_are_refused(linkage: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"'rk4' would let the constraints .* drift"):
        linkage.simulate(t_end=0.1, method="rk4")
    with pytest.raises(il.InputError, match="formulation='redundant'"):
        arm().compile().simulate(t_end=0.1, method="alpha")
