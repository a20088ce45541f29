"""Where points and frames of a plant are, and how they move; derived and built on first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.formalisms.sensors import sensor_name
from inloop.model.names import quoted
from inloop.plant.engine import Array
from inloop.plant.equations import Equations


class Sensors:
    """Functions of points, frames and bodies by path, such as "arm.tip"."""

    def __init__(self, equations: Equations) -> None:
        self._equations = equations

    def function(self, path: str, kind: str) -> str:
        """Name of the function "pose", "motion" or "jacobian" of a point."""
        if not isinstance(path, str):
            raise InputError(
                f"{quoted(path)} is not the path of a point", fix='Give a path such as "arm.tip".'
            )
        derivation = self._equations.derivation
        name = f"{sensor_name(path)}_{kind}"
        return self._equations.offer(name, lambda: derivation.sensor(path))

    def pose(
        self, path: str, q: Any, axes: str | None = None, ready: bool = False
    ) -> tuple[Array, Array]:
        """Position p_WQ and orientation R_WF, or p_AQ and R_AF in the axes of another frame A.

        If `ready`, it waits for no compiler.
        """
        found = self._equations.evaluate(self.function(path, "pose"), ready=ready, q=q)
        if axes is None:
            return found["p"], found["R"]
        p_WA, R_WA = self.pose(axes, q, ready=ready)
        return turned(R_WA, found["p"] - p_WA), np.swapaxes(R_WA, -1, -2) @ found["R"]

    def motion(
        self, path: str, q: Any, qd: Any, qdd: Any = None, axes: str | None = None
    ) -> dict[str, Array]:
        """v, acc, om and omd relative to the world, in world axes or in those of a frame."""
        still = np.zeros(np.shape(q)) if qdd is None else qdd
        function = self.function(path, "motion")
        found = self._equations.evaluate(function, q=q, qd=qd, qdd=still)
        if axes is None:
            return found
        R_WA = self.pose(axes, q)[1]
        return {name: turned(R_WA, vector) for name, vector in found.items()}

    def jacobian(self, path: str, q: Any, axes: str | None = None) -> Array:
        """∂(v, om)/∂qd in world axes or in those of a frame, shape (6, n) or (N, 6, n)."""
        found = self._equations.evaluate(self.function(path, "jacobian"), q=q)
        parts = [found["Jv"], found["Jw"]]
        if axes is not None:
            R_AW = np.swapaxes(self.pose(axes, q)[1], -1, -2)
            parts = [R_AW @ part for part in parts]
        return np.concatenate(parts, axis=-2)


def turned(R_WA: Array, v_W: Array) -> Array:
    """Components in axes of A of vectors given in world axes: v_A = R_WAᵀ v_W."""
    return np.asarray(np.einsum("...ji,...j->...i", R_WA, v_W))
