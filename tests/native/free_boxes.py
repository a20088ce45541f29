"""Boxes that are free to move in space and lie on each other (free_boxes.c)."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from inloop.native import (
    COUNT,
    POINTER,
    BuildOptions,
    NativeLibrary,
    build_library,
    load_runtime,
    runtime_headers,
)

G, HEAD, SLOT = 9.81, 3, 4
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


class _Scene(ctypes.Structure):
    """As `scene` in C."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("count", "slots")),
        *((name, ctypes.c_double) for name in ("h", "g", "mu", "e", "soft", "patience")),
        *((n, ctypes.c_void_p) for n in ("sides", "corners", "masses", "poses", "v", "states")),
    )


def build() -> NativeLibrary:
    """The program in C, with the runtime."""
    own = (Path(__file__).parent / "free_boxes.c").read_text()
    linked = BuildOptions(strict=True, linked=(load_runtime().path,))
    return NativeLibrary(build_library({"free_boxes.c": own}, runtime_headers(), options=linked))


@dataclass
class Boxes:
    """Boxes on the plane z = 0.

    Attributes:
        sides: halves of their edges [m], shape (n, 3).
        places: of their centers [m].
        masses: [kg].
        stiffness: of contacts [N/m].
        slots: contacts that may carry.
        patient: not bounded in time.
        velocities: v and w at the start.
    """

    sides: np.ndarray
    places: np.ndarray
    masses: np.ndarray
    stiffness: float = 1e7
    slots: int = 1024
    patient: bool = True
    friction: float = 0.6
    velocities: np.ndarray | None = None
    poses: np.ndarray = field(init=False)
    v: np.ndarray = field(init=False)
    states: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """At rest, or with given velocities."""
        count = len(self.sides)
        self.poses = np.hstack([self.places, np.tile(np.eye(3).ravel(), (count, 1))])
        self.v = np.zeros((count, 6)) if self.velocities is None else self.velocities.copy()
        self.states = np.zeros(HEAD + SLOT * self.slots)
        self.corners = np.ascontiguousarray(CORNERS * self.sides[:, None, :])
        inertia = self.masses * (self.sides**2).sum(axis=1) * (2.0 / 9.0)
        self.inertias = np.ascontiguousarray(np.stack([self.masses, inertia], axis=1))

    def run(self, library: NativeLibrary, steps: int, h: float = 1e-3) -> np.ndarray:
        """Some steps; residual of each."""
        arrays = (self.sides, self.corners, self.inertias, self.poses, self.v, self.states)
        numbers = (h, G, self.friction, 0.0, 1.0 / self.stiffness, float(self.patient))
        scene = _Scene(len(self.sides), self.slots, *numbers, *(a.ctypes.data for a in arrays))
        residuals = np.zeros(steps)
        run = library.function("run_boxes", POINTER, COUNT, POINTER)
        assert run(ctypes.addressof(scene), steps, residuals.ctypes.data) == 0
        return residuals

    @property
    def energy(self) -> float:
        """Of motion and height [J]."""
        moving = 0.5 * (self.inertias @ [[1, 0], [0, 1]] * self._squares()).sum()
        return float(moving + G * (self.masses * self.poses[:, 2]).sum())

    def _squares(self) -> np.ndarray:
        return np.stack([(self.v[:, :3] ** 2).sum(1), (self.v[:, 3:] ** 2).sum(1)], axis=1)

    @property
    def slots_used(self) -> np.ndarray:
        """Forces of contacts that carry, and their identities, shape (contacts, 4)."""
        slots = self.states[HEAD:].reshape(-1, SLOT)
        return slots[slots[:, 3] != 0.0]

    @property
    def on_the_ground(self) -> np.ndarray:
        """Normal forces on the plane [N]: pairs with member 0 have the lowest numbers."""
        pair = np.abs(self.slots_used[:, 3]) // 2**28
        return self.slots_used[pair <= len(self.sides), 0]
