"""Bricard's mechanism beside Exudyn: absolute coordinates, all conditions, generalized-alpha."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from exhibit_plants import plant_of

sys.exudynFast = True  # type: ignore[attr-defined]
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402, N813
from exudyn.rigidBodyUtilities import RigidBodyInertia  # noqa: E402

# hinges 1 to 6 of benchmark A04: where they are [m] and their axes
HINGES = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]


def p3_by_exudyn(steps: int, t_end: float) -> np.ndarray:
    """Position of P3, the end of the third rod [m]."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = before = system.CreateGround()
    rods = []
    for k in range(5):
        along = HINGES[k + 1] - HINGES[k]
        moments = np.where(along != 0.0, 0.1**2 / 6.0, (1.0 + 0.1**2) / 12.0)
        rods.append(
            system.CreateRigidBody(
                inertia=RigidBodyInertia(1.0, inertiaTensor=np.diag(moments)),
                referencePosition=list((HINGES[k] + HINGES[k + 1]) / 2.0),
                gravity=[0.0, -9.81, 0.0],
            )
        )
        system.CreateRevoluteJoint(
            bodyNumbers=[before, rods[-1]], position=list(HINGES[k]), axis=list(AXES[k])
        )
        before = rods[-1]
    system.CreateGenericJoint(
        bodyNumbers=[before, ground], position=list(HINGES[5]), constrainedAxes=[1, 1, 1, 0, 1, 1]
    )
    sensor = system.AddSensor(
        items.SensorBody(
            bodyNumber=rods[2], localPosition=[0.0, 0.0, 0.5], storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )  # fmt: skip
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = t_end
    settings.timeIntegration.newton.relativeTolerance = 1e-10
    settings.solutionSettings.writeSolutionToFile = False
    # a condition too many makes the system singular
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
    settings.linearSolver.ignoreSingularJacobian = True
    system.SolveDynamic(settings)
    return np.asarray(system.GetSensorStoredData(sensor))[-1, 1:]


def test_p3_after_one_second() -> None:
    """Exudyn's method is of second order: two step sizes give the limit."""
    coarse, fine = p3_by_exudyn(1000, 1.0), p3_by_exudyn(2000, 1.0)
    limit = (4.0 * fine - coarse) / 3.0
    assert np.abs(fine - coarse).max() < 2e-6
    plant = plant_of("bricard")
    found = plant.position("rod_3.end", plant.simulate(t_end=1.0, step=1e-3).q[-1])
    assert found == pytest.approx(limit, abs=1e-9)
    # it has fallen well below where it started
    assert found[1] < -1.6
