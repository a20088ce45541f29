"""Contact problems for tests, and an independent judgment of their solutions."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def deviation(W: Array, q: Array, mu: Array, r: Array, rows: int = 3) -> float:
    """How far impulses are from Coulomb's conditions, told from these alone, without projections.

    Velocities in parts of max |q|, impulses as the velocities that they make. Each contact must
    be open, stick or slip; the best of the three counts.
    """
    u, size, worst = W @ r + q, np.abs(q).max(), 0.0
    for i, friction in enumerate(np.broadcast_to(mu, len(q) // rows)):
        at = slice(rows * i, rows * i + rows)
        w = np.trace(W[at, at]) / rows
        (n, *t), (u_n, *u_t) = r[at] * w, u[at]
        most, rub, slip = friction * n, np.linalg.norm(t), np.linalg.norm(u_t)
        # forces aside of where they belong, or velocities: near other modes one means nothing
        aside = min(
            np.linalg.norm(np.array(t) * slip + most * np.array(u_t)) / max(slip, 1e-300),
            np.linalg.norm(np.array(u_t) * rub + slip * np.array(t)) / max(rub, 1e-300),
        )
        opens = max(np.linalg.norm(r[at]) * w, -u_n)
        sticks = max(np.linalg.norm(u[at]), rub - most, -n)
        slips = max(abs(u_n), abs(rub - most), aside, -n)
        worst = max(worst, min(opens, sticks, slips))
    return worst / size


def random_problem(seed: int, contacts: int, rows: int = 3) -> tuple[Array, Array, Array]:
    """Contacts of a mechanism with a few coordinates more than they have rows: W = H M⁻¹ Hᵀ."""
    random = np.random.default_rng(seed)
    coordinates = rows * contacts + 3
    H = random.normal(size=(rows * contacts, coordinates))
    L = random.normal(size=(coordinates, coordinates)) * np.exp(random.uniform(-1, 1, coordinates))
    W = H @ np.linalg.solve(L @ L.T + 0.3 * np.eye(coordinates), H.T)
    # the contacts mostly close
    v = random.normal(size=coordinates) - 0.8 * H[::rows].sum(axis=0) / np.sqrt(contacts)
    return W, H @ v, random.uniform(0.05, 0.8, contacts)


def body_on_points(seed: int, contacts: int) -> tuple[Array, Array, Array]:
    """One rigid body of 2 kg that falls on many points of a plane, slides and turns."""
    random = np.random.default_rng(seed)
    points = random.uniform(-0.3, 0.3, (contacts, 3)) * [1.0, 1.0, 0.05] - [0.0, 0.0, 0.2]
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    H = np.vstack([np.hstack([axes, np.cross(p, axes)]) for p in points])
    inverse = 1.0 / np.array([2.0, 2.0, 2.0, 0.03, 0.05, 0.07])
    v = random.normal(size=6) * [0.5, 0.5, 0.3, 0.4, 0.4, 2.0] - [0.0, 0.0, 0.8, 0.0, 0.0, 0.0]
    return H * inverse @ H.T, H @ v, random.uniform(0.1, 0.9, contacts)


def stack(masses: tuple[float, ...], tilt: float, velocity: float) -> tuple[Array, Array, Array]:
    """Boxes of 0.2 × 0.2 × 0.1 m on each other after 1 ms of gravity, four points each.

    The lowest box moves along x. Returns W, q and the momenta that gravity gives in 1 ms [N·s].
    """
    count, sides = len(masses), np.array([0.2, 0.2, 0.1])
    inverse, v = np.zeros(6 * count), np.zeros(6 * count)
    given = 9.81e-3 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    for i, mass in enumerate(masses):
        inertia = mass / 12.0 * ((sides**2).sum() - sides**2)
        inverse[6 * i : 6 * i + 6] = 1.0 / np.array([mass] * 3 + list(inertia))
        v[6 * i : 6 * i + 3] = given
    v[0] += velocity
    H = []
    for i in range(count):
        for x, y in ((-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)):
            for axis in np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]):
                row = np.zeros(6 * count)
                row[6 * i : 6 * i + 6] = *axis, *np.cross([x, y, -0.05], axis)
                if i > 0:
                    row[6 * i - 6 : 6 * i] = *-axis, *np.cross([x, y, 0.05], -axis)
                H.append(row)
    rows = np.array(H)
    return rows * inverse @ rows.T, rows @ v, np.array(masses) * 9.81e-3
