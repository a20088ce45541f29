"""Gears, racks and planetary gears against closed forms, conservation laws and MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import scipy

import inloop as il

J1, J2 = 0.31, 0.74  # [kg·m²]


def pair(ratio: object, *, model: il.Model | None = None, **gear: object) -> il.Model:
    """A motor and a wheel on parallel axes, with a gear between them."""
    m = model or il.Model("pair", gravity=(0, 0, 0))
    motor = m.body("motor", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, J1))
    at = m.ground.point("hub", (0.4, 0.1, 0))
    wheel = m.body("wheel", on=at, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, J2))
    m.gear(motor, wheel, ratio=ratio, name="gear", **gear)  # type: ignore[arg-type]
    return m


def test_inertia_is_reflected_by_the_square_of_the_ratio() -> None:
    plant = pair(-2.7, offset=0.13).compile(backend="python")
    q, qd = plant.vector(motor=0.4, wheel=-2.7 * 0.4 + 0.13), plant.vector(motor=0.9, wheel=-2.43)
    qdd = plant.direct_dynamics(q, qd, plant.vector(motor=1.7, wheel=0.6))
    expected = (1.7 - 2.7 * 0.6) / (J1 + 2.7**2 * J2)
    np.testing.assert_allclose(qdd, [expected, -2.7 * expected], rtol=1e-12)


def test_the_torque_that_a_gear_transmits() -> None:
    m = pair(-2.7)
    m.joint_force("motor", lambda qd: 1.7 - 0.2 * qd, name="drive")
    m.joint_force("wheel", lambda qd: -1.9 * qd, name="load")
    result = m.compile().simulate(t_end=0.5, step=1e-3)
    # the angular momentum of each shaft by itself
    on_wheel = J2 * result["wheel.qdd"] + 1.9 * result["wheel.qd"]
    on_motor = J1 * result["motor.qdd"] + 0.2 * result["motor.qd"] - 1.7
    assert np.ptp(on_wheel) > 0.01
    np.testing.assert_allclose(result["gear.wheel.effort"], on_wheel, rtol=1e-9)
    np.testing.assert_allclose(result["lam.gear.torque"], on_wheel, rtol=1e-9)
    np.testing.assert_allclose(result["gear.motor.effort"], on_motor, rtol=1e-9)
    assert result.units["lam.gear.torque"] == result.units["gear.motor.effort"] == "N·m"
    # a steady state: w = tau / (d1 + ratio² d2), reached as exp(-t d / J)
    d, J = 0.2 + 2.7**2 * 1.9, J1 + 2.7**2 * J2
    speed = 1.7 / d * (1.0 - np.exp(-result.t * d / J))
    np.testing.assert_allclose(result["motor.qd"], speed, rtol=0, atol=1e-9)


def test_a_rack_lifts_a_weight() -> None:
    m = il.Model("hoist", gravity=(0, 0, -9.81))
    pinion = m.body("pinion", on=m.ground, joint=il.revolute("y"), mass=1.0, inertia=(1, J1, 1))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("z"), mass=3.2)
    m.rack(pinion, slide, radius=-0.07, offset=0.2, name="rack")
    plant = m.compile()
    result = plant.simulate(t_end=0.3, step=1e-3, tau={"pinion": -5.0})
    # work of torque and weight on one degree of freedom
    qdd = (-5.0 + 0.07 * 3.2 * 9.81) / (J1 + 0.07**2 * 3.2)
    np.testing.assert_allclose(result["pinion.qdd"], qdd, rtol=1e-10)
    np.testing.assert_allclose(result["slide.q"], 0.2 - 0.07 * result["pinion.q"], atol=1e-14)
    force = 3.2 * (9.81 - 0.07 * qdd)
    np.testing.assert_allclose(result["lam.rack.force"], force, rtol=1e-10)
    np.testing.assert_allclose(result["rack.pinion.effort"], 0.07 * force, rtol=1e-10)
    assert result.units["lam.rack.force"] == "N"
    assert result.units["rack.pinion.effort"] == "N·m"


SUN, RING = 24, 66  # teeth
INERTIA = {"sun": 0.013, "ring": 0.21, "carrier": 0.17}


def planetary(m: il.Model) -> None:
    for name, inertia in INERTIA.items():
        m.body(name, on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, inertia))
    factors = {"sun": SUN, "ring": RING, "carrier": -(SUN + RING)}
    m.couple(factors, name="planetary")


def test_a_planetary_gear_obeys_willis() -> None:
    m = il.Model("planetary", gravity=(0, 0, 0))
    planetary(m)
    plant = m.compile()
    tau = {"sun": 1.3, "ring": -0.4, "carrier": 0.2}
    result = plant.simulate(t_end=1.0, step=1e-2, tau=tau, qd={"sun": 3.0, "ring": -2.0})
    sun, ring, carrier = (result[f"{name}.qd"] for name in INERTIA)
    assert np.ptp(sun) > 1.0
    # Willis: seen from the carrier it is a train of fixed axes
    np.testing.assert_allclose((sun - carrier) * SUN, -(ring - carrier) * RING, rtol=1e-12)
    # Newton's law of each shaft with z lam, and z · w = 0: lam from the three
    z = np.array([SUN, RING, -(SUN + RING)])
    J, torque = np.array(list(INERTIA.values())), np.array(list(tau.values()))
    lam = -np.sum(z * torque / J) / np.sum(z**2 / J)
    for k, name in enumerate(INERTIA):
        np.testing.assert_allclose(result[f"planetary.{name}.effort"], z[k] * lam, rtol=1e-9)
        np.testing.assert_allclose(result[f"{name}.qdd"], (torque[k] + z[k] * lam) / J[k])
    np.testing.assert_allclose(result["lam.planetary.effort"], lam, rtol=1e-9)


def test_a_planetary_gear_with_its_ring_held() -> None:
    m = il.Model("reducer", gravity=(0, 0, 0))
    planetary(m)
    m.drive("ring", lambda t: 0.0 * t)
    result = m.compile().simulate(t_end=0.2, step=1e-2, tau={"sun": 0.7})
    part = SUN / (SUN + RING)
    qdd = 0.7 / (INERTIA["sun"] + part**2 * INERTIA["carrier"])
    np.testing.assert_allclose(result["carrier.qdd"], part * qdd, rtol=1e-10)
    # what holds the ring balances what the gear does to it
    on_sun = INERTIA["sun"] * qdd - 0.7
    np.testing.assert_allclose(result["ring.effort"], -on_sun * RING / SUN, rtol=1e-10)


def test_planets_that_turn_on_the_carrier_give_the_same_relation() -> None:
    """Two meshes with a planet whose joint sits on the carrier, instead of Willis' equation."""
    planet_teeth = (RING - SUN) // 2
    m = il.Model("meshes", gravity=(0, 0, 0))
    for name, inertia in INERTIA.items():
        m.body(name, on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, inertia))
    pin = il.revolute("z")
    m.body("planet", on="carrier", joint=pin, mass=1e-3, inertia=(1e-6, 1e-6, 1e-6))
    m.couple({"sun": SUN, "carrier": -SUN, "planet": planet_teeth}, name="outer_mesh")
    m.couple({"ring": RING, "carrier": -RING, "planet": -planet_teeth}, name="inner_mesh")
    result = m.compile().simulate(
        t_end=0.5, step=1e-2, tau={"sun": 0.4, "carrier": -0.1}, qd={"sun": 2.0, "ring": 1.1}
    )
    sun, ring, carrier = (result[f"{name}.qd"] for name in INERTIA)
    np.testing.assert_allclose(SUN * sun + RING * ring, (SUN + RING) * carrier, rtol=1e-10)
    np.testing.assert_allclose(result["planet.qd"] * planet_teeth, (carrier - sun) * SUN, rtol=1e-9)


def test_a_differential_splits_the_torque() -> None:
    m = il.Model("axle", gravity=(0, 0, 0))
    for name, inertia in (("left", 0.4), ("right", 0.9), ("cage", 0.15)):
        m.body(name, on=m.ground, joint=il.revolute("y"), mass=1.0, inertia=(1, inertia, 1))
    m.couple({"left": 1, "right": 1, "cage": -2}, name="differential")
    result = m.compile().simulate(t_end=0.1, step=1e-3, tau={"cage": 6.0})
    left, right = (result[f"differential.{side}.effort"] for side in ("left", "right"))
    np.testing.assert_allclose(left, right, rtol=1e-12)
    np.testing.assert_allclose(result["lam.differential.torque"], left, rtol=1e-12)
    np.testing.assert_allclose(6.0 - 0.15 * result["cage.qdd"], 2.0 * left, rtol=1e-9)


def test_a_drive_moves_its_load_through_the_gear() -> None:
    m = pair(0.35, offset=0.2)
    m.drive("motor", lambda t: 0.8 * t**2 + 0.1)
    m.joint_force("wheel", lambda q, qd: -3.0 * q - 0.5 * qd, name="load")
    result = m.compile().simulate(t_end=0.4, step=1e-3)
    wheel, speed = 0.35 * (0.8 * result.t**2 + 0.1) + 0.2, 0.35 * 1.6 * result.t
    np.testing.assert_allclose(result["wheel.q"], wheel, atol=1e-13)
    load = J2 * 0.35 * 1.6 + 3.0 * wheel + 0.5 * speed
    np.testing.assert_allclose(result["lam.gear.torque"], load, rtol=1e-10)
    np.testing.assert_allclose(result["motor.effort"], J1 * 1.6 + 0.35 * load, rtol=1e-10)


@pytest.mark.parametrize(
    ("driven", "locked", "told"),
    [
        ("ab", "", "the drives of a, b contradict each other: they are coupled by ab."),
        ("ac", "", "the drives of a, c contradict each other: they are coupled by ab, bc."),
        ("a", "c", "the drive of a moves a joint that is held by ab, bc, lock."),
    ],
)
def test_drives_that_contradict_couplings_are_named_with_them(
    driven: str, locked: str, told: str
) -> None:
    m = il.Model("train", gravity=(0, 0, 0))
    for name in "abc":
        m.body(name, on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.gear("a", "b", ratio=2.0, name="ab")
    m.gear("b", "c", ratio=2.0, name="bc")
    m.drive(m.body("aside", on=m.ground, joint=il.prismatic("x"), mass=1.0), lambda t: t)
    for name in locked:
        m.lock(name, name="lock")
    for name in driven:
        m.drive(name, lambda t: t)
    with pytest.raises(il.ModelError) as caught:
        m.compile()
    assert told in str(caught.value)


def test_ratios_may_be_live_expressions() -> None:
    m = il.Model("pair", gravity=(0, 0, 0))
    first = m.parameter("first", 18.0, doc="teeth of the motor's wheel")
    second = m.parameter("second", 45.0, doc="teeth of the wheel")
    plant = pair(-first / second, model=m).compile()
    for teeth in (18.0, 27.0):
        plant.parameters["first"] = teeth
        ratio = -teeth / 45.0
        qdd = plant.direct_dynamics([0.3, 0.3 * ratio], [0.5, 0.5 * ratio], [1.1, 0.7])
        assert qdd[0] == pytest.approx((1.1 + ratio * 0.7) / (J1 + ratio**2 * J2), rel=1e-12)


def test_numbers_of_a_coupling_can_be_kept_live() -> None:
    plant = pair(-2.7).compile(live=["gear.motor.factor"], backend="python")
    assert plant.parameters["gear.motor.factor"] == 2.7
    plant.parameters["gear.motor.factor"] = -0.4
    qdd = plant.direct_dynamics([0.0, 0.0], [0.0, 0.0], [1.1, 0.0])
    assert qdd[0] == pytest.approx(1.1 / (J1 + 0.4**2 * J2), rel=1e-12)


def test_a_ratio_that_changes_while_it_runs() -> None:
    """A gear that engages where it is lets a ratio change at any angle: no joint jumps."""
    m = il.Model("pair", gravity=(0, 0, 0))
    ratio = m.parameter("ratio", 2.0)
    pair(ratio, model=m, offset=None)
    m.independent("motor")
    plant = m.compile()
    stepper = plant.stepper(step=1e-3, q={"motor": 900.0, "wheel": -0.3}, qd={"motor": 5.0})
    for _ in range(100):
        stepper.step()
    assert stepper["wheel.q"] == pytest.approx(-0.3 + 0.1 * 2.0 * 5.0, abs=1e-9)
    plant.parameters["ratio"] = -0.5
    for _ in range(100):
        stepper.step()
    assert stepper["motor.qd"] == pytest.approx(5.0, rel=1e-12)
    assert stepper["wheel.qd"] == pytest.approx(-2.5, rel=1e-12)
    assert stepper["wheel.q"] == pytest.approx(0.7 - 0.1 * 2.5, abs=1e-9)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("ratio", [-2.7, 0.013, 130.0])
@pytest.mark.parametrize("motor", [100.0, 1e6])
def test_gears_close_however_far_they_have_turned(ratio: float, motor: float) -> None:
    plant = pair(ratio, offset=0.13).compile(backend="python")
    found = plant.formulation.assemble(plant.vector(motor=motor, wheel=0.0), [0])
    assert found.q[0] == motor
    assert found.q[1] == pytest.approx(ratio * motor + 0.13, rel=1e-14)


def test_a_gear_beside_a_loop_closes_from_afar() -> None:
    """The crank of a four-bar by way of a gear: the linear row first, then the loop."""
    m = il.Model("geared_crank", gravity=(0, -9.81, 0))
    data = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    m.body("motor", on=m.ground, joint=il.revolute("z", initial=62.0), **data)
    crank = m.body("crank", on=m.ground, joint=il.revolute("z"), **data)
    rod = m.body("rod", on=crank.point("pin", (0.2, 0, 0)), joint=il.revolute("z"), **data)
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.8), mass=1.0)
    m.close(rod.point("end", (0.7, 0, 0)), slider)
    m.gear("motor", crank, ratio=1 / 50, name="reducer")
    q = m.compile(backend="python").formulation.home()
    angle = 62.0 / 50
    assert q[1] == pytest.approx(angle, rel=1e-12)
    # slider-crank in closed form
    reach = 0.2 * np.cos(angle) + np.sqrt(0.7**2 - 0.2**2 * np.sin(angle) ** 2)
    assert q[3] == pytest.approx(reach, rel=1e-12)


def test_a_gear_that_engages_in_one_mode_only() -> None:
    m = il.Model("clutch", gravity=(0, 0, 0))
    motor = m.body("motor", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, J1))
    wheel = m.body("wheel", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, J2))
    m.joint_force(motor, lambda: 0.9, name="push")
    free, engaged, alone = m.mode("free"), m.mode("engaged"), m.mode("alone")
    with m.during(engaged):
        m.gear(motor, wheel, ratio=-1.8, offset=None, name="gear")
    m.event("engage", lambda t: 0.5 - t, mode=free, to=engaged, impact=engaged)
    m.event("release", lambda t: 0.9 - t, mode=engaged, to=alone)
    result = m.compile().simulate(t_end=1.2, step=1e-3, qd={"motor": 4.0, "wheel": 1.5})
    engage, release = result.events
    assert (engage.t, release.t) == (pytest.approx(0.5, abs=1e-9), pytest.approx(0.9, abs=1e-9))
    # J1 w1 + J2 w2 ratio is what the gear's impulse leaves as it is
    before = 4.0 + 0.9 / J1 * 0.5
    J = J1 + 1.8**2 * J2
    after = (J1 * before - 1.8 * J2 * 1.5) / J
    lost = 0.5 * (J1 * before**2 + J2 * 1.5**2 - J * after**2)
    assert engage.energy_lost == pytest.approx(lost, rel=1e-9)
    impulse = J2 * (-1.8 * after - 1.5)
    assert engage.impulses["gear.torque"] == pytest.approx(impulse, rel=1e-9)
    at = int(np.searchsorted(result.t, 0.8))
    assert result["motor.qd"][at] == pytest.approx(after + 0.9 / J * (result.t[at] - 0.5))
    assert result["lam.gear.torque"][at] == pytest.approx(J2 * -1.8 * 0.9 / J, rel=1e-9)
    assert np.isnan(result["lam.gear.torque"][-1])
    # the wheel goes on alone
    assert result["wheel.qd"][-1] == pytest.approx(-1.8 * (after + 0.9 / J * 0.4), rel=1e-9)


class GearedPendulums:
    """Two pendulums, the second leads with -1.5 of the first from where both are found."""

    RATIO, FIRST = -1.5, (0.9, 0.4)
    WEIGHT, INERTIA = (9.81 * 1.3 * 0.5, 9.81 * 0.7 * 0.4), (1.3 * 0.5**2, 0.7 * 0.4**2)

    def other(self, a: float) -> float:
        return self.FIRST[1] + self.RATIO * (a - self.FIRST[0])

    def pull(self, a: float) -> float:
        """Torque on the one degree of freedom [N·m]."""
        first, second = self.WEIGHT
        return -first * np.sin(a) - self.RATIO * second * np.sin(self.other(a))

    @property
    def inertia(self) -> float:
        return self.INERTIA[0] + self.RATIO**2 * self.INERTIA[1]

    def plant(self) -> il.Plant:
        m = il.Model("geared_pendulums")
        data = {"a": (1.3, 0.5), "b": (0.7, 0.4)}
        for (name, (mass, length)), angle in zip(data.items(), self.FIRST, strict=True):
            joint = il.revolute("y", initial=angle)
            m.body(name, on=m.ground, joint=joint, mass=mass, com=(0, 0, -length))
        m.gear("a", "b", ratio=self.RATIO, offset=None)
        m.independent("a")
        return m.compile(methods=["implicit", "rodas"])


@pytest.fixture(scope="module")
def geared() -> il.Plant:
    return GearedPendulums().plant()


@pytest.mark.parametrize(("method", "order"), [("implicit", 2), ("rodas", 4), ("rk4", 4)])
def test_joints_coupled_as_found_move_on_with_the_order_of_the_method(
    geared: il.Plant, method: str, order: int
) -> None:
    own = GearedPendulums()
    exact = scipy.integrate.solve_ivp(
        lambda t, x: [x[1], own.pull(x[0]) / own.inertia], (0.0, 1.0), (own.FIRST[0], 0.0),
        method="DOP853", rtol=1e-12, atol=1e-13,
    ).y[0, -1]  # fmt: skip
    errors = []
    for step in (1e-2, 5e-3):
        result = geared.simulate(t_end=1.0, step=step, method=method)
        expected = [own.other(a) for a in result["a.q"]]
        np.testing.assert_allclose(result["b.q"], expected, rtol=0, atol=1e-9)
        errors.append(abs(result["a.q"][-1] - exact))
    assert abs(exact - own.FIRST[0]) > 0.1
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)


def test_many_runs_put_followers_anywhere_as_single_ones_do(geared: il.Plant) -> None:
    for q in ({"a": [0.9, 1.2], "b": [0.4, 0.1]}, {"b": [0.4, -0.7]}):
        many = geared.simulate_many(t_end=0.2, step=1e-3, sample=1e-3, q=q)
        for run in range(2):
            own = {name: values[run] for name, values in q.items()}
            single = geared.simulate(t_end=0.2, step=1e-3, q=own)
            for name in ("a.q", "b.q", "b.qd"):
                np.testing.assert_allclose(many[name][run], single[name], rtol=0, atol=1e-12)
            assert many["b.q"][run, 0] == q["b"][run]
    # velocities follow, wherever it is
    with pytest.raises(il.InputError, match="qd of 'b' follows from the loops"):
        geared.simulate_many(t_end=0.2, q={"a": [0.9, 1.2]}, qd={"b": [0.1, 0.2]})


def test_analyses_take_joints_coupled_as_found_along(geared: il.Plant) -> None:
    own = GearedPendulums()
    rest = scipy.optimize.brentq(own.pull, -0.5, 0.9)
    found = geared.equilibrium()
    assert found.q == pytest.approx([rest, own.other(rest)], abs=1e-9)
    first, second = own.WEIGHT

    def frequency(a: float) -> complex:
        stiffness = first * np.cos(a) + own.RATIO**2 * second * np.cos(own.other(a))
        return complex(np.emath.sqrt(stiffness / own.inertia))

    assert geared.eigenmodes().frequencies[0] == pytest.approx(
        frequency(rest).real / (2.0 * np.pi), rel=1e-7
    )
    values = geared.linearize().eigenvalues
    assert np.abs(values.imag).max() == pytest.approx(frequency(own.FIRST[0]).real, rel=1e-7)
    swept = geared.sweep(over="a", values=[0.9, 0.7])
    assert swept["b.q"][-1] == pytest.approx(own.other(0.7), abs=1e-9)


MUJOCO = """<mujoco><option gravity="0.3 -2 -9.81" timestep="1e-5"/><worldbody>
  <body><joint name="a" axis="0 1 0"/><geom type="box" size=".3 .1 .2" pos=".2 0 .1" mass="1.3"/>
    <body pos=".5 0 0"><joint name="b" axis="0 .6 .8"/>
      <geom type="box" size=".1 .2 .1" pos=".1 .2 -.1" mass="2.1"/></body></body>
  <body pos="1 2 0"><joint name="c" type="slide" axis="0 0 1"/><geom size=".1" mass="0.8"/></body>
</worldbody><equality>
  <joint joint1="b" joint2="a" polycoef=".2 -1.7 0 0 0" solref="1e-4 1" solimp=".9999 .9999 1"/>
  <joint joint1="c" joint2="a" polycoef=".1 .4 0 0 0" solref="1e-4 1" solimp=".9999 .9999 1"/>
</equality><contact/></mujoco>"""


def test_mujoco_comes_to_the_same_as_its_couplings_get_stiff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its equalities give way by a part 1 - d of what they hold: the difference falls with it."""
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its warnings
    # the same tree from the file, its couplings by hand
    path = tmp_path / "coupled.xml"
    path.write_text(MUJOCO[: MUJOCO.index("<equality>")] + "</mujoco>")
    m = il.load(path)
    m.gear("a", "b", ratio=-1.7, offset=0.2)
    m.rack("a", "c", radius=0.4, offset=0.1)
    plant = m.compile(backend="python")
    for a, speed in ((0.3, 0.9), (-1.1, 2.0)):
        errors = []
        for d in (0.99, 0.999, 0.9999):
            model = mujoco.MjModel.from_xml_string(MUJOCO.replace(".9999 .9999", f"{d} {d}"))
            data = mujoco.MjData(model)
            data.qpos[:] = a, 0.2 - 1.7 * a, 0.1 + 0.4 * a
            data.qvel[:] = speed, -1.7 * speed, 0.4 * speed
            data.qfrc_applied[:] = 1.1, -0.6, 2.3
            mujoco.mj_forward(model, data)
            qdd = plant.direct_dynamics(data.qpos, data.qvel, data.qfrc_applied)
            errors.append(np.abs(qdd - data.qacc).max() / np.abs(data.qacc).max())
            assert np.abs(data.qacc - data.qacc_smooth).max() > 1.0
        assert errors[-1] < 1e-3
        np.testing.assert_allclose(errors[1:], np.divide(errors[:-1], 10.0), rtol=0.1)
