"""Exudyn on planar mechanisms: no output, no graphics, the fastest settings found."""

from __future__ import annotations

import sys
import time
from typing import Any

from benchmarks.loops_planar import GRAVITY, GROUND, Planar, loop_error
from benchmarks.report import Row

# selects Exudyn's version without range checks; it is read during the import
sys.exudynFast = True  # type: ignore[attr-defined]

import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402, N813

# type of solver, relative tolerance of Newton's method; 1e-8 is Exudyn's own
SOLVERS = {
    "generalized-alpha": (exu.DynamicSolverType.GeneralizedAlpha, 1e-8),
    "generalized-alpha, loose Newton": (exu.DynamicSolverType.GeneralizedAlpha, 1e-5),
    "trapezoidal, index 2": (exu.DynamicSolverType.TrapezoidalIndex2, 1e-8),
}


class ExudynRun:
    """A mechanism in Exudyn that can be run repeatedly from its start."""

    def __init__(self, planar: Planar) -> None:
        self._planar = planar
        self._container = exu.SystemContainer()
        self._system = self._container.AddSystem()
        _fill(self._system, planar)
        self._system.Assemble()

    def run(self, solver: str, step: float, steps: int) -> Row:
        """Time of a number of steps [s], angle of the crank [rad] and loop error [m] after them."""
        kind, tolerance = SOLVERS[solver]
        settings = _settings(step, steps, tolerance)
        start = time.perf_counter()
        self._system.SolveDynamic(settings, solverType=kind, updateInitialValues=False)
        seconds = time.perf_counter() - start
        # displacements from the start: x, y, angle of each body, x, y of point masses
        moved = [float(x) for x in self._system.systemData.GetODE2Coordinates()]
        moved += [0.0] * (3 * len(self._planar.bars) - len(moved))
        angle = self._planar.bars[0].angle + moved[2]
        return {"seconds": seconds, "angle": angle, "loop": loop_error(self._planar, moved)}


def _settings(step: float, steps: int, tolerance: float) -> Any:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = steps, step * steps
    integration.verboseMode = 0
    # a new Jacobian in each iteration beats a kept one here, dense matrices beat sparse ones
    integration.newton.useModifiedNewton = False
    integration.newton.relativeTolerance = tolerance
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
    settings.solution.file.write = settings.solution.sensors.active = False
    settings.parallel.numberOfThreads = 1
    return settings


def _fill(system: Any, planar: Planar) -> None:
    ground = system.AddObject(items.ObjectGround())
    nodes, bodies = [], {GROUND: ground}
    for k, bar in enumerate(planar.bars):
        if bar.inertia:
            node = system.AddNode(
                items.NodeRigidBody2D(
                    referenceCoordinates=[*bar.position, bar.angle],
                    initialVelocities=[*bar.velocity, bar.rate],
                )
            )
            item: Any = items.ObjectRigidBody2D(
                physicsMass=bar.mass, physicsInertia=bar.inertia, nodeNumber=node
            )
        else:
            node = system.AddNode(
                items.NodePoint2D(
                    referenceCoordinates=list(bar.position), initialVelocities=list(bar.velocity)
                )
            )
            item = items.ObjectMassPoint2D(physicsMass=bar.mass, nodeNumber=node)
        nodes.append(node)
        bodies[k] = system.AddObject(item)
        weight = system.AddMarker(items.MarkerBodyMass(bodyNumber=bodies[k]))
        system.AddLoad(
            items.LoadMassProportional(markerNumber=weight, loadVector=[0.0, -GRAVITY, 0.0])
        )
    for pin in planar.pins:
        markers = [
            system.AddMarker(
                items.MarkerBodyPosition(bodyNumber=bodies[body], localPosition=[*point, 0.0])
            )
            for body, point in ((pin.a, pin.p_A), (pin.b, pin.p_B))
        ]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))
    still = system.AddNode(items.NodePointGround())
    for body in planar.rails:
        ends = [
            system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            for node, coordinate in ((still, 0), (nodes[body], 1))
        ]
        system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=ends))
