"""A rod that is driven through 20° under gravity, beside Exudyn's geometrically nonlinear beams."""

from __future__ import annotations

from itertools import pairwise

import exudyn as exu
import exudyn.itemInterface as items  # noqa: N813
import numpy as np
import pytest
from rods import EA, ROD

import inloop as il

ANGLE, DURATION, SECONDS, SAMPLE = np.radians(20.0), 0.6, 0.8, 5e-3
ELEMENTS, STEPS = 8, 6000  # of Exudyn; twice the steps change its tip by 0.14 mm


def turned(s: float) -> float:
    """The least jerk from 0 to 1."""
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)


def exudyn_tip() -> np.ndarray:
    """x and y of the tip over time, by ANCF cables on a hub whose rotation is prescribed."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    h = ROD["length"] / ELEMENTS
    nodes = [
        system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[k * h, 0.0, 1.0, 0.0]))
        for k in range(ELEMENTS + 1)
    ]
    cables = []
    for a, b in pairwise(nodes):
        cable = system.AddObject(
            items.ObjectANCFCable2D(
                length=h, massPerLength=ROD["mass_per_length"], bendingStiffness=ROD["EI"],
                axialStiffness=EA, useReducedOrderIntegration=0, nodeNumbers=[a, b],
            )
        )  # fmt: skip
        mass = system.AddMarker(items.MarkerBodyMass(bodyNumber=cable))
        system.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0, -9.81, 0]))
        cables.append(cable)
    hub_node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[0.0, 0.0, 0.0]))
    hub = system.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=hub_node))
    ground = system.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
    )
    for k in range(3):
        held = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=hub_node, coordinate=k))
        motion = {}
        if k == 2:
            motion["offsetUserFunction"] = lambda _system, t, _number, _offset: (
                ANGLE * turned(min(t / DURATION, 1.0))
            )
        system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, held], **motion))
    ends = [
        system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=[0.0, 0.0, 0.0]))
        for body in (hub, cables[0])
    ]
    system.AddObject(items.GenericJoint(markerNumbers=ends, constrainedAxes=[1, 1, 0, 0, 0, 1]))
    tip = system.AddSensor(
        items.SensorNode(nodeNumber=nodes[-1], storeInternal=True,
                         outputVariableType=exu.OutputVariableType.Position)
    )  # fmt: skip
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = STEPS, SECONDS
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.98
    settings.solution.sensors.writePeriod = SAMPLE
    settings.solution.file.write = False
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
    settings.parallel.numberOfThreads = 1
    system.SolveDynamic(settings)
    return np.asarray(system.GetSensorStoredData(tip))[:, :3]


def our_tip(**options: object) -> tuple[np.ndarray, float]:
    """x and z of the tip over time, and the largest deflection."""
    m = il.Model("driven", gravity=(0.0, 0.0, -9.81))
    hub = m.body("hub", on=m.ground, joint=il.revolute("-y"))
    m.flexible_link("rod", on=hub, bends_about="-y", EA=EA, elements=4, **ROD, **options)
    m.drive(hub, lambda t: ANGLE * il.where(t < DURATION, turned(t / DURATION), 1.0))
    plant = m.compile()
    run = plant.simulate(t_end=SECONDS, step=2e-5, sample=SAMPLE)
    tip = plant.position("rod_4", run.q)
    return tip[:, [0, 2]], float(np.abs(run["rod_4_w.q"]).max())


@pytest.mark.long
def test_tip_of_a_driven_rod() -> None:
    theirs = exudyn_tip()
    t, xy = theirs[:, 0], theirs[:, 1:]
    tip, deflection = our_tip()
    assert t == pytest.approx(SAMPLE * np.arange(len(tip)), abs=1e-3)
    assert deflection > 0.05
    assert np.linalg.norm(tip - xy, axis=1).max() < 0.01 * deflection
    # linear theory, in which bending does not shorten the rod, would not do
    linear, _ = our_tip(stiffening=False)
    assert np.linalg.norm(linear - xy, axis=1).max() > 0.015 * deflection
