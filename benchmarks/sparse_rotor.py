"""Newton matrices of a rotor: a hub, four blades of beam elements with flap and lag hinges."""

from __future__ import annotations

import numpy as np
import scipy

from benchmarks.sparse_matrices import SETS, Matrices, compressed

BLADES, NODES = 4, 30
BODY, HINGE = 6, 5  # unknowns
STEP = 1e-3  # [s]
LENGTH, MASS = 0.15, 0.4  # of an element [m], of a node [kg]
STRETCH, TWIST, FLAP, LAG = 2e8, 2e5, 4e4, 9e5  # EA [N], GJ, EI of both bendings [N·m²]
ROOT = 2 * (HINGE + BODY)  # two hinges, each with a body behind it


def rotor() -> Matrices:
    """M + h²/4 K of hub, hinges and beams, with the constraints of hinges; 819 unknowns.

    Numbered along the blades: hinge, body, hinge, body, nodes. Euler-Bernoulli beams in the axes of
    the blades, which flap and lag while the rotor turns.
    """
    random = np.random.default_rng(17)
    axes = random.normal(size=(2 * BLADES + 1, 2, 3))  # two perpendiculars of each hinge
    bend = random.uniform(-0.2, 0.2, (BLADES, NODES + 2, 3))
    sets = [_matrix(0.04 * k, axes, bend, random) for k in range(SETS)]
    return compressed("rotor with 4 blades of 30 nodes", sets)


def _matrix(
    angle: float, axes: np.ndarray, bend: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    n = BODY + HINGE + BLADES * (ROOT + BODY * NODES)
    A = np.zeros((n, n))
    turn = scipy.spatial.transform.Rotation.from_rotvec
    hub = HINGE
    _put_body(A, hub, turn([0.0, 0.0, angle]).as_matrix(), 30.0)
    _put_hinge(A, 0, axes[0], [hub])
    for blade in range(BLADES):
        first = HINGE + BODY + blade * (ROOT + BODY * NODES)
        around = turn([0.0, 0.0, angle + 0.5 * np.pi * blade])
        places = [hub, first + HINGE, first + ROOT - BODY]
        places += [first + ROOT + BODY * k for k in range(NODES)]
        # orientations change along the blade and from set to set
        moved = bend[blade] + 0.02 * random.normal(size=bend[blade].shape)
        frames = [(around * turn(each)).as_matrix() for each in moved]
        for at, frame in zip(places[1:], frames, strict=True):
            _put_body(A, at, frame, MASS)
        for k, row in enumerate((first, first + HINGE + BODY)):
            turned = axes[1 + 2 * blade + k] @ frames[k].T
            _put_hinge(A, row, turned, places[k : k + 2])
        for a, b, frame in zip(places[2:-1], places[3:], frames[1:-1], strict=True):
            _put_beam(A, a, b, frame)
    return A


def _put_body(A: np.ndarray, at: int, R: np.ndarray, mass: float) -> None:
    inertia = R @ np.diag([0.7, 1.1, 1.6]) @ R.T
    A[at : at + 3, at : at + 3] += mass * np.eye(3)
    A[at + 3 : at + 6, at + 3 : at + 6] += 0.01 * mass * inertia


def _put_hinge(A: np.ndarray, row: int, axes: np.ndarray, bodies: list[int]) -> None:
    """Rows of a hinge and their transpose; a single body is attached to the ground."""
    for sign, at in zip((1.0, -1.0), bodies, strict=False):
        arm = sign * 0.1 * axes[0]
        G = np.zeros((HINGE, BODY))
        G[:3, :3], G[:3, 3:], G[3:, 3:] = sign * np.eye(3), np.cross(np.eye(3), arm), sign * axes
        A[row : row + HINGE, at : at + BODY] = G
        A[at : at + BODY, row : row + HINGE] = G.T


def _put_beam(A: np.ndarray, a: int, b: int, R: np.ndarray) -> None:
    """Stiffness of one element between two nodes, along x of its frame."""
    L, K = LENGTH, np.zeros((12, 12))
    for at, stiffness in ((0, STRETCH / L), (3, TWIST / L)):
        K[np.ix_([at, at + 6], [at, at + 6])] = stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for shift, turn, sign, stiffness in ((1, 5, 1.0, LAG), (2, 4, -1.0, FLAP)):
        near, far = 6.0 * L, 2.0 * L * L
        B = np.array([
            [12.0, near, -12.0, near],
            [near, 2.0 * far, -near, far],
            [-12.0, -near, 12.0, -near],
            [near, far, -near, 2.0 * far],
        ])  # fmt: skip
        signs = np.array([1.0, sign, 1.0, sign])
        lines = [shift, turn, shift + 6, turn + 6]
        K[np.ix_(lines, lines)] += stiffness / L**3 * B * np.outer(signs, signs)
    turned = scipy.linalg.block_diag(R, R, R, R)
    lines = [*range(a, a + BODY), *range(b, b + BODY)]
    A[np.ix_(lines, lines)] += 0.25 * STEP**2 * turned @ K @ turned.T
