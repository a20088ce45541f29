"""Sensors of a plant against closed forms, differences of positions and other functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il

G = 9.81


def vector(result: il.Result, stem: str) -> np.ndarray:
    return np.column_stack([result[f"{stem}.{axis}"] for axis in "xyz"])


def pendulum(bob: float = 0.8, imu_at: float = 0.5) -> il.Model:
    """A point mass on a string of length `bob`, with an IMU on it."""
    m = il.Model("pendulum")
    arm = m.body(
        "arm", on=m.ground, joint=il.revolute("y", initial=(0.4, 1.1)), mass=0.7, com=(0, 0, -bob)
    )
    m.sensor("imu", il.sensors.imu(arm.frame("imu", (0.0, 0.0, -imu_at))))
    m.sensor("angle", il.sensors.encoder(arm))
    return m


@pytest.mark.parametrize("tilt", [(0.0, 0.0, 0.0), (0.3, -0.7, 1.2), (2.9, 0.1, -0.4)])
def test_an_imu_at_rest_reads_gravity_upwards(tilt: tuple[float, float, float]) -> None:
    m = il.Model("wheel")
    wheel = m.body("wheel", on=m.ground, joint=il.revolute("x", initial=(0.9, 0.0)), mass=1.0,
                   inertia=(1.0, 1.0, 1.0))  # fmt: skip
    m.sensor("moving", il.sensors.imu(wheel.frame("f", (0.2, 0.3, 0.4), rotation=il.rpy(*tilt))))
    m.sensor("fixed", il.sensors.imu(m.ground.frame("f", rotation=il.rpy(*tilt))))
    result = m.compile().simulate(t_end=0.01, step=1e-3)
    on_ground = Rotation.from_euler("xyz", tilt)
    on_wheel = Rotation.from_euler("x", 0.9) * on_ground
    for name, R_WF in (("fixed", on_ground), ("moving", on_wheel)):
        up = R_WF.inv().apply([0.0, 0.0, G])
        assert vector(result, f"{name}.accel")[-1] == pytest.approx(up, abs=1e-12)
        assert vector(result, f"{name}.gyro")[-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("r", [0.0, 0.5, 0.8, 1.3])
def test_the_imu_of_a_pendulum(r: float) -> None:
    """Along the path the weight and its acceleration cancel at the bob; along the string ω² r."""
    bob = 0.8
    result = pendulum(bob, r).compile().simulate(t_end=2.0, tolerance=1e-11)
    q, omega = result["arm.q"], result["arm.qd"]
    across = G * np.sin(q) * (r / bob - 1.0)
    along = omega**2 * r + G * np.cos(q)
    accel = vector(result, "imu.accel")
    assert accel == pytest.approx(np.column_stack([across, 0 * q, along]), abs=1e-9)
    # energy: ω² = ω₀² + 2 g/l (cos q - cos q₀)
    squared = 1.1**2 + 2 * G / bob * (np.cos(q) - math.cos(0.4))
    assert accel[:, 2] == pytest.approx(squared * r + G * np.cos(q), abs=1e-7)
    assert vector(result, "imu.gyro")[:, 1] == pytest.approx(omega, abs=1e-15)
    np.testing.assert_array_equal(result["angle"], q)


def crank_rocker(driven: bool = False) -> il.Model:
    """A four-bar that turns all around, with sensors on its coupler."""
    m = il.Model("crank_rocker", gravity=(0.0, -G, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(0.3, 4.0)), mass=0.5,
                   com=(0.1, 0, 0), inertia=(0.0, 0.02, 0.02))  # fmt: skip
    coupler = m.body("coupler", on=crank.point("A", (0.3, 0, 0)),
                     joint=il.revolute("z", guess=0.5), mass=0.8, com=(0.5, 0.1, 0),
                     inertia=(0.0, 0.1, 0.1))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("D", (0.9, 0, 0)),
                    joint=il.revolute("z", guess=1.5), mass=0.6, com=(0.4, 0, 0),
                    inertia=(0.0, 0.04, 0.04))  # fmt: skip
    m.close(coupler.point("B", (1.0, 0, 0)), rocker.point("C", (0.8, 0, 0)), name="pin")
    if driven:
        m.drive("crank", lambda t: 0.3 + 4.0 * t)
    else:
        m.independent("crank")
    m.joint_force(rocker, lambda qd: -0.3 * qd)
    frame = coupler.frame("imu", (0.4, 0.15, 0.05), rotation=il.rpy(0.5, -0.3, 0.8))
    m.sensor("imu", il.sensors.imu(frame))
    m.sensor("p", il.sensors.position(frame))
    m.sensor("v", il.sensors.velocity(frame))
    m.sensor("a", il.sensors.acceleration(frame))
    m.sensor("turned", il.sensors.orientation(frame))
    for joint in ("crank", "coupler", "rocker"):
        m.sensor(f"{joint}_torque", il.sensors.joint_torque(joint))
    m.sensor("span", il.sensors.distance(frame, "ground.D"))
    m.sensor("seen_from_rocker", il.sensors.position(frame, relative_to=rocker))
    return m


def derivative(values: np.ndarray, h: float) -> np.ndarray:
    """Central differences of fourth order; two samples are lost at each end."""
    return (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * h)


def test_the_imu_of_a_coupler_in_a_closed_loop() -> None:
    plant, h = crank_rocker().compile(), 1e-3
    result = plant.simulate(t_end=2.0, step=h / 2, sample=h, method="rk4")
    poses = [plant.pose("coupler.imu", q) for q in result.q]
    p, R = np.array([x[0] for x in poses]), np.array([x[1] for x in poses])
    v, a = derivative(p, h), derivative(derivative(p, h), h)
    inner, middle = slice(2, -2), slice(4, -4)
    assert np.abs(a).max() > 3.0
    assert vector(result, "p") == pytest.approx(p, abs=1e-14)
    assert vector(result, "v")[inner] == pytest.approx(v, abs=1e-6)
    assert vector(result, "a")[middle] == pytest.approx(a, abs=1e-4)
    felt = np.einsum("nji,nj->ni", R[middle], a - np.array([0.0, -G, 0.0]))
    assert vector(result, "imu.accel")[middle] == pytest.approx(felt, abs=1e-4)
    # om~ = Rᵀ dR/dt in body axes
    spin = np.einsum("nji,njk->nik", R[inner], derivative(R, h))
    om = np.column_stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])
    assert vector(result, "imu.gyro")[inner] == pytest.approx(om, abs=1e-6)
    quaternions = np.column_stack([result[f"turned.{k}"] for k in "xyzw"])
    assert quaternions[:, 3].min() >= 0.0
    assert Rotation.from_quat(quaternions).as_matrix() == pytest.approx(R, abs=1e-14)
    assert result["span"] == pytest.approx(np.linalg.norm(p - [0.9, 0, 0], axis=1), abs=1e-14)
    seen = [plant.sensors.pose("coupler.imu", q, axes="rocker")[0] for q in result.q]
    assert vector(result, "seen_from_rocker") == pytest.approx(np.array(seen), abs=1e-13)


def test_joint_torques_are_those_of_the_reactions() -> None:
    plant = crank_rocker().compile()
    result = plant.simulate(t_end=0.5, step=1e-3, reactions="all")
    for joint in plant.coordinates:
        # all axes along z
        torque = result[f"{joint}_torque"]
        assert torque == pytest.approx(result[f"{joint}.moment.z"], abs=1e-10)
    # nothing but its law acts in the joint of the rocker, and nothing at all in the others
    assert result["rocker_torque"] == pytest.approx(-0.3 * result["rocker.qd"], abs=1e-9)
    assert result["crank_torque"] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(result["rocker_torque"]).max() > 0.1


def test_joint_torque_of_a_drive() -> None:
    result = crank_rocker(driven=True).compile().simulate(t_end=0.5, step=1e-3)
    assert result["crank_torque"] == pytest.approx(result["crank.effort"], abs=1e-9)


def test_force_of_a_joint_that_slides() -> None:
    m = il.Model("lift")
    m.body("cage", on=m.ground, joint=il.prismatic("z"), mass=3.0)
    m.sensor("rope", il.sensors.joint_torque("cage"))
    result = m.compile().simulate(t_end=0.1, step=1e-3, tau={"cage": 50.0})
    assert result["rope"] == pytest.approx(50.0, abs=1e-12)
    assert result.units["rope"] == "N"


def test_contact_force_at_rest_is_the_weight() -> None:
    m = il.Model("ball")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=0.4)
    floor = m.contact(ball, il.point(), m.ground, il.plane(), law=il.power_law(1e4, 1.0, 0.02))
    m.sensor("scale", il.sensors.contact_force(floor))
    result = m.compile().simulate(t_end=1.0, tolerance=1e-9)
    assert result["scale.normal"][-1] == pytest.approx(0.4 * G, rel=1e-6)
    # on the ground, the second one
    assert vector(result, "scale")[-1] == pytest.approx([0.0, 0.0, -0.4 * G], rel=1e-6)


def test_sensors_of_accelerations_say_that_hard_contacts_are_missing() -> None:
    """The body stands, but its IMU reads as if it fell."""
    m = il.Model("standing")
    body = m.body("body", on=m.ground, joint=il.prismatic("z", initial=(0.1, 0.0)), mass=1.0)
    m.contact(m.ground, il.plane(), body, il.sphere(0.1), law=il.hard(), name="floor")
    m.sensor("imu", il.sensors.imu(body))
    m.sensor("height", il.sensors.position(body))
    plant = m.compile()
    for given in ({}, {"method": "event_driven"}, {"controller": lambda t, y: {}}):
        run = plant.simulate(t_end=0.01, step=1e-3, **given)
        assert [note[:37] for note in run.notes] == ["sensor 'imu': with smooth forces only"]
        assert "without those of hard contacts such as 'floor'" in run.notes[0]
    assert plant.simulate(t_end=0.01, step=1e-3, q={"body": 1.0}).notes == ()
    (told,) = plant.simulate(t_end=0.01, step=1e-3, reactions="all").notes
    assert told.startswith("sensor 'imu', reaction of joint 'body': with smooth forces only")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("force", [(0.0, 0.02), (300.0, 0.0)])
def test_strain_of_a_cantilever(share: float, force: tuple[float, float]) -> None:
    """ε = F_u/EA - y F_w (L - x)/EI, exactly, for a force at the tip that bends it little."""
    length, EI, EA, height = 0.9, 40.0, 2e5, 0.004
    m = il.Model("beam", gravity=(0.0, 0.0, 0.0))
    rod = m.flexible_link("rod", on=m.ground, length=length, mass_per_length=0.5, EI=EI, EA=EA,
                          elements=3, bends_about="z")  # fmt: skip
    m.force(rod.tip, lambda: (*force, 0.0))
    y = m.parameter("height", 0.0)
    m.sensor("gauge", il.sensors.strain(rod, y, share))
    plant = m.compile()
    plant.parameters["height"] = height
    q, rest = plant.equilibrium().q, np.zeros(plant.n)
    expected = force[0] / EA - height * force[1] * length * (1.0 - share) / EI
    told = plant.sensor_outputs(q, rest)["gauge"]
    assert told == pytest.approx(expected, rel=1e-5, abs=1e-11)
    assert plant.sensor_outputs(rest, rest)["gauge"] == 0.0


def test_steppers_and_single_states_tell_the_same() -> None:
    plant = crank_rocker().compile()
    signals = [signal.name for signal in plant.mechanism.sensor_signals]
    result = plant.simulate(t_end=0.1, step=1e-3, method="rk4")
    stepper = plant.stepper(step=1e-3, method="rk4")
    for _ in range(100):
        stepper.step()
    told = plant.sensor_outputs(result.q[-1], result.qd[-1])
    for name in signals:
        assert stepper[name] == pytest.approx(result[name][-1], abs=1e-9), name
        assert told[name] == pytest.approx(result[name][-1], abs=1e-9), name


def test_sensors_follow_live_numbers() -> None:
    m = pendulum()
    m.sensor("reach", il.sensors.distance("arm.imu", m.ground))
    m.sensor("bob", il.sensors.position("arm.com", relative_to="arm"))
    plant = m.compile(live="all")
    plant.parameters["arm.imu.z"] = -2.0
    plant.parameters["arm.com.z"] = -0.9
    stepper = plant.stepper(step=1e-3)
    assert stepper["reach"] == pytest.approx(2.0, abs=1e-14)
    assert stepper["bob.z"] == pytest.approx(-0.9, abs=1e-14)


def test_sensors_change_nothing_about_the_motion() -> None:
    def bare() -> il.Model:
        m = il.Model("pendulum")
        m.body("arm", on=m.ground, joint=il.revolute("y", initial=(0.4, 1.1)), mass=0.7,
               com=(0, 0, -0.8)).frame("imu", (0.0, 0.0, -0.5))  # fmt: skip
        return m

    runs = [m.compile().simulate(t_end=1.0, step=1e-3) for m in (bare(), pendulum())]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


@pytest.mark.parametrize("driven", [False, True])
def test_without_a_compiler(driven: bool) -> None:
    plants = [crank_rocker(driven).compile(backend=b) for b in ("c", "python")]
    start = plants[0].formulation.assemble(plants[0].vector(crank=0.3, coupler=0.5, rocker=1.5))
    told = [plant.sensor_outputs(start.q, plant.vector(crank=4.0), t=0.0) for plant in plants]
    for name, value in told[0].items():
        assert told[1][name] == pytest.approx(value, rel=1e-10, abs=1e-10), name


def test_accelerations_are_found_only_where_a_sensor_asks() -> None:
    m = il.Model("pendulum")
    arm = m.body("arm", on=m.ground, joint=il.revolute("y"), mass=0.7, com=(0, 0, -0.8))
    m.sensor("angle", il.sensors.encoder(arm))
    names = [block.name for block in m.compile().program("sensor_outputs").inputs]
    assert "qdd" not in names and "lam" not in names


def test_a_linear_model_with_an_imu() -> None:
    """Small swings: accel.x of an IMU at r is g q (r/l - 1)."""
    model = pendulum(0.8, 0.2).compile().linearize(q=[0.0], qd=[0.0], outputs=["imu.accel.x"])
    assert pytest.approx(np.array([[G * (0.2 / 0.8 - 1.0), 0.0]]), abs=1e-5) == model.C


def test_sensors_of_modes() -> None:
    """What a mode does not have is NaN there."""
    m = il.Model("ball")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.0, 2.0)), mass=0.4)
    near, far = m.mode("near"), m.mode("far")
    with m.during(near):
        m.contact(ball, il.point(), m.ground, il.plane(), law=il.power_law(1e4), name="floor")
    m.sensor("scale", il.sensors.contact_force("floor"))
    m.sensor("imu", il.sensors.imu(ball))
    m.event("away", lambda q: 0.1 - q["ball"], mode=near, to=far)
    result = m.compile().simulate(t_end=0.2, step=1e-3)
    there = np.array(result.modes) == "near"
    assert there.any() and not there.all()
    np.testing.assert_array_equal(np.isnan(result["scale.normal"]), ~there)
    assert result["imu.accel.z"] == pytest.approx(0.0, abs=1e-12)  # it falls


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (il.sensors.imu("nobody"), "sits on 'nobody', which does not exist"),
        (il.sensors.encoder("nobody"), "there is no joint 'nobody'"),
        (il.sensors.contact_force("floor"), "there is no contact 'floor'"),
        (il.sensors.strain("arm", 0.01), "there is no flexible link 'arm'"),
        ("imu", "a sensor must come from il.sensors, got 'imu'"),
        (il.sensors.imu(3.0), "must be a body, a point, a frame or its name"),  # type: ignore[arg-type]
    ],
)
def test_mistakes(spec: object, words: str) -> None:
    m = pendulum()
    m.sensor("wrong", spec)  # type: ignore[arg-type]
    with pytest.raises(il.ModelError, match=words) as caught:
        m.build()
    (mistake,) = caught.value.mistakes
    assert mistake.where.startswith(__file__) and mistake.fix and "'wrong'" in mistake.what


def test_a_name_is_given_once() -> None:
    m = pendulum()
    m.sensor("imu", il.sensors.encoder("arm"))
    with pytest.raises(il.ModelError, match="the name is already used by the sensor"):
        m.build()
    m = pendulum()
    m.sensor("mode", il.sensors.encoder("arm"))
    with pytest.raises(il.ModelError, match="the name is reserved by inloop"):
        m.build()
    with pytest.raises(il.InputError, match="from 0 at the root to 1"):
        il.sensors.strain("rod", 0.1, 1.5)
