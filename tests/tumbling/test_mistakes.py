"""What a careless person may write about bodies that tumble, and what they are told."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import inloop as il


def hull(**options: object) -> il.Model:
    m = il.Model("hull")
    m.body("hull", on=m.ground, joint=il.ball(**options), mass=1.0, inertia=(0.1, 0.2, 0.3))
    return m


@cache
def plant() -> il.Plant:
    return hull().compile()


@pytest.mark.parametrize("initial", [(1, 0, 0), (0, 0, 0, 0), (1, 0, 0, np.nan), "x", 3])
def test_no_quaternion(initial: object) -> None:
    with pytest.raises(il.ModelError, match=r"not a quaternion.*\(w, x, y, z\)"):
        il.ball(initial=initial)


def test_no_angular_velocity() -> None:
    with pytest.raises(il.ModelError, match="not an angular velocity"):
        il.ball(rate=(1.0, 2.0))


def test_angles_do_not_take_quaternions() -> None:
    with pytest.raises(il.ModelError, match="angles=True cannot be combined with a quaternion"):
        il.ball(initial=(1, 0, 0, 0), angles=True)


@pytest.mark.parametrize("place", ["hull_wx", "hull_wy"])
def test_nothing_hangs_on_a_part_of_the_joint(place: str) -> None:
    m = hull()
    m.body("hand", on=place, joint=il.revolute("x"), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(
        il.ModelError, match=f"'hand': is attached to '{place}', a part of a ball joint"
    ):
        m.build()


def test_no_force_acts_on_a_part_of_the_joint() -> None:
    m = hull()
    m.force("hull_wx", lambda t: (0, 0, 1))
    with pytest.raises(il.ModelError, match="a part of a ball joint"):
        m.build()


def test_the_parts_belong_together() -> None:
    m = il.Model("parts")
    m.body("hull", on=m.ground, joint=il.ball()[1:], mass=1.0, inertia=(0.1, 0.2, 0.3))
    with pytest.raises(il.ModelError, match=r"part 2 of a ball joint.*joint=ball\(\)"):
        m.build()


@pytest.mark.parametrize("name", ["hull_wx", "hull.qw"])
def test_a_part_of_an_attitude_is_no_position(name: str) -> None:
    with pytest.raises(il.InputError, match=r'Give its quaternion: \{"hull": \(1, 0, 0, 0\)\}'):
        plant().simulate(t_end=0.1, q={name: 0.3})


def test_sizes_of_named_values() -> None:
    with pytest.raises(il.InputError, match="quaternion"):
        plant().vector(hull=(1, 0, 0))
    with pytest.raises(il.InputError, match="three components"):
        plant().velocities(hull=(1, 0, 0, 0))
    with pytest.raises(il.InputError, match=r"q has shape .* needs 7 entries"):
        plant().mass_matrix([0.0, 0.0, 0.0])


def test_length_of_a_given_quaternion_does_not_matter() -> None:
    found = plant().simulate(t_end=0.01, q={"hull": (0, 0, 3.0, 0)})
    np.testing.assert_array_equal(found.q[0], [0, 0, 0, 0, 0, 1, 0])


def test_a_quaternion_without_length() -> None:
    with pytest.raises(il.InputError, match="a quaternion in q is zero"):
        plant().vector(hull=(0, 0, 0, 0))
    with pytest.raises(il.InputError, match="a quaternion in q is zero"):
        plant().simulate(t_end=0.1, q=[0.0] * 7)


def test_a_law_that_takes_a_turn_for_a_position_is_told() -> None:
    m = hull()
    m.joint_force("hull_wx", lambda q, qd: -3.0 * q)
    m.joint_force("hull_wy", lambda q, qd: -3.0 * qd)
    (note,) = (note for note in m.build().notes if "counts turns" in note)
    assert "'hull_wx'" in note
