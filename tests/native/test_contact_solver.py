"""Contacts with friction that act on each other, solved in C."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from contact_problems import body_on_points, deviation, random_problem, stack

import inloop as il
from inloop.errors import InputError
from inloop.native.mirror import mirror

TIGHT = 1e-8


def check(W: np.ndarray, q: np.ndarray, mu: np.ndarray, rows: int = 3) -> il.ContactSolution:
    found = il.solve_contacts(W, q, mu, rows=rows)
    assert found.status == "OK" and found.residual <= TIGHT
    assert deviation(W, q, mu, found.impulses, rows) < 10 * TIGHT
    return found


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("contacts", [1, 2, 6, 13])
def test_random_contacts(rows: int, contacts: int) -> None:
    for seed in range(12):
        check(*random_problem(seed, contacts, rows), rows)


@pytest.mark.parametrize("contacts", [2, 4, 8, 16])
def test_more_contacts_than_a_body_can_feel(contacts: int) -> None:
    for seed in range(12):
        W, q, mu = body_on_points(seed, contacts)
        assert np.linalg.matrix_rank(W) <= 6
        check(W, q, mu)


@pytest.mark.parametrize("top", [1.0, 100.0, 1e4])
def test_a_stack_of_boxes_carries_its_weight(top: float) -> None:
    W, q, weights = stack((1.0, 1.3, 0.7, 1.1, top), 0.0, 0.0)
    found = check(W, q, np.full(20, 0.5))
    # four points each; their shares are not unique, their sums are
    levels = found.impulses[::3].reshape(5, 4).sum(axis=1)
    assert levels == pytest.approx(np.cumsum(weights[::-1])[::-1], rel=1e-7)


@pytest.mark.parametrize(("tilt", "stays"), [(np.radians(15), True), (np.radians(20), False)])
def test_a_stack_on_an_incline(tilt: float, stays: bool) -> None:
    W, q, weights = stack((1.0,) * 5, tilt, 0.0)
    found = check(W, q, np.repeat([0.3, 0.5], [4, 16]))
    slip = found.velocities.reshape(5, 4, 3)
    # it slides on the ground alone, as one: a = g (sin - mu cos)
    expected = 0.0 if stays else 9.81e-3 * (np.sin(tilt) - 0.3 * np.cos(tilt))
    assert slip[0, :, 1] == pytest.approx(expected, abs=1e-9)
    assert slip[1:, :, 1] == pytest.approx(0.0, abs=1e-9)
    assert found.impulses[:12:3].sum() == pytest.approx(weights.sum() * np.cos(tilt), rel=1e-7)


def test_the_lowest_box_is_pulled_away() -> None:
    mu = np.repeat([0.3, 0.2, 0.5, 0.5, 0.5], 4)
    W, q, _ = stack((1.0,) * 5, 0.0, 1.0)
    found = check(W, q, mu)
    # friction of the ground 0.3 · 5 g, of the box above 0.2 · 4 g; the others stay together
    velocity = np.cumsum(found.velocities.reshape(5, 4, 3)[:, 0, 1])
    assert velocity[0] == pytest.approx(1.0 - 2.3 * 9.81e-3, abs=1e-8)
    assert velocity[1:] == pytest.approx(0.2 * 9.81e-3, abs=1e-8)


def test_units_of_mass_change_nothing() -> None:
    W, q, mu = random_problem(5, 6)
    found = check(W, q, mu)
    for unit in (1e-6, 1e6):
        scaled = check(W * unit, q, mu)
        assert scaled.velocities == pytest.approx(found.velocities, abs=1e-7 * np.abs(q).max())
        assert scaled.residual == pytest.approx(found.residual, abs=TIGHT)


def test_the_order_of_contacts_does_not_change_velocities() -> None:
    W, q, mu = random_problem(9, 8)
    tight = il.solve_contacts(W, q, mu, tolerance=1e-11)
    order = np.random.default_rng(1).permutation(8)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    other = il.solve_contacts(W[np.ix_(rows, rows)], q[rows], mu[order], tolerance=1e-11)
    assert tight.status == other.status == "OK"
    assert other.velocities == pytest.approx(tight.velocities[rows], abs=1e-9 * np.abs(q).max())


def test_contacts_of_one_two_and_three_rows_together() -> None:
    W, q, mu = random_problem(2, 2)
    # a third contact without friction: the normal of a plane contact, both alone in the mechanism
    whole = np.zeros((9, 9))
    whole[:6, :6], whole[6:8, 6:8], whole[8, 8] = W, [[2.0, 0.7], [0.7, 1.5]], 4.0
    both = il.solve_contacts(whole, [*q, -1.0, 5.0, -2.0], [*mu, 0.3, 0.0], rows=[3, 3, 2, 1])
    assert both.status == "OK"
    assert both.impulses[:6] == pytest.approx(check(W, q, mu).impulses, rel=1e-6)
    assert both.impulses[6:] == pytest.approx([1 / 1.79, -0.3 / 1.79, 0.5])


def test_a_warm_start_saves_work_and_is_kept_where_it_solves() -> None:
    W, q, mu = random_problem(4, 12)
    cold = check(W, q, mu)
    again = il.solve_contacts(W, q, mu, start=cold.impulses)
    assert (again.impulses == cold.impulses).all() and again.newtons == again.sweeps == 0
    near = il.solve_contacts(W, q * (1 + 1e-3), mu, start=cold.impulses)
    assert near.status == "OK" and near.sweeps == 0 and near.newtons < cold.newtons + cold.sweeps


def test_a_start_is_only_left_for_something_better() -> None:
    W, q, mu = random_problem(4, 12)
    start = check(W, q, mu).impulses * 1.01
    told = [
        il.solve_contacts(W, q, mu, start=r, sweeps=0, newtons=0, tolerance=1e-15)
        for r in (start, np.zeros(36))
    ]
    assert (told[0].impulses == start).all() and 1e-4 < told[0].residual < 0.1 * told[1].residual


def test_compliance_makes_shares_unique_and_gives_way() -> None:
    W, q, weights = stack((1.0,) * 3, 0.0, 0.0)
    R = 0.1
    found = il.solve_contacts(W, q, 0.5, compliance=R)
    assert found.status == "OK"
    # each of the four points carries a quarter; it sinks with r R
    n = found.impulses[::3].reshape(3, 4)
    assert n == pytest.approx(np.repeat(n.mean(axis=1, keepdims=True), 4, axis=1), rel=1e-7)
    assert W @ found.impulses + q == pytest.approx(-R * found.impulses, abs=1e-9)
    assert n.sum(axis=1)[0] < weights.sum()


def test_contacts_that_nothing_can_satisfy_are_told() -> None:
    # between two drives: the normal closes and no impulse can stop it
    W, q, mu = random_problem(3, 2)
    W[:3], W[:, :3], q[:3] = 0.0, 0.0, [-0.2, 0.0, 0.0]
    found = il.solve_contacts(W, q, mu)
    assert found.status == "CONTACT_INEXACT"
    assert found.residual >= 0.2 / np.abs(q).max() * 0.999
    assert deviation(W[3:, 3:], q[3:], mu[1:], found.impulses[3:]) < 1e-6


def test_effort_is_bounded_and_what_is_missed_is_told() -> None:
    W, q, mu = random_problem(4, 12)
    found = il.solve_contacts(W, q, mu, sweeps=3, newtons=1, tolerance=1e-14)
    assert found.status == "CONTACT_INEXACT"
    assert (found.sweeps, found.newtons) <= (3, 1) and 1e-14 < found.residual < 1.0


def test_nothing_to_do() -> None:
    assert il.solve_contacts(np.zeros((0, 0)), np.zeros(0), 0.3).status == "OK"
    W, _, mu = random_problem(1, 3)
    still = il.solve_contacts(W, np.zeros(9), mu, start=np.ones(9))
    assert still.status == "OK" and not still.impulses.any()
    away = il.solve_contacts(W, np.tile([1.0, -3.0, 2.0], 3), mu)
    assert away.status == "OK" and not away.impulses.any()


def test_wrong_arguments_are_told() -> None:
    W, q, mu = random_problem(1, 3)
    for arguments, text in (
        (dict(W=W[:6]), "W has shape"),
        (dict(W=W * np.nan), "W has a number that is not finite"),
        (dict(mu=-mu), "mu has -"),
        (dict(mu=mu[:2]), "mu has shape"),
        (dict(rows=4), "rows=4"),
        (dict(rows=[3, 3, 2]), "do not make up the 9 rows"),
        (dict(compliance=-1.0), "compliance has -1"),
        (dict(tolerance=0.0), "tolerance=0"),
        (dict(start=q[:2]), "start has shape"),
        (dict(q=["a"] * 9), "q is not an array of numbers"),
    ):
        with pytest.raises(InputError, match=text):
            il.solve_contacts(**{**dict(W=W, q=q, mu=mu), **arguments})


def test_work_stays_within_its_memory() -> None:
    from inloop.native import COUNT, POINTER, load_runtime

    runtime = load_runtime()
    size = runtime.function("il_contact_work_size", COUNT, COUNT, returns=COUNT)
    solve = runtime.function("il_contact_solve", *[POINTER] * 5)
    assert size(2, 13) == size(2, 1) == size(-1, 0) == -1
    for contacts in (1, 2, 3, 5):
        W, q, mu = random_problem(1, contacts)
        length, margin = size(contacts, 3 * contacts), 64
        work = np.full(length + 2 * margin, 1.25)
        first = 3 * np.arange(contacts + 1)
        arrays = {"first": first, "mu": mu, "W": np.ascontiguousarray(W), "q": q}
        problem = mirror("il_contact_problem")(
            count=contacts,
            stride=3 * contacts,
            R=None,
            **{name: a.ctypes.data for name, a in arrays.items()},
        )
        effort = mirror("il_contact_effort")(tolerance=1e-15, sweeps=20, newtons=20)
        report, r = mirror("il_contact_report")(), np.zeros(3 * contacts)
        given = [ctypes.addressof(x) for x in (problem, effort, report)]
        solve(given[0], given[1], r.ctypes.data, work[margin:].ctypes.data, given[2])
        assert (work[:margin] == 1.25).all() and (work[-margin:] == 1.25).all()
