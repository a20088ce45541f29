from __future__ import annotations

import inloop as il
from inloop.model import ModelBuilder, fixed, prismatic, revolute


def test_the_whole_table() -> None:
    m = ModelBuilder(
        "lift", lambda m: (0, 0, -m.parameter("g", 9.81, unit="m/s^2")), doc="A cage and its rope."
    )
    k = m.parameter("k", 812.5, unit="N/m", range=(0, 5000), doc="of the rope")
    u = m.input("u", unit="N", doc="brake")
    cage = m.body("cage", on=m.ground, joint=prismatic("-z", limits=(-2, 3)), mass=410.5)
    arm = m.body(
        "arm",
        on=cage.point("hook", (0.1, 0.2, 0.3)),
        joint=revolute((3, 0, 4), name="sway", armature=0.25),
        mass=k / 100,
        com=(0.05, 0, 0.02),
        inertia=(0.11, 0.12, 0.13, 0.01, 0, 0),
    )
    m.body("lamp", on=arm, joint=fixed())
    m.joint_force(cage, lambda q, qd: -k * q - 3 * qd + u)
    m.joint_input(cage)
    expected = """\
lift: 2 bodies, gravity (0, 0, -g) m/s²

A cage and its rope.

body  on         joint                axis           limits   mass [kg]  com [m]          inertia [kg·m²]
----  ---------  -------------------  -------------  -------  ---------  ---------------  ----------------------------------------
cage  ground     prismatic            -z             (-2, 3)  410.5      0                0
arm   cage.hook  revolute sway +0.25  (0.6, 0, 0.8)           0.01*k     (0.05, 0, 0.02)  (0.11, 0.12, 0.13) products (0.01, 0, 0)

point      on    position [m]
---------  ----  ---------------
cage.hook  cage  (0.1, 0.2, 0.3)

parameter  value  unit   range      meaning
---------  -----  -----  ---------  -----------
g          9.81   m/s^2
k          812.5  N/m    0 .. 5000  of the rope
u          input  N                 brake
"""  # noqa: E501
    text = m.describe()
    print(text)
    assert text.startswith(
        expected.replace("-------------------------------------------", "-" * 40)
    )
    assert text == m.build().describe()
    assert "notes\n  fixed joint 'lamp': body 'lamp' merged into 'arm'\n" in text
    acts = text[text.index("acts") : text.index("notes")].splitlines()
    assert acts[2].split()[:2] == ["cage_effort", "cage"]
    assert acts[3].split() == ["cage.tau", "cage", "input"]


def test_couplings(arm: ModelBuilder) -> None:
    r = arm.parameter("r", 0.03, unit="m")
    arm.gear("crank", "rod", ratio=-2.5, offset=0.1)
    arm.rack("crank", "slider", radius=2 * r, name="lift")
    arm.couple({"rod": 24, "crank": 1, "slider": -0.5}, offset=None, name="mixer")
    text = arm.describe()
    assert text[text.index("couples") :].startswith("""\
couples         kind      holds
--------------  --------  -----------------------------------------------
rod_crank_gear  gear      rod + 2.5 crank = 0.1
lift            rack      slider + (-2*r) crank = 0
mixer           coupling  24 rod + crank - 0.5 slider = its initial value
""")


def test_loops_constraints_drives_and_states(arm: ModelBuilder) -> None:
    l = arm.parameter("l", 0.4, unit="m")
    arm.close("rod", "slider", kind="hinge", axis="y", name="pin")
    arm.close("crank.pin", "slider", kind="rod", length=2 * l)
    arm.close("rod.com", arm.ground)
    arm.constraint("gear", lambda q, t: (q["rod"] - 2 * q["slider"], q["rod"] - t), unit="rad")
    arm.drive("crank", lambda t: 3 * t)
    arm.drive("slider", derivatives="filtered", cutoff=35)
    arm.independent("rod")
    arm.joint_force("rod", lambda q, z: (-z, {"z": q - z}), states={"z": 0.25})
    arm.bushing("rod", "slider", (1, 2, 3, 4, 5, 6))
    text = arm.describe()
    expected = """\
loop              kind   between            axis  length [m]
----------------  -----  -----------------  ----  ----------
pin               hinge  rod, slider        y
crank_pin_slider  rod    crank.pin, slider        2*l
rod_com_ground    ball   rod.com, ground

constraint  vanishes        unit
----------  --------------  ----
gear        rod - 2*slider  rad
            rod - t         rad

driven  by     position
------  -----  ----------------------------
crank   time   3*t
slider  input  derivatives filtered at 35 Hz

independent: rod
"""
    assert expected.replace("-" * 28, "-" * 29) in text, text
    assert text.endswith("""\
state                initial  rate
-------------------  -------  ----------------
rod_effort.z         0.25     q - z
slider.filtered.q    0        qd
slider.filtered.qd   0        qdd
slider.filtered.qdd  0        f(q, q, qd, qdd)
"""), text
    (bushing,) = (line for line in text.splitlines() if line.startswith("rod_slider_bushing"))
    assert "rod, slider" in bushing and "torque" in bushing


def test_long_expressions_are_told_by_their_symbols() -> None:
    m = ModelBuilder("lengthy")
    a, b = m.parameter("a", 1.3), m.parameter("b", 0.7)
    mass = a * b + a**2 / (1 + b) + abs(a - 2 * b) ** 0.5 + 3.1
    m.body("x", on=m.ground, joint=prismatic("x"), mass=mass)
    assert "f(a, b)" in m.describe()


def test_no_line_ends_in_space(arm: ModelBuilder) -> None:
    assert all(line == line.rstrip() for line in arm.describe().splitlines())


def test_hard_contacts_are_told_with_what_they_have(arm: ModelBuilder) -> None:
    arm.contact(arm.ground, il.plane(), "crank", il.point(), law=il.hard(0.5), name="stiff")
    law = il.hard(friction=0.2, stiffness=1e7)
    arm.contact(arm.ground, il.plane(), "crank", il.point(), law=law, name="soft")
    text = arm.build().describe()
    assert "Hard(restitution 0.5, friction 0, impacts newton)" in text
    assert "Hard(restitution 0, friction 0.2, stiffness 1e+07, impacts newton)" in text
