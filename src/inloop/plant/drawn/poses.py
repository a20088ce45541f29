"""Where all bodies are, in one compiled function: for pages that show a mechanism while it runs.

The library outlives the process that built it, and its facts are plain data: another process
evaluates it without deriving anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import FileFormatError
from inloop.formalisms import Derivation
from inloop.formalisms.vectors import product, transpose
from inloop.model import Mechanism
from inloop.model.geometry import Matrix3, Vector3
from inloop.native import NativeLibrary, aligned_zeros
from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.store import Store
from inloop.plant import labels
from inloop.plant.engine import Array, NativeEngine, Unit
from inloop.plant.passes import run_passes
from inloop.symbolic import Expr, Output, Program


@dataclass(frozen=True)
class PoseLibrary:
    """A compiled library and what is needed to call it; plain data.

    Attributes:
        path: of the library.
        prefix: first part of its functions' names.
        positions: names of the entries of q as signals, in order: "crank.q", "hull.qw".
        parameters: names of the parameters, in order.
        defaults: their values.
        bodies: names of the bodies, in order.
        points: number of points that are fixed in their bodies.
        prepared: number of quantities that follow from parameters.
        code: C files that it was compiled from, by name; empty if it was read from a file.
    """

    path: str
    prefix: str
    positions: tuple[str, ...]
    parameters: tuple[str, ...]
    defaults: tuple[float, ...]
    bodies: tuple[str, ...]
    points: int
    prepared: int
    code: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def fits(self, signals: Mapping[str, int], coordinates: int) -> bool:
        """Whether a plant with these signals, so many of them coordinates, is what it draws."""
        own = sum(name.endswith(".q") for name in self.positions)
        return own == coordinates and all(name in signals for name in self.positions)

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {name: value for name, value in asdict(self).items() if name != "code"}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PoseLibrary:
        """What `data` has given; its library is looked up in the build cache, and nowhere else.

        Raises:
            FileFormatError: the cache does not have it.
        """
        lists = ("positions", "parameters", "defaults", "bodies")
        plain: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in data.items()}
        # a file may say which library of ours it means, not which file is to be loaded
        library = Store(cache_directory()).find(Path(plain["path"]).parent.name)
        if library is None:
            raise FileFormatError(
                f"the build cache does not contain {plain['path'][:200]!a}", fix="Build it again."
            )
        return cls(**{**plain, "path": str(library)})


def build_poses(
    mechanism: Mechanism, points: Sequence[Vector3] = (), turns: Sequence[Matrix3] = ()
) -> PoseLibrary:
    """Derive and compile the poses of all bodies.

    Args:
        mechanism: the frozen model.
        points: vectors in body axes that may follow from parameters [m].
        turns: rotations that may follow from parameters; each gives three more points, its columns.
    """
    derivation = Derivation(mechanism)
    symbols = derivation.symbols
    rows = [body_pose(derivation, k) for k in range(derivation.n)]
    fixed = fixed_points(derivation, points, turns)
    programs = [
        derivation.make(
            "poses", "q", (Output.matrix("X", rows, "p_WB [m] and R_WB of each body"),),
            "Position and orientation of all bodies.", "forward kinematics",
        ),
        derivation.make(
            "points", "q", (Output.matrix("P", fixed or [(symbols.graph.zero,) * 3], "p_BQ [m]"),),
            "Points that are fixed in their bodies.", "as given",
        ),
    ]  # fmt: skip
    return _build(mechanism, derivation, programs, len(fixed))


def fixed_points(
    derivation: Derivation, points: Sequence[Vector3], turns: Sequence[Matrix3]
) -> list[tuple[Expr, ...]]:
    """Points that are fixed in their bodies, then the columns of rotations."""
    symbols = derivation.symbols
    found = [tuple(symbols.vector(p, "point", "m")) for p in points]
    return found + [tuple(c) for turn in turns for c in transpose(symbols.matrix(turn))]


def body_pose(derivation: Derivation, k: int) -> list[Expr]:
    """p_WB and the rows of R_WB of body k: twelve numbers."""
    link = derivation.skeleton.links[k]
    pose = derivation.internal_poses[k]
    zero = derivation.graph.zero
    R_WB = product(pose.R_WC, transpose(link.R_BC))
    return [*pose.point(link.point((zero, zero, zero))), *(e for row in R_WB for e in row)]


def _build(
    mechanism: Mechanism, derivation: Derivation, programs: Sequence[Program], points: int
) -> PoseLibrary:
    prepare, done, _ = run_passes(programs, derivation.parameters)
    declared = derivation.symbols.parameters
    prefix = f"{mechanism.name}_poses"
    about = labels.about(mechanism, declared)
    manifest = labels.manifest(mechanism, derivation.input_names, declared, done)
    engine = NativeEngine(Unit(prefix, prepare, tuple(done), about, manifest))
    return PoseLibrary(
        str(engine.library.path),
        prefix,
        (
            *(f"{name}.q" for name in mechanism.coordinates),
            *mechanism.positions[len(mechanism.coordinates) :],
        ),
        tuple(p.name for p in declared),
        tuple(p.default for p in declared),
        tuple(body.name for body in mechanism.bodies),
        points,
        len(prepare.exprs),
        {**engine.headers, **engine.sources},
    )


class Poses:
    """The poses of all bodies at one position after the other.

    Attributes:
        library: what is called.
        points: p_BQ of the fixed points for the parameters as they are [m], shape (points, 3).
    """

    def __init__(self, library: PoseLibrary) -> None:
        self.library = library
        loaded = NativeLibrary(Path(library.path))
        self._par = aligned_zeros(max(1, len(library.parameters)))
        self._pre = aligned_zeros(max(1, library.prepared))
        self._q = aligned_zeros(len(library.positions))
        self._X = aligned_zeros(len(library.bodies), 12)
        self._P = aligned_zeros(max(1, library.points), 3)
        self._par[: len(library.defaults)] = library.defaults
        arrays = {"prepare": (self._par, self._pre), "poses": (self._pre, self._q, self._X),
                  "points": (self._pre, self._q, self._P)}  # fmt: skip
        self._prepare, self._poses, self._points = (
            loaded.bind(f"{library.prefix}_{name}", *given, returns=None)
            for name, given in arrays.items()
        )
        self.set_parameters({})

    @property
    def points(self) -> Array:
        """A copy."""
        return np.array(self._P[: self.library.points])

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Take over parameters by name; those the library does not know make no difference."""
        for k, name in enumerate(self.library.parameters):
            self._par[k] = values.get(name, self._par[k])
        self._prepare()
        self._points()

    def at(self, q: Array) -> Array:
        """Poses at q: p_WB [m] and the rows of R_WB, shape (bodies, 12); valid until next time."""
        self._q[:] = q
        self._poses()
        return self._X

    def over(self, positions: Array) -> Array:
        """Poses at many positions, shape (N, bodies, 12)."""
        return np.array([self.at(q).copy() for q in positions])


def quaternions(X: Array) -> Array:
    """Position and quaternion (x, y, z, w) of each pose, shape (bodies, 7).

    Of the four formulas the one with the largest divisor is used (Shepperd 1978).
    """
    R = X[:, 3:].reshape(-1, 3, 3)
    d = np.einsum("nii->ni", R)
    # 4 x², 4 y², 4 z², 4 w²
    squares = np.empty((len(X), 4))
    squares[:, :3] = 1.0 + 2.0 * d - d.sum(axis=1, keepdims=True)
    squares[:, 3] = 1.0 + d.sum(axis=1)
    S, A = R + R.transpose(0, 2, 1), R - R.transpose(0, 2, 1)
    K = np.empty((len(X), 4, 4))  # 4 times the outer product of the quaternion with itself
    K[:, :3, :3] = S
    K[:, 3, 0], K[:, 3, 1], K[:, 3, 2] = A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]
    K[:, :3, 3] = K[:, 3, :3]
    K[:, range(4), range(4)] = squares
    best = np.argmax(squares, axis=1)
    rows = np.arange(len(X))
    found = np.empty((len(X), 7))
    found[:, :3] = X[:, :3]
    found[:, 3:] = K[rows, best] / (2.0 * np.sqrt(squares[rows, best]))[:, None]
    return found
