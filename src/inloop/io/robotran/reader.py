"""ROBOTRAN: import of systems drawn in MBsysPad (.mbs).

Bodies keep their names and their order in the file. A body with several joints is attached by
massless bodies, one per joint before the last, called "<body>_<joint>". A coordinate has the name
of its joint, or "<body>_<joint>" if several joints of the file share that name. Cuts become loops,
driven joints live inputs. Laws of links and joints are code outside the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from inloop.errors import FileFormatError, InputError
from inloop.io.naming import Names
from inloop.io.robotran.elements import (
    DEPENDENT,
    DRIVEN,
    INDEPENDENT,
    MbsBody,
    MbsJoint,
    MbsPoint,
    MbsSystem,
    read_system,
)
from inloop.io.robotran.extras import ORIGIN, MbsCut
from inloop.io.robotran.names import name_system
from inloop.io.robotran.notes import notes_of
from inloop.io.xml import Element
from inloop.model import BodyHandle, Handle, JointSpec, ModelBuilder, fixed, prismatic, revolute
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted, suggestion

Model = TypeVar("Model", bound=ModelBuilder)


@dataclass(frozen=True)
class RobotranOptions:
    """How to read a ROBOTRAN file.

    Attributes:
        name: name of the model; default: the system's name.
        external_forces: True adds a force and a torque input at each point that has one.
        link_laws: laws of links by the name in the file; each takes the distance l [m], its rate
            ld [m/s] and the time t [s], and returns the force [N], positive if it pulls the points
            together.
    """

    name: str | None = None
    external_forces: bool = True
    link_laws: Mapping[str, Law] = field(default_factory=dict)


@dataclass(frozen=True)
class RobotranData:
    """Data of a ROBOTRAN file beyond the equations: `model.metadata["robotran"]`.

    Attributes:
        system: the elements of the file: natures of the joints, sensors, cuts, links, parameters.
        coordinates: name of the coordinate for each (body, joint) of the file.
        paths: path in the model for each (body, point) of the file: ends of cuts and links.
        external_forces: prefix of the inputs for each external force of the file.
        loops: name of the loop for each cut, in file order.
    """

    system: MbsSystem
    coordinates: Mapping[tuple[str, str], str]
    paths: Mapping[tuple[str, str], str]
    external_forces: Mapping[str, str]
    loops: tuple[str, ...]


def read(root: Element, model_type: type[Model], options: RobotranOptions) -> Model:
    """Return the model of a ROBOTRAN file, given its root element.

    Raises:
        FileFormatError: an element is malformed.
        ModelError: the elements do not fit together; all such errors at once.
        InputError: a law is given for a link that is not in the file.
    """
    system = read_system(root)
    names = Names("model")
    names.read([system.name])
    name = options.name or names[system.name]
    model = model_type(name, gravity=system.gravity, strict_inertia=False)
    _Reader(model, system, options).read()
    # raises all errors of the model, with the lines of the file
    model.build()
    return model


class _Reader:
    """Adds one system to a model."""

    def __init__(self, model: ModelBuilder, system: MbsSystem, options: RobotranOptions) -> None:
        self._model = model
        self._system = system
        self._options = options
        self._names = name_system(system)
        self._forces: dict[str, str] = {}

    def read(self) -> None:
        """Add everything to the model."""
        self._check_laws()
        self._add_points(ORIGIN.body, self._model.ground, self._system.base_points)
        for body in self._system.bodies:
            self._add_body(body)
        for cut, name in zip(self._system.cuts, self._names.cuts, strict=True):
            self._add_loop(cut, name)
        self._add_links()
        self._add_natures()
        for note in (*self._names.notes, *notes_of(self._system, self._options.link_laws)):
            self._model.note(note)
        self._model.metadata["robotran"] = RobotranData(
            self._system,
            self._names.coordinate_of,
            self._names.paths,
            self._forces,
            tuple(self._names.cuts),
        )

    def _check_laws(self) -> None:
        known = [link.name for link in self._system.links]
        for name in self._options.link_laws:
            if name not in known:
                raise InputError(
                    f"link_laws: system {quoted(self._system.name)} has no link {quoted(name)}",
                    self._system.where,
                    suggestion(name, known),
                )

    def _add_loop(self, cut: MbsCut, name: str) -> None:
        label = f"{cut.kind} cut {quoted(cut.name)}"
        a, b = (self._names.path(end, label) for end in cut.ends)
        length = None
        if cut.kind == "rod":
            length = cut.length
            if length <= 0.0:
                raise FileFormatError(
                    f"{label}: length must be > 0 m, got {length:g}",
                    cut.where,
                    "Give its <length> in the file; for coincident points, use a <ball>.",
                )
        with self._model.reading(cut.where):
            self._model.close(a, b, kind=cut.kind, length=length, name=name)

    def _add_links(self) -> None:
        for link, name in zip(self._system.links, self._names.links, strict=True):
            a, b = (self._names.path(end, f"link {quoted(link.name)}") for end in link.ends)
            law = self._options.link_laws.get(link.name)
            if law is not None:
                with self._model.reading(link.where):
                    self._model.line_force(a, b, law, name=name)

    def _add_natures(self) -> None:
        """Drive the driven joints; prefer the independent ones where loops leave a choice."""
        for body in self._system.bodies:
            for joint in body.joints:
                coordinate = self._names.coordinate_of[body.name, joint.name]
                with self._model.reading(joint.where):
                    if joint.nature in DRIVEN:
                        self._model.drive(coordinate)
                    elif joint.nature == INDEPENDENT and self._system.cuts:
                        self._model.independent(coordinate)

    def _add_body(self, body: MbsBody) -> None:
        on: Handle | str = self._names.path(body.parent, f"body {quoted(body.name)}")
        specs = [
            joint_spec(joint, coordinate, bool(self._system.cuts))
            for joint, coordinate in zip(
                body.joints, self._names.coordinates[body.name], strict=True
            )
        ] or [fixed()]
        steps = self._names.steps[body.name]
        for step, spec, joint in zip(steps, specs, body.joints, strict=False):
            with self._model.reading(joint.where):
                on = self._model.body(step, on=on, joint=spec)
        with self._model.reading(body.where):
            handle = self._model.body(
                self._names.bodies[body.name],
                on=on,
                joint=specs[-1],
                mass=body.mass,
                com=body.com,
                inertia=body.inertia,
            )
        self._add_points(body.name, handle, body.points)

    def _add_points(self, body: str, handle: BodyHandle, points: Iterable[MbsPoint]) -> None:
        for point in points:
            name = self._names.paths[body, point.name].rpartition(".")[2]
            with self._model.reading(point.where):
                added = handle.point(name, point.position)
                # the base does not move
                if self._options.external_forces and body != ORIGIN.body:
                    for force in point.forces:
                        self._forces[force] = self._model.external_force(handle, at=added)


def joint_spec(joint: MbsJoint, coordinate: str, loops: bool = False) -> JointSpec:
    """Return a joint of the model; T translates along, R rotates about axis 1, 2 or 3.

    In systems with loops, the start values of dependent joints are estimates.
    """
    written = prismatic if joint.type[0] == "T" else revolute
    axis = "xyz"[int(joint.type[1]) - 1]
    if loops and joint.nature == DEPENDENT:
        return written(axis, name=coordinate, guess=joint.initial[0])
    return written(axis, name=coordinate, initial=joint.initial)
