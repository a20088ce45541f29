"""ROBOTRAN: a system drawn in MBsysPad (.mbs), turned into a model.

Bodies keep their names and their order in the file. A body with several joints hangs on massless
bodies, one per joint before the last, called "<body>_<joint>". A coordinate has the name of its
joint, or "<body>_<joint>" where several joints of the file share that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from inloop.io.naming import Names
from inloop.io.robotran_elements import MbsBody, MbsJoint, MbsPoint, MbsSystem, read_system
from inloop.io.robotran_extras import ORIGIN
from inloop.io.robotran_names import name_system
from inloop.io.robotran_notes import notes_of
from inloop.io.xml import Element
from inloop.model import BodyHandle, Handle, JointSpec, ModelBuilder, fixed, prismatic, revolute
from inloop.model.names import quoted

Model = TypeVar("Model", bound=ModelBuilder)


@dataclass(frozen=True)
class RobotranOptions:
    """How to read a ROBOTRAN file.

    Attributes:
        name: name of the model; the system's name if not given.
        external_forces: True makes a force and a torque input at each point that has one.
    """

    name: str | None = None
    external_forces: bool = True


@dataclass(frozen=True)
class RobotranData:
    """What a ROBOTRAN file tells beyond the equations: `model.metadata["robotran"]`.

    Attributes:
        system: the elements of the file: natures of the joints, sensors, cuts, links, parameters.
        coordinates: name of the coordinate for each (body, joint) of the file.
        paths: path in the model for each (body, point) of the file: ends of cuts and links.
        external_forces: stem of the inputs for each external force of the file.
    """

    system: MbsSystem
    coordinates: Mapping[tuple[str, str], str]
    paths: Mapping[tuple[str, str], str]
    external_forces: Mapping[str, str]


def read(root: Element, model_type: type[Model], options: RobotranOptions) -> Model:
    """Return the model of a ROBOTRAN file, given its root element.

    Raises:
        FileFormatError: an element is broken.
        ModelError: the elements do not fit together; all such mistakes at once.
    """
    system = read_system(root)
    names = Names("model")
    names.read([system.name])
    name = options.name or names[system.name]
    model = model_type(name, gravity=system.gravity, strict_inertia=False)
    _Reader(model, system, options).read()
    # all mistakes of the model come out here, with the lines of the file
    model.build()
    return model


class _Reader:
    """Writes one system into a model."""

    def __init__(self, model: ModelBuilder, system: MbsSystem, options: RobotranOptions) -> None:
        self._model = model
        self._system = system
        self._options = options
        self._names = name_system(system)
        self._forces: dict[str, str] = {}

    def read(self) -> None:
        """Add everything to the model."""
        self._check_ends()
        self._add_points(ORIGIN.body, self._model.ground, self._system.base_points)
        for body in self._system.bodies:
            self._add_body(body)
        for note in (*self._names.notes, *notes_of(self._system)):
            self._model.note(note)
        coordinates = {
            (body.name, joint.name): coordinate
            for body in self._system.bodies
            for joint, coordinate in zip(
                body.joints, self._names.coordinates[body.name], strict=True
            )
        }
        self._model.metadata["robotran"] = RobotranData(
            self._system, coordinates, self._names.paths, self._forces
        )

    def _check_ends(self) -> None:
        for cut in self._system.cuts:
            for end in cut.ends:
                self._names.path(end, f"{cut.kind} cut {quoted(cut.name)}")
        for link in self._system.links:
            for end in link.ends:
                self._names.path(end, f"link {quoted(link.name)}")

    def _add_body(self, body: MbsBody) -> None:
        on: Handle | str = self._names.path(body.parent, f"body {quoted(body.name)}")
        specs = [
            joint_spec(joint, coordinate)
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


def joint_spec(joint: MbsJoint, coordinate: str) -> JointSpec:
    """Return a joint of the model; T slides along and R turns about axis 1, 2 or 3."""
    kind = prismatic if joint.type[0] == "T" else revolute
    return kind("xyz"[int(joint.type[1]) - 1], name=coordinate, initial=joint.initial)
