"""What is measured, as methods of `Model`: sensors, and outputs of a joint.

Results, the real-time loop and recordings hold what they tell by name.
"""

from __future__ import annotations

from inloop.model.draft import HasDraft, LawDraft, SensorDraft
from inloop.model.handles import BodyHandle, read_path
from inloop.model.laws.coefficients import coefficients
from inloop.model.laws.declaring import placeholders
from inloop.model.laws.effects import LawOutput
from inloop.model.laws.results import Extras, trace_law
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted
from inloop.model.parameters import read_unit
from inloop.model.sensors.sensor import SensorSpec


def output(model: HasDraft, name: str, joint: BodyHandle | str, law: Law, unit: str = "") -> str:
    """Measure a quantity of a joint, as an encoder or a strain gauge does.

    Args:
        name: name of the output.
        joint: the body that the joint moves, or the name of either.
        law: takes q [rad or m], qd and t [s]; returns the quantity. Parameters and inputs
            of the model may be used in it.
        unit: label of the quantity.

    Returns:
        The name of the output.
    """
    draft = model._draft
    read = draft.intake(f"output {quoted(name)}")
    where = read.where
    name = read.name(name)
    target = read_path(read, draft, joint, "joint")
    symbols = placeholders(draft.graph, "joint_force", name)
    found = trace_law(read, law, symbols, Extras({}, {}), name, 1)
    seen = LawOutput(name, read_unit(read, unit), found.components[0])
    if target is not None:
        # a law without effort
        none = (0.0,)
        draft.laws.append(
            LawDraft("joint_force", name, (target,), "world", symbols, none, where, (), (seen,))
        )
    return name


def sensor(model: HasDraft, name: str, measures: SensorSpec) -> str:
    """Add an ideal sensor to the mechanism.

        m.sensor("hull", il.sensors.imu(hull))

    Results then hold "hull.accel.x", ..., "hull.gyro.z". What a real sensor adds is a device
    in front of the plant: `il.devices.Instruments`.

    Args:
        name: name of the sensor.
        measures: il.sensors.position(...), velocity(...), acceleration(...),
            orientation(...), imu(...), encoder(...), joint_torque(...), distance(...),
            contact_force(...) or strain(...).

    Returns:
        The name of the sensor.
    """
    draft = model._draft
    read = draft.intake(f"sensor {quoted(name)}")
    name = read.name(name)
    if not isinstance(measures, SensorSpec):
        read.complain(
            f"a sensor must come from il.sensors, got {quoted(measures)}",
            "Write il.sensors.imu(body), for example.",
        )
        return name
    paths = [read_path(read, draft, place, "place") for place in measures.at]
    for number, value in coefficients(measures.kind).items():
        read.scalar(value, number)
    if all(path is not None for path in paths):
        known = tuple(path or "" for path in paths)
        draft.sensors.append(SensorDraft(name, measures.kind, known, read.where))
    return name
