"""Contacts as elements of a mechanism, and laws of a user's own: one class in the user's file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import inloop as il
from inloop.errors import Mistake
from inloop.model import ModelBuilder

Finder = Callable[[ModelBuilder], tuple[Mistake, ...]]
MASS, STIFFNESS, SPEED = 0.4, 2.5e4, 1.3
CONTACT_TIME = math.pi * math.sqrt(MASS / STIFFNESS)  # half a period of the spring


@dataclass(frozen=True)
class SpringAndDamper:
    """F = k d + c ḋ: nothing that inloop has."""

    stiffness: il.Positive
    damping: il.NotNegative = 0.0

    def push(self, gap, gap_rate, states):  # type: ignore[no-untyped-def]
        return il.where(gap < 0, -self.stiffness * gap - self.damping * gap_rate, 0.0)


@dataclass(frozen=True)
class Grease:
    """Friction proportional to slip, where the surfaces touch."""

    damping: il.NotNegative

    def drag(self, slip, push, gap, states):  # type: ignore[no-untyped-def]
        return tuple(il.where(gap < 0, -self.damping * v, 0.0) for v in slip)


class Relaxing:
    """A Maxwell element: a spring behind a damper. It has a memory, and is no dataclass."""

    states = ("creep",)

    def push(self, gap, gap_rate, states):  # type: ignore[no-untyped-def]
        force = 2e3 * il.where(gap < 0, -gap - states["creep"], 0.0)
        return force, {"creep": force / 50.0}


def ball(law: object, friction: object = None, gravity: float = 0.0) -> il.Model:
    """A ball above a floor, let go downwards at the floor."""
    m = il.Model("ball", gravity=(0.0, 0.0, -gravity))
    body = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.0, -SPEED)), mass=MASS)
    shapes = (body, il.point(), m.ground, il.plane())
    m.contact(*shapes, law=law, friction=friction, name="floor")  # type: ignore[arg-type]
    return m


def test_own_law_follows_its_closed_form() -> None:
    result = (
        ball(SpringAndDamper(STIFFNESS))
        .compile()
        .simulate(t_end=0.8 * CONTACT_TIME, tolerance=1e-11)
    )
    omega = math.sqrt(STIFFNESS / MASS)
    depth = SPEED / omega * np.sin(omega * result.t)
    assert -result["ball.q"] == pytest.approx(depth, abs=1e-9 * SPEED / omega)
    assert result["floor.force"] == pytest.approx(STIFFNESS * depth, abs=1e-6)
    late = (
        ball(SpringAndDamper(STIFFNESS))
        .compile()
        .simulate(t_end=2.0 * CONTACT_TIME, tolerance=1e-11)
    )
    # half a sine in the time π √(m/k), and off with the speed it came with
    assert late["ball.qd"][-1] == pytest.approx(SPEED, rel=1e-8)
    flight = late["ball.q"][-1] / SPEED
    assert late.t[-1] - flight == pytest.approx(CONTACT_TIME, rel=1e-8)


def test_own_damping_and_parameters() -> None:
    c = 30.0
    m = il.Model("ball", gravity=(0.0, 0.0, 0.0))
    k = m.parameter("k", 1.0, unit="N/m")
    body = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.0, -SPEED)), mass=MASS)
    m.contact(m.ground, il.plane(), body, il.point(), law=SpringAndDamper(k, c), name="floor")
    plant = m.compile()
    plant.parameters["k"] = STIFFNESS
    t_end = 0.5 * CONTACT_TIME
    result = plant.simulate(t_end=t_end, tolerance=1e-11)
    decay = c / (2 * MASS)
    omega = math.sqrt(STIFFNESS / MASS - decay**2)
    depth = SPEED / omega * np.exp(-decay * result.t) * np.sin(omega * result.t)
    assert -result["ball.q"] == pytest.approx(depth, abs=1e-9)


def test_own_law_with_a_memory() -> None:
    """Pressed by its weight alone a Maxwell element ends up sinking at mg over its damper."""
    result = ball(Relaxing(), gravity=9.81).compile().simulate(t_end=2.0, tolerance=1e-9)
    assert result["ball.qd"][-1] == pytest.approx(-MASS * 9.81 / 50.0, rel=1e-6)
    assert result["floor.creep"][-1] > 0.0


def test_own_friction() -> None:
    m = il.Model("sledge", gravity=(0.0, 0.0, 0.0))
    body = m.body("sledge", on=m.ground, joint=il.prismatic("x", initial=(0.0, 2.0)), mass=MASS)
    low = body.frame("low", (0.0, 0.0, -1e-3))
    m.contact(m.ground, il.plane(), low, il.point(), law=SpringAndDamper(1e3), friction=Grease(3.0))
    result = m.compile().simulate(t_end=0.5, tolerance=1e-10)
    assert result["sledge.qd"] == pytest.approx(2.0 * np.exp(-3.0 / MASS * result.t), rel=1e-7)


def test_a_contact_is_an_element() -> None:
    law = il.hunt_crossley(1e4, 1.5, 0.3)
    mechanism = ball(law, Grease(2.0)).build()
    (contact,) = mechanism.contacts
    # in the order in which it was written, whatever the law that carries it does
    assert (contact.a.path, contact.b.path) == ("ball", "ground")
    assert (contact.shape_a, contact.shape_b) == (il.point(), il.plane())
    assert contact.law == law and contact.friction == Grease(2.0)
    assert contact.gap == "floor.gap" and contact.where.startswith(__file__)
    (carrying,) = mechanism.frame_forces
    assert contact.carried_by == (carrying.name,)
    assert set(contact.outputs.values()) == {output.name for output in carrying.outputs}
    assert mechanism.touches
    assert json.loads(json.dumps(contact.data()))["between"] == ["ball", "ground"]


def test_describe_tells_contacts_by_their_laws() -> None:
    text = ball(SpringAndDamper(STIFFNESS, 3.0)).describe()
    (row,) = [line for line in text.splitlines() if line.startswith("floor ")]
    assert "SpringAndDamper(stiffness 25000, damping 3)" in row
    assert "ball, ground" in row
    # the same text whenever it is made: recordings are found by it
    assert ball(Relaxing()).describe() == ball(Relaxing()).describe()


def test_contacts_of_modes() -> None:
    m = ball(SpringAndDamper(STIFFNESS))
    on, off = m.mode("on"), m.mode("off")
    with m.during(on):
        m.contact("ball", il.point(), m.ground, il.plane(), law=SpringAndDamper(1.0), name="pad")
    m.event("leave", lambda q: q["ball"] - 1.0, mode=on, to=off)
    mechanism = m.build()
    assert [c.name for c in mechanism.in_mode("on").contacts] == ["floor", "pad"]
    assert [c.name for c in mechanism.in_mode("off").contacts] == ["floor"]


class Silent:
    def push(self, gap, gap_rate, states):  # type: ignore[no-untyped-def]
        return None


class Forgetful:
    def push(self, gap, gap_rate, states):  # type: ignore[no-untyped-def]
        return 0.0 * gap, {"memory": 1.0}


class OneWay:
    def drag(self, slip, push, gap, states):  # type: ignore[no-untyped-def]
        return (0.0,) * (len(slip) + 1)


@pytest.mark.parametrize(
    ("law", "friction", "words"),
    [
        (SpringAndDamper(-1.0), None, "stiffness must be > 0"),
        (SpringAndDamper, None, "law must be a normal force"),
        (Grease(1.0), None, "law must be a normal force"),
        (Silent(), None, "push of Silent must return one force"),
        (Forgetful(), None, "a rate of 'memory', which is not among"),
        (SpringAndDamper(1.0), SpringAndDamper(1.0), "friction must be a friction law"),
        (SpringAndDamper(1.0), OneWay(), "drag of OneWay must return as many forces"),
    ],
)
def test_mistakes_in_own_laws(law: object, friction: object, words: str) -> None:
    with pytest.raises(il.ModelError, match=words) as caught:
        ball(law, friction).build()
    assert all(mistake.fix and "floor" in mistake.what for mistake in caught.value.mistakes)
