"""A mechanism as plain text: aligned, readable tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inloop.errors import counted
from inloop.model.elements import Body, Ground, Joint
from inloop.model.geometry import Matrix3, Scalar, Vector3, is_zero
from inloop.model.laws.coefficients import coefficients
from inloop.model.names import GROUND_NAME
from inloop.symbolic import Expr, Notation, reachable, to_text
from inloop.symbolic.text import TABLES

if TYPE_CHECKING:
    from inloop.model.constraints.elements import Coupling
    from inloop.model.mechanism import Mechanism
    from inloop.model.modes.elements import Event

BODY_HEADER = (
    "body", "on", "joint", "axis", "limits", "mass [kg]", "com [m]", "inertia [kg·m²]"
)  # fmt: skip
CONTACT_HEADER = ("contact", "between", "shapes", "normal force", "friction")
EVENT_HEADER = ("event", "in mode", "when", "follows", "impact", "restitution")
FLEXIBLE_HEADER = (
    "flexible link", "on", "elements", "mass [kg/m]", "EI [N·m²]", "EA [N]", "damping [1/s, s]"
)  # fmt: skip
PARAMETER_HEADER = ("parameter", "value", "unit", "range", "meaning")
LARGEST_EXPRESSION = 12  # nodes
SHORT = Notation(number=lambda value: f"{value:.5g}", functions=TABLES)
Row = tuple[str, ...]


def describe(mechanism: Mechanism) -> str:
    """Return the whole mechanism as text."""
    bodies = counted(len(mechanism.bodies), "body", "bodies")
    sections = [f"{mechanism.name}: {bodies}, gravity {_vector(mechanism.gravity)} m/s²"]
    if mechanism.doc:
        sections.append(mechanism.doc.strip())
    sections += _section(BODY_HEADER, [_body_row(body) for body in mechanism.bodies])
    sections += _section(("point", "on", "position [m]"), list(_point_rows(mechanism)))
    sections += _section(PARAMETER_HEADER, list(_parameter_rows(mechanism)))
    sections += _section(FLEXIBLE_HEADER, _flexible_rows(mechanism))
    sections += _section(("loop", "kind", "between", "axis", "length [m]"), _loop_rows(mechanism))
    sections += _section(("constraint", "vanishes", "unit"), _constraint_rows(mechanism))
    sections += _section(("couples", "kind", "holds"), _coupling_rows(mechanism))
    sections += _section(("driven", "by", "position"), _drive_rows(mechanism))
    sections += _section(("locked", "joint"), _lock_rows(mechanism))
    if mechanism.independent:
        names = (mechanism.bodies[k].joint.name for k in mechanism.independent)
        sections.append(f"independent: {', '.join(names)}")
    sections += _section(CONTACT_HEADER, _contact_rows(mechanism))
    sections += _section(("acts", "on", "law"), list(_effect_rows(mechanism)))
    sections += _section(("state", "initial", "rate"), _state_rows(mechanism))
    sections += _section(("output", "unit", "value"), _output_rows(mechanism))
    sections += _section(("sensor", "kind", "at", "signals"), _sensor_rows(mechanism))
    sections += _section(("controller", "period [s]", "reads", "leads"), _controlled(mechanism))
    sections += _section(("mode", "holds"), _mode_rows(mechanism))
    sections += _section(EVENT_HEADER, _event_rows(mechanism))
    if mechanism.notes:
        sections.append("\n".join(["notes", *(f"  {note}" for note in mechanism.notes)]))
    return "\n\n".join(sections) + "\n"


def _section(header: Row, rows: Sequence[Row]) -> list[str]:
    """Return an aligned table as one block, or nothing if it has no rows."""
    if not rows:
        return []
    # omit empty columns
    columns = [k for k in range(len(header)) if any(row[k] for row in rows)]
    table = [[row[k] for k in columns] for row in (header, *rows)]
    widths = [max(len(row[k]) for row in table) for k in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return ["\n".join(lines)]


def _body_row(body: Body) -> Row:
    joint = body.joint
    named = "" if joint.name == body.name else f" {joint.name}"
    armature = "" if is_zero(joint.armature) else f" +{_scalar(joint.armature)}"
    return (
        body.name,
        body.attachment.path,
        f"{joint.kind}{named}{_numbers(joint)}{armature}",
        _axis(joint.axis),
        "" if joint.limits is None else _vector(joint.limits),
        _scalar(body.mass),
        _vector(body.com),
        _inertia(body.inertia),
    )


def _numbers(joint: Joint) -> str:
    """Numbers of a kind of joint, such as " pitch 0.01 m/rad"."""
    told = (f" {name} {_scalar(x)} {unit}" for name, (x, unit) in joint.kind.numbers().items())
    return "".join(told)


def _point_rows(mechanism: Mechanism) -> Iterator[Row]:
    carriers: list[tuple[Body | Ground, str]] = [(mechanism.ground, GROUND_NAME)]
    carriers += [(body, body.name) for body in mechanism.bodies]
    for carrier, name in carriers:
        for point in carrier.points:
            yield point.path, name, _vector(point.p_BQ)
        for frame in carrier.frames:
            yield f"{frame.path} (frame)", name, _vector(frame.p_BF)


def _parameter_rows(mechanism: Mechanism) -> Iterator[Row]:
    for p in mechanism.parameters:
        bounds = "" if p.range is None else f"{p.range[0]:g} .. {p.range[1]:g}"
        yield p.name, f"{p.default:g}", p.unit, bounds, p.doc
    for i in mechanism.inputs:
        yield i.name, "input", i.unit, "", i.doc


def _flexible_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            link.name,
            GROUND_NAME if link.body < 0 else mechanism.bodies[link.body].name,
            f"{len(link.nodes)}{', stiffening' if link.stiffening else ''}",
            _scalar(link.mass_per_length),
            _scalar(link.EI),
            "" if link.EA is None else _scalar(link.EA),
            _vector((link.alpha, link.beta)),
        )
        for link in mechanism.flexible_links
    ]


def _loop_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            loop.name,
            loop.kind,
            f"{loop.a.path}, {loop.b.path}",
            _axis(loop.axis) if any(loop.axis) else "",
            "" if is_zero(loop.length) else _scalar(loop.length),
        )
        for loop in mechanism.loops
    ]


def _constraint_rows(mechanism: Mechanism) -> list[Row]:
    # one line per row of a constraint
    return [
        (item.name if k == 0 else "", _scalar(row), item.unit)
        for item in mechanism.constraints
        for k, row in enumerate(item.rows)
    ]


def _coupling_rows(mechanism: Mechanism) -> list[Row]:
    return [(item.name, item.kind, _proportion(item, mechanism)) for item in mechanism.couplings]


def _proportion(item: Coupling, mechanism: Mechanism) -> str:
    """Equation of a coupling: "wheel - 2.5 motor = 0.1"; expressions in parentheses."""
    told = ""
    for k, factor in item.factors:
        negative = not isinstance(factor, Expr) and factor < 0.0
        size = f"({_scalar(factor)})" if isinstance(factor, Expr) else f"{abs(factor):.5g}"
        sign = ("- " if negative else "+ ") if told else "-" if negative else ""
        times = "" if size == "1" else f"{size} "
        told += f"{' ' if told else ''}{sign}{times}{mechanism.bodies[k].joint.name}"
    return f"{told} = {'its initial value' if item.offset is None else _scalar(item.offset)}"


def _drive_rows(mechanism: Mechanism) -> list[Row]:
    rows: list[Row] = []
    for drive in mechanism.drives:
        name = mechanism.bodies[drive.body].joint.name
        if drive.kind == "time":
            rows.append((name, "time", _scalar(drive.position)))
        else:
            filtered = f"derivatives filtered at {drive.cutoff:g} Hz"
            how = filtered if drive.derivatives == "filtered" else "derivatives given"
            rows.append((name, "input", how))
    return rows


def _lock_rows(mechanism: Mechanism) -> list[Row]:
    return [(lock.name, mechanism.bodies[lock.body].joint.name) for lock in mechanism.locks]


def _mode_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            mode.name,
            ", ".join(name for name, modes in mechanism.membership.items() if mode.name in modes),
        )
        for mode in mechanism.modes
    ]


def _event_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            event.name,
            event.mode,
            f"{_scalar(event.indicator)} {event.direction}",
            event.to + (f", settles in {event.settles_in}" if event.settles_in else ""),
            event.impact or "",
            _restitution(event) if event.impact else "",
        )
        for event in mechanism.events
    ]


def _restitution(event: Event) -> str:
    rows = (f"{_scalar(e)} of {row}" for row, e in event.row_restitution)
    return ", ".join(rows) or _scalar(event.restitution)


def _state_rows(mechanism: Mechanism) -> list[Row]:
    return [(s.name, f"{s.initial:g}", _scalar(s.rate)) for s in mechanism.states]


def _output_rows(mechanism: Mechanism) -> list[Row]:
    return [(o.name, o.unit or "-", _scalar(o.value)) for o in mechanism.law_outputs]


def _contact_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            contact.name,
            f"{contact.a.path}, {contact.b.path}",
            f"{contact.shape_a}, {contact.shape_b}",
            law_text(contact.law),
            "" if contact.friction is None else law_text(contact.friction),
        )
        for contact in mechanism.contacts
    ]


def law_text(law: object) -> str:
    """A law as its class and given coefficients: "HuntCrossley(stiffness 1e+05, …)"."""
    given = {name: value for name, value in coefficients(law).items() if value is not None}
    told = (f"{name} {_coefficient(value)}" for name, value in given.items())
    return f"{type(law).__name__}({', '.join(told)})"


def _coefficient(value: object) -> str:
    if isinstance(value, Expr | int | float) and not isinstance(value, bool):
        return _scalar(value)
    return str(value) if isinstance(value, str | bool) else type(value).__name__


def _sensor_rows(mechanism: Mechanism) -> list[Row]:
    return [
        (
            sensor.name,
            f"{sensor.kind.name}{_numbers_of(sensor.kind)}",
            ", ".join(sensor.paths),
            ", ".join(f"{signal.name} [{signal.unit}]" for signal in sensor.signals),
        )
        for sensor in mechanism.sensors
    ]


def _controlled(mechanism: Mechanism) -> list[Row]:
    found = mechanism.controller
    if found is None:
        return []
    return [(found.name, f"{found.period:g}", ", ".join(found.reads), ", ".join(found.leads))]


def _numbers_of(kind: object) -> str:
    told = (f" {name} {_coefficient(value)}" for name, value in coefficients(kind).items())
    return "".join(told)


def _effect_rows(mechanism: Mechanism) -> Iterator[Row]:
    bodies = mechanism.bodies
    for effort in mechanism.joint_forces:
        yield effort.name, bodies[effort.body].joint.name, _scalar(effort.effort)
    for coupled in mechanism.coupled_forces:
        joints = ", ".join(bodies[k].joint.name for k in coupled.bodies)
        yield coupled.name, joints, _vector(coupled.efforts)
    for force in mechanism.forces:
        yield force.name, force.at.path, f"{_vector(force.components)} in {force.axes} axes"
    for torque in mechanism.torques:
        turns = f"{_vector(torque.components)} in {torque.axes} axes"
        yield torque.name, bodies[torque.body].name, turns
    for pull in mechanism.line_forces:
        yield pull.name, f"{pull.a.path}, {pull.b.path}", _scalar(pull.force)
    carried = {name for contact in mechanism.contacts for name in contact.carried_by}
    for law in (law for law in mechanism.frame_forces if law.name not in carried):
        between = f"{law.a.path}, {law.b.path}"
        yield law.name, between, f"{_vector(law.force)}, torque {_vector(law.torque)}"
    for signal in mechanism.joint_inputs:
        yield signal.name, bodies[signal.body].joint.name, "input"
    for external in mechanism.external_forces:
        yield f"{external.name}.force/.torque", external.at.path, "input in body axes"


def _scalar(value: Scalar) -> str:
    if not isinstance(value, Expr):
        return f"{value + 0.0:.5g}"
    # long expressions are shown as functions of their symbols
    symbols = value.graph.symbols_of([value])
    # arguments of a law are shown without its name
    names = {symbol: symbol.name.rpartition(".")[2] for symbol in symbols}
    if len(reachable([value])) <= LARGEST_EXPRESSION:
        return to_text(value, names, SHORT)
    return f"f({', '.join(names.values())})"


def _vector(values: Sequence[Scalar]) -> str:
    if all(is_zero(value) for value in values):
        return "0"
    return f"({', '.join(_scalar(value) for value in values)})"


def _axis(axis: tuple[float, float, float]) -> str:
    for k, letter in enumerate("xyz"):
        if math.isclose(abs(axis[k]), 1.0, rel_tol=0.0, abs_tol=1e-15):
            return letter if axis[k] > 0 else f"-{letter}"
    return _vector(axis)


def _inertia(inertia: Matrix3) -> str:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    products: Vector3 = (xy, xz, yz)
    text = _vector((xx, yy, zz))
    return text if _vector(products) == "0" else f"{text} products {_vector(products)}"
