"""SDF: import of Gazebo models.

A link without a parent joint gets a free joint, unless its model is static. Joints that close a
loop become cuts. Worlds and models are read; everything else is noted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from inloop.io.friction import check_deflection, stick
from inloop.io.naming import Names
from inloop.io.packages import Packages
from inloop.io.poses import attitude_of, inverse
from inloop.io.remarks import Remarks
from inloop.io.sdf.elements import ElementReader, SdfAxis, SdfJoint, SdfLink, in_axes
from inloop.io.sdf.frames import WORLD, Frames
from inloop.io.values import MOST_BODIES, Triple, numbers
from inloop.io.xml import Element
from inloop.joints import JointSpec
from inloop.joints.kinds.screw import screw
from inloop.model import (
    BodyHandle,
    Handle,
    ModelBuilder,
    Pose,
    ball,
    fixed,
    free,
    prismatic,
    revolute,
)
from inloop.model.joints import chain_suffixes
from inloop.model.names import GROUND_NAME, RESERVED_POINTS, quoted

Model = TypeVar("Model", bound=ModelBuilder)
GRAVITY: Triple = (0.0, 0.0, -9.8)  # default of SDF
CUTS = {"revolute": "hinge", "continuous": "hinge", "ball": "ball", "fixed": "solid"}


@dataclass(frozen=True)
class SdfOptions:
    """How to read an SDF file.

    Attributes:
        name: name of the model; default: that of the file.
        gravity: in world axes [m/s²]; default: that of the file, else -9.8 along z.
        apply_dynamics: False omits dampers, springs and friction of joints.
        friction_deflection: deflection of sticking joints under their full `<friction>`
            [rad or m]; without it, dry friction is omitted.
        packages: folders of model://name/file and package://name/file, by name.
    """

    name: str | None = None
    gravity: Sequence[float] | None = None
    apply_dynamics: bool = True
    friction_deflection: float | None = None
    packages: Mapping[str, str | os.PathLike[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_deflection(self.friction_deflection)


@dataclass(frozen=True)
class SdfData:
    """Data of an SDF file beyond the equations: `model.metadata["sdf"]`.

    Attributes:
        links: all links by model and name.
        joints: all supported joints.
        coordinates: names of the coordinates of each joint, and of each floating link.
        frames: pose of each link in the frame of the model's body: they differ if a joint is not
            at the origin of its child.
    """

    links: tuple[SdfLink, ...]
    joints: tuple[SdfJoint, ...]
    coordinates: Mapping[str, tuple[str, ...]]
    frames: Mapping[str, Pose]


def read(root: Element, model_type: type[Model], options: SdfOptions) -> Model:
    """Return the model of an SDF file, given its root element.

    Raises:
        FileFormatError: an element is malformed, or refers to something unknown.
        ModelError: the elements do not form a mechanism; all such errors at once.
    """
    remarks = Remarks()
    models, gravity = _models(root, remarks)
    names = Names("model")
    title = models[0].attributes.get("name", "model")
    names.read([title])
    model = model_type(
        options.name or names[title],
        gravity=gravity if options.gravity is None else options.gravity,
        strict_inertia=False,
    )
    writer = _Writer(
        model, options, gravity if options.gravity is None else options.gravity, remarks
    )
    packages = Packages(Path(root.where.rpartition(":")[0]), options.packages)
    for element in models:
        writer.add(element, packages)
    for note in (*names.notes, *remarks.notes):
        model.note(note)
    model.metadata["sdf"] = SdfData(
        tuple(writer.links), tuple(writer.joints), writer.coordinates, writer.frames
    )
    # raises all errors of the model, with the lines of the file
    model.build()
    return model


def _models(root: Element, remarks: Remarks) -> tuple[list[Element], Triple]:
    """Return the models to read, and gravity."""
    models = list(root.all("model"))
    gravity = GRAVITY
    worlds = list(root.all("world"))
    for world in worlds[:1]:
        models += world.all("model")
        for element in world.all("gravity"):
            x, y, z = numbers(element, element.text, "<gravity>", count=3)
            gravity = (x, y, z)
    for parent in (root, *worlds[:1]):
        for element in parent.children:
            if element.tag not in ("model", "world", "gravity"):
                remarks.add(f"not read: {element.label} in {parent.label}", element.where)
    for world in worlds[1:]:
        remarks.add("not read: a second <world>", world.where)
    if not models or not any(True for model in models for _ in model.all("link")):
        root.fail(
            "the file has no <model> with a <link>", "Includes are not read: merge the files."
        )
    if sum(len(model.children) for model in models) > MOST_BODIES * 4:
        root.fail("too many elements", f"Up to {MOST_BODIES} links can be read.")
    return models, gravity


class _Writer:
    """Adds the models of one file to a model."""

    def __init__(
        self, model: ModelBuilder, options: SdfOptions, gravity: Sequence[float], remarks: Remarks
    ) -> None:
        self.model = model
        self.options = options
        self.gravity = gravity
        self.remarks = remarks
        self.body_names = Names("link", reserved=(GROUND_NAME,))
        self.joint_names = Names("joint")
        self.site_names = Names("frame", reserved=RESERVED_POINTS)
        self.law_names = Names("force law")
        self.links: list[SdfLink] = []
        self.joints: list[SdfJoint] = []
        self.coordinates: dict[str, tuple[str, ...]] = {}
        self.frames: dict[str, Pose] = {}

    def name_of(self, names: Names, wanted: str, where: str) -> str:
        """Return an unused name, with a note if it differs from that in the file."""
        name = names.new(wanted)
        if name != wanted:
            self.remarks.add(f"{quoted(wanted)} is called {quoted(name)}", where)
        return name

    def add(self, element: Element, packages: Packages) -> None:
        """Add one model of the file."""
        known = {"link", "joint", "frame", "pose", "static"}
        for child in element.children:
            if child.tag not in known:
                self.remarks.add(f"not read: {child.label} in <model>", child.where)
        frames = Frames(element, self.remarks)
        reader = ElementReader(frames, packages, self.remarks)
        links = [reader.link(link) for link in element.all("link")]
        found = [reader.joint(joint) for joint in element.all("joint")]
        joints = [joint for joint in found if joint is not None]
        self.links += links
        self.joints += joints
        static = any(flag.text in ("true", "1") for flag in element.all("static"))
        _Assembly(self, frames, links, joints, static).add()


class _Assembly:
    """Connects the links of one model."""

    def __init__(
        self,
        writer: _Writer,
        frames: Frames,
        links: Sequence[SdfLink],
        joints: Sequence[SdfJoint],
        static: bool,
    ) -> None:
        self._writer = writer
        self._model = writer.model
        self._X_WM = frames.X_WM
        self._links = {link.name: link for link in links}
        self._joints = list(joints)
        self._static = static
        self._handles: dict[str, BodyHandle] = {WORLD: self._model.ground}
        # pose of each link in the frame of its body; the world as seen from the model
        self._X_BL: dict[str, Pose] = {WORLD: Pose()}

    def add(self) -> None:
        """Add all links, parents first."""
        waiting = list(self._joints)
        roots = [name for name in self._links if not any(j.child == name for j in waiting)]
        carried = [j.child for j in self._joints]
        self._grow(waiting)
        for name in (*roots, *(name for name in self._links if name not in roots)):
            if name not in self._handles:
                if name in carried and not self._static:
                    where = self._links[name].where
                    self._writer.remarks.add(
                        "links form a cycle of joints: one of them is left free", where
                    )
                self._add_root(self._links[name])
                self._grow(waiting)
        for joint in waiting:
            self._cut(joint)

    def _grow(self, waiting: list[SdfJoint]) -> None:
        """Add links whose parents exist, until there are no more."""
        grown = True
        while grown:
            grown = False
            for joint in list(waiting):
                ready = joint.parent in self._handles and joint.child not in self._handles
                if ready and joint.child != WORLD:
                    waiting.remove(joint)
                    self._add_joint(joint)
                    grown = True

    def _pose_in_model(self, name: str) -> Pose:
        return inverse(self._X_WM) if name == WORLD else self._links[name].X_ML

    def _add_root(self, link: SdfLink) -> None:
        X_WL = self._X_WM @ link.X_ML
        if self._static:
            self._hang(link, link.name, [(X_WL, fixed())], Pose(), link.where)
            return
        specs = free(position=[float(x) for x in X_WL.p], attitude=attitude_of(X_WL.R))
        self._hang(link, link.name, [(Pose(), spec) for spec in specs], Pose(), link.where)
        self._writer.remarks.add("links without a parent joint get free joints", link.where)

    def _add_joint(self, joint: SdfJoint) -> None:
        link = self._links[joint.child]
        # frame J' has the origin of the joint and the axes of the child
        X_PL = self._X_BL[joint.parent] @ inverse(self._pose_in_model(joint.parent)) @ link.X_ML
        p_LJ = (inverse(link.X_ML) @ joint.X_MJ).p
        X_BL = Pose((-p_LJ[0], -p_LJ[1], -p_LJ[2]))
        specs = [fixed()] if self._static else list(_specs(joint, link))
        places = [X_PL @ Pose(p_LJ), *(Pose() for _ in specs[1:])]
        steps = list(zip(places, specs, strict=True))
        labels = self._hang(link, joint.name, steps, X_BL, joint.where)
        if self._writer.options.apply_dynamics:
            for label, axis in zip(labels, joint.axes, strict=False):
                self._add_dynamics(label, axis, joint.where)

    def _hang(
        self,
        link: SdfLink,
        name: str,
        steps: Sequence[tuple[Pose, JointSpec]],
        X_BL: Pose,
        where: str,
    ) -> tuple[str, ...]:
        """Attach a link by a chain of joints; return the names of its coordinates."""
        writer = self._writer
        start = next((j.parent for j in self._joints if j.name == name), WORLD)
        on: BodyHandle = self._handles[start]
        specs = [spec for _, spec in steps]
        suffixes = [""] if len(specs) == 1 else chain_suffixes(specs)
        wanted = [f"{name}_{suffix}" if suffix else name for suffix in suffixes]
        labels = [writer.name_of(writer.joint_names, label, where) for label in wanted]
        with self._model.reading(where):
            for (X, spec), label in list(zip(steps, labels, strict=True))[:-1]:
                place = self._place(on, X, label)
                between = writer.body_names.new(label)
                on = self._model.body(between, on=place, joint=replace(spec, name=label))
            X, spec = steps[-1]
            with self._model.reading(link.where):
                handle = self._model.body(
                    writer.name_of(writer.body_names, link.name, link.where),
                    on=self._place(on, X, labels[-1]),
                    joint=replace(spec, name=labels[-1]),
                    mass=link.mass,
                    com=X_BL.apply(link.com),
                    inertia=link.inertia,
                    visuals=[replace(v, position=X_BL.apply(v.origin)) for v in link.visuals],
                )
        self._handles[link.name] = handle
        self._X_BL[link.name] = writer.frames[link.name] = X_BL
        if not link.falls and not self._static:
            self._hold(link, handle)
        moving = tuple(labels) if specs[-1].kind.moves else ()
        writer.coordinates[name] = moving
        return moving

    def _place(self, on: BodyHandle, X: Pose, label: str) -> Handle:
        if Pose() == X:
            return on
        return on.frame(self._writer.site_names.new(f"{label}_joint"), X.p, X.R)

    def _hold(self, link: SdfLink, handle: BodyHandle) -> None:
        """Compensate the weight of a link with gravity switched off."""
        lift = [-link.mass * g for g in self._writer.gravity]
        name = self._writer.law_names.new(f"{handle.name}_weightless")
        self._model.force(handle.com_point, lambda: lift, name=name)

    def _add_dynamics(self, label: str, axis: SdfAxis, where: str) -> None:
        if axis.damping or axis.stiffness:
            name = self._writer.law_names.new(f"{label}_dynamics")
            with self._model.reading(where):
                self._model.joint_force(
                    label,
                    lambda q, qd: -axis.stiffness * (q - axis.rest) - axis.damping * qd,
                    name=name,
                )
        deflection = self._writer.options.friction_deflection
        if axis.friction and deflection is None:
            self._writer.remarks.add(
                "<friction> is not applied; friction_deflection=1e-3 applies it", where
            )
        elif axis.friction and deflection is not None:
            name = self._writer.law_names.new(f"{label}_friction")
            with self._model.reading(where):
                stick(self._model, label, axis.friction, deflection, name)

    def _cut(self, joint: SdfJoint) -> None:
        """Close a loop by a joint between two existing links."""
        if joint.type not in CUTS:
            self._writer.remarks.add(
                f"not read: {joint.type} joint {quoted(joint.name)}, which closes a loop",
                joint.where)  # fmt: skip
            return
        name = self._writer.law_names.new(joint.name)
        with self._model.reading(joint.where):
            ends = []
            for number, link in enumerate((joint.parent, joint.child), start=1):
                X = self._X_BL[link] @ inverse(self._pose_in_model(link)) @ joint.X_MJ
                frame = self._writer.site_names.new(f"{name}_{number}")
                ends.append(self._handles[link].frame(frame, X.p, X.R))
            axis = in_axes(joint.X_MJ.R, joint.axes[0].xyz_M) if joint.axes else None
            kind = CUTS[joint.type]
            self._model.close(*ends, kind=kind, axis=axis, name=name)  # type: ignore[arg-type]
            self._writer.remarks.add("joints that close loops became cuts", joint.where)


def _specs(joint: SdfJoint, link: SdfLink) -> Iterator[JointSpec]:
    """Yield the one-coordinate joints that represent a joint, in axes of the child."""
    if joint.type == "fixed":
        yield fixed()
    elif joint.type == "ball":
        yield from ball()
    for axis in joint.axes:
        direction = in_axes(link.X_ML.R, axis.xyz_M)
        if joint.type == "prismatic":
            yield prismatic(direction, limits=axis.limits)
        elif joint.type == "screw":
            yield screw(direction, joint.pitch, limits=axis.limits)
        else:
            yield revolute(direction, limits=axis.limits)
