"""Contacts that resist rolling and drilling, judged by their conditions alone."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.errors import InputError


def problem(
    rng: np.random.Generator, contacts: int, coordinates: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W of six rows by contact, whose moments have lengths of about 1e-3 m; q, friction."""
    H = rng.normal(size=(6 * contacts, coordinates))
    lengths = np.tile([1.0, 1.0, 1.0, 2e-3, 2e-3, 5e-4], contacts)
    H *= lengths[:, None]
    q = H @ rng.normal(size=coordinates)
    return H @ H.T, q, rng.uniform(0.1, 0.9, contacts)


def check(W: np.ndarray, q: np.ndarray, mu: np.ndarray, r: np.ndarray) -> list[str]:
    """Assert the conditions of all contacts; what each disc does."""
    u = W @ r + q
    size, deeds = np.abs(q).max(), []
    for i, limit in enumerate(mu):
        own = slice(6 * i, 6 * i + 6)
        n, v = r[own], u[own]
        assert n[0] >= 0.0 and v[0] > -1e-7 * size
        assert n[0] * v[0] < 1e-6 * size * max(1.0, np.abs(r).max())
        for rows, bound, length in (
            (slice(1, 3), limit, 1.0),
            (slice(3, 5), 1.0, 2e-3),
            (slice(5, 6), 1.0, 5e-4),
        ):
            pull, slip = n[rows], v[rows]
            most = bound * n[0]
            assert np.linalg.norm(pull) <= most * (1.0 + 1e-7) + 1e-12
            if np.linalg.norm(slip) > 1e-6 * length * size and n[0] > 0.0:
                against = -most * slip / np.linalg.norm(slip)
                assert pull == pytest.approx(against, abs=1e-4 * most)
                deeds.append("slips")
            else:
                deeds.append("sticks" if n[0] > 0.0 else "open")
    return deeds


@pytest.mark.parametrize(("contacts", "coordinates"), [(1, 6), (3, 18), (4, 9), (8, 20)])
def test_conditions_hold_for_any_contacts(contacts: int, coordinates: int) -> None:
    rng = np.random.default_rng(contacts)
    seen: set[str] = set()
    for _ in range(25):
        W, q, mu = problem(rng, contacts, coordinates)
        found = il.solve_contacts(W, q, mu, rows=6, turning=[(2, 1)] * contacts)
        assert found.status == "OK" and found.residual <= 1e-8
        seen.update(check(W, q, mu, found.impulses))
    assert seen == {"slips", "sticks", "open"}


def test_without_moments_it_is_dry_friction() -> None:
    rng = np.random.default_rng(3)
    H = rng.normal(size=(12, 30))
    W, q = H @ H.T, rng.normal(size=12)
    plain = il.solve_contacts(W, q, 0.4)
    same = il.solve_contacts(W, q, 0.4, turning=[(0, 0)] * 4)
    assert same.impulses == pytest.approx(plain.impulses, abs=1e-7)


def test_a_moment_that_turns_nothing_is_told() -> None:
    # what turns is driven: W has no such row, and the moment is as large as it may be
    W = np.diag([0.5, 0.5, 0.5, 0.0, 0.0])
    found = il.solve_contacts(W, [-3.0, 0.0, 0.0, 0.3, -0.4], 0.5, rows=5, turning=[(2, 0)])
    assert found.status == "OK"
    assert found.impulses == pytest.approx([6.0, 0.0, 0.0, -3.6, 4.8])


@pytest.mark.parametrize(
    "turning", [[(3, 0)], [(2, 2)], [(2, 1), (0, 0)], [(-1, 0)], "no", [(2, 0)]]
)
def test_rows_that_make_no_sense_are_refused(turning: object) -> None:
    rows = 2 if turning == [(2, 0)] else 6
    with pytest.raises(InputError, match="turning="):
        il.solve_contacts(np.eye(rows), -np.ones(rows), 0.5, rows=rows, turning=turning)  # type: ignore[arg-type]
