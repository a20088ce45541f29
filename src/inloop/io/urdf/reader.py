"""URDF: import of ROS robot descriptions.

Bodies are the links and coordinates are the joints, both with their names in the file; the order
is that of `tree.Tree`. A floating joint has six coordinates and the quaternion of its link, a
planar joint three coordinates.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

from inloop.errors import InputError, Mistake, ModelError
from inloop.geometry import Visual
from inloop.geometry.mass import density_of
from inloop.io.friction import DEFLECTION, check_deflection, stick
from inloop.io.naming import Names
from inloop.io.packages import Packages
from inloop.io.urdf.elements import Robot, UrdfJoint, UrdfLink, read_robot
from inloop.io.urdf.joints import free_specs, joint_specs
from inloop.io.urdf.mimic import mimics_of
from inloop.io.urdf.notes import notes_of
from inloop.io.urdf.shapes import FoundShapes, find_shapes, with_density
from inloop.io.urdf.tree import Tree, arrange
from inloop.io.xml import Element
from inloop.model import BodyHandle, Handle, JointSpec, ModelBuilder, Pose, fixed
from inloop.model.names import GROUND_NAME, RESERVED_POINTS, quoted
from inloop.model.starting import Base

Model = TypeVar("Model", bound=ModelBuilder)
Massless = Literal["error", "lock", "keep"]
WELDED: Mapping[str, JointSpec] = {"": fixed()}


@dataclass(frozen=True)
class UrdfOptions:
    """How to read a URDF file.

    Attributes:
        name: name of the model; default: the robot's name.
        gravity: in world axes [m/s²]; not part of the file.
        base: "fixed" fixes the root link to the ground; "free" gives it a free joint with a
            quaternion, as `free()`; "angles" the same with three angles. Its coordinates have the
            name of the root link: "pelvis_tx", ..., "pelvis_wz".
        massless: what to do with joints that move no mass: "error" rejects the file, "lock"
            fixes them, "keep" keeps them although the mass matrix is singular.
        mimic: True makes mimic joints follow their leaders by constraints; False leaves them
            independent.
        apply_dynamics: True adds force laws for damping and friction of the file, -damping * qd and
            friction with sticking, as in `inloop run` and `inloop studio`; False keeps the bare
            rigid bodies, as in other engines.
        friction_deflection: deflection of a sticking joint under its full friction [rad or m].
        packages: folders of packages by name, for package://name/file. Others are searched above
            the file (a package.xml with that name) and in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
            Meshes that are not found are listed in the notes and not drawn.
        density: [kg/m³] for links without <inertial>: their mass follows from their shapes.
    """

    name: str | None = None
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    base: Base = "fixed"
    massless: Massless = "error"
    mimic: bool = True
    apply_dynamics: bool = False
    friction_deflection: float = DEFLECTION
    packages: Mapping[str, str | os.PathLike[str]] = field(default_factory=dict)
    density: float | None = None

    def __post_init__(self) -> None:
        for name, known in (("massless", get_args(Massless)), ("base", get_args(Base))):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} = {quoted(getattr(self, name))} is not known",
                    fix=f"Use one of: {', '.join(known)}.",
                )
        if not isinstance(self.packages, Mapping):
            raise InputError(
                f"packages = {quoted(self.packages)} is not a mapping",
                fix='Write packages={"panda_description": "/path/to/it"}.',
            )
        if self.density is not None:
            density_of(self.density)
        check_deflection(self.friction_deflection)


@dataclass(frozen=True)
class UrdfData:
    """Data of a URDF file beyond the equations: `model.metadata["urdf"]`.

    Attributes:
        robot: elements of the file: mimic joints, damping, friction, bounds of effort.
        bodies: name of the body for each link.
        coordinates: names of the coordinates for each joint: none if fixed, six if floating.
            Those of a floating root link are not included.
        collisions: shapes for collision by link, in link axes.
        following: following coordinates: leader, multiplier and offset by name.
    """

    robot: Robot
    bodies: Mapping[str, str]
    coordinates: Mapping[str, tuple[str, ...]]
    collisions: Mapping[str, tuple[Visual, ...]]
    following: Mapping[str, tuple[str, float, float]]

    @property
    def single(self) -> tuple[str, ...]:
        """Coordinates of single-coordinate joints that do not follow others."""
        chains = (chain for chain in self.coordinates.values() if len(chain) == 1)
        return tuple(name for (name,) in chains if name not in self.following)


def read(root: Element, model_type: type[Model], options: UrdfOptions) -> Model:
    """Return the model of a URDF file, given its root element.

    Raises:
        FileFormatError: an element is malformed.
        ModelError: the elements do not fit together; all such errors at once.
    """
    robot = read_robot(root)
    path = Path(root.where.rpartition(":")[0])
    shapes = find_shapes(robot, Packages(path, options.packages))
    if options.density is not None:
        robot = with_density(robot, options.density, shapes)
    tree = arrange(robot)
    light = tree.weightless_joints()
    if options.massless == "error" and light:
        raise ModelError.of(quoted(robot.name)[1:-1], tuple(map(_massless_mistake, light)))
    if options.base != "fixed" and options.massless != "keep" and tree.root_is_loose():
        raise ModelError.of(quoted(robot.name)[1:-1], (_loose_mistake(tree.root),))
    names = Names("model")
    names.read([robot.name])
    model = model_type(
        options.name or names[robot.name], gravity=options.gravity, strict_inertia=False
    )
    _Reader(model, robot, tree, options, shapes).read(
        locked={joint.name for joint in light} if options.massless == "lock" else set()
    )
    # raises all errors of the model, with the lines of the file
    model.build()
    return model


def _massless_mistake(joint: UrdfJoint) -> Mistake:
    return Mistake(
        f"link {quoted(joint.child)}: {joint.type} joint {quoted(joint.name)} moves nothing that "
        "has mass, so the mass matrix is singular",
        joint.where,
        'Add <inertial> to the link, or load with massless="lock" to fix such joints.',
    )


def _loose_mistake(root: UrdfLink) -> Mistake:
    return Mistake(
        f"link {quoted(root.name)}: the root link has no mass; if its base is not fixed, the mass "
        "matrix is singular",
        root.where,
        'Add <inertial> to it, remove it from the file, or load with base="fixed".',
    )


class _Reader:
    """Adds one robot to a model."""

    def __init__(
        self,
        model: ModelBuilder,
        robot: Robot,
        tree: Tree,
        options: UrdfOptions,
        shapes: FoundShapes,
    ) -> None:
        self._model = model
        self._shapes = shapes
        self._robot = robot
        self._tree = tree
        self._options = options
        self._bodies = Names("link", reserved=(GROUND_NAME,))
        self._bodies.read(link.name for link in robot.links)
        self._joints = Names("joint", reserved=RESERVED_POINTS)
        self._joints.read(joint.name for joint in robot.joints)
        self._laws = Names("force law")
        self._handles: dict[str, BodyHandle] = {}
        self._coordinates: dict[str, tuple[str, ...]] = {}
        self._following: dict[str, tuple[str, float, float]] = {}

    def read(self, locked: set[str]) -> None:
        """Add everything to the model."""
        self._add_root()
        for joint in self._tree.joints:
            if joint.name in locked:
                self._model.note(f"joint {quoted(joint.name)} is locked: it moves no mass")
                joint = replace(joint, type="fixed")
            self._add_joint(joint)
        if self._options.mimic:
            self._add_mimics()
        for note in (*self._bodies.notes, *self._joints.notes, *self._shapes.notes):
            self._model.note(note)
        for note in notes_of(
            self._robot,
            self._coordinates,
            applied=self._options.apply_dynamics,
            followed=self._options.mimic,
        ):
            self._model.note(note)
        bodies = {link.name: self._bodies[link.name] for link in self._robot.links}
        self._model.metadata["urdf"] = UrdfData(
            self._robot, bodies, self._coordinates, self._shapes.collisions, self._following
        )

    def _add_root(self) -> None:
        root = self._tree.root
        if self._options.base == "fixed":
            name, specs = "root", WELDED
        else:
            name, specs = self._bodies[root.name], free_specs(angles=self._options.base == "angles")
        with self._model.reading(root.where):
            self._add_chain(name, self._model.ground, specs, root)

    def _add_joint(self, joint: UrdfJoint) -> None:
        link = self._tree.links[joint.child]
        name = self._joints[joint.name]
        with self._model.reading(joint.where):
            on = self._site(self._handles[joint.parent], name, joint.X_PJ)
            self._coordinates[joint.name] = self._add_chain(name, on, joint_specs(joint), link)
            if self._options.apply_dynamics:
                for coordinate in self._coordinates[joint.name]:
                    self._add_dynamics(coordinate, joint)

    def _add_mimics(self) -> None:
        for follower, leader, mimic, joint in mimics_of(self._robot, self._coordinates):
            name = self._laws.new(f"{follower}_mimic")
            with self._model.reading(joint.where):
                factors = {follower: 1.0, leader: -mimic.multiplier}
                self._model.couple(factors, offset=mimic.offset, name=name)
            self._following[follower] = (leader, mimic.multiplier, mimic.offset)

    def _site(self, parent: BodyHandle, name: str, X_PJ: Pose) -> Handle:
        """Return the joint frame J on the parent body P."""
        return parent if Pose() == X_PJ else parent.frame(name, X_PJ.p, X_PJ.R)

    def _add_chain(
        self, name: str, on: Handle, specs: Mapping[str, JointSpec], link: UrdfLink
    ) -> tuple[str, ...]:
        """Attach a link by one or more joints; return the names of the coordinates."""
        coordinates = []
        *before, (last_suffix, last) = specs.items()
        for suffix, spec in before:
            step = self._joints.new(f"{name}_{suffix}")
            on = self._model.body(self._bodies.new(step), on=on, joint=replace(spec, name=step))
            coordinates.append(step)
        step = self._joints.new(f"{name}_{last_suffix}") if last_suffix else name
        with self._model.reading(link.where):
            self._handles[link.name] = self._model.body(
                self._bodies[link.name],
                on=on,
                joint=replace(last, name=step),
                mass=link.mass,
                com=link.com,
                inertia=link.inertia,
                visuals=self._shapes.visuals[link.name],
            )
        return () if not last.kind.moves else (*coordinates, step)

    def _add_dynamics(self, coordinate: str, joint: UrdfJoint) -> None:
        if joint.damping:
            damping = self._laws.new(f"{coordinate}_damping")
            self._model.joint_force(coordinate, lambda qd: -joint.damping * qd, name=damping)
        if joint.friction:
            friction = self._laws.new(f"{coordinate}_friction")
            deflection = self._options.friction_deflection
            stick(self._model, coordinate, joint.friction, deflection, friction)
