"""MJCF: import of MuJoCo models.

Bodies and coordinates keep their names and order. Coordinates of hinges and slides are those of
MuJoCo, and so are velocities and quaternions of ball and free joints; q has all quaternions at its
end. Equality constraints, soft in MuJoCo, hold exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from inloop.errors import InputError
from inloop.io.friction import check_deflection
from inloop.io.mjcf.actuators import Actuator, read_actuators
from inloop.io.mjcf.bodies import MjcfBody, read_bodies
from inloop.io.mjcf.defaults import Defaults
from inloop.io.mjcf.effects import Effects
from inloop.io.mjcf.equality import Named, read_equalities
from inloop.io.mjcf.include import expand
from inloop.io.mjcf.keys import Key, choose, read_keys, starts
from inloop.io.mjcf.settings import Settings, read_settings
from inloop.io.mjcf.tendons import read_fixed_tendons
from inloop.io.mjcf.unread import Unread
from inloop.io.mjcf.writer import Writer
from inloop.io.naming import Names
from inloop.io.remarks import Remarks
from inloop.io.xml import Element
from inloop.model import ModelBuilder, Pose
from inloop.model.names import quoted

Model = TypeVar("Model", bound=ModelBuilder)


@dataclass(frozen=True)
class MjcfOptions:
    """How to read an MJCF file.

    Attributes:
        name: name of the model; default: that of the file.
        gravity: in world axes [m/s²]; default: that of the file.
        keyframe: name of the keyframe to start from, "key0" for an unnamed first one; default: the
            pose in which the bodies are written.
        friction_deflection: deflection of sticking joints under their full `frictionloss`
            [rad or m]; without it, dry friction is omitted.
    """

    name: str | None = None
    gravity: Sequence[float] | None = None
    keyframe: str | None = None
    friction_deflection: float | None = None

    def __post_init__(self) -> None:
        if self.keyframe is not None and not isinstance(self.keyframe, str):
            raise InputError(
                f"keyframe = {quoted(self.keyframe)} is not a name", fix='Write keyframe="home".'
            )
        check_deflection(self.friction_deflection)


@dataclass(frozen=True)
class MjcfData:
    """Data of an MJCF file beyond the equations: `model.metadata["mjcf"]`.

    Attributes:
        settings: compiler and options.
        bodies: all bodies with joints, geoms and sites; angles in radians.
        names: model name of each body, in the same order.
        coordinates: names of the coordinates of each joint, body by body.
        frames: pose of each body of the file in the frame of the model's body: they differ if the
            anchor of a joint is not at the origin of its body.
        actuators: actuators by input name.
        keys: keyframes.
    """

    settings: Settings
    bodies: tuple[MjcfBody, ...]
    names: tuple[str, ...]
    coordinates: tuple[tuple[tuple[str, ...], ...], ...]
    frames: tuple[Pose, ...]
    actuators: Mapping[str, Actuator]
    keys: tuple[Key, ...]


def read(root: Element, model_type: type[Model], options: MjcfOptions) -> Model:
    """Return the model of an MJCF file, given its root element.

    Raises:
        FileFormatError: an element is malformed, or refers to something unknown.
        ModelError: the elements do not form a mechanism; all such errors at once.
    """
    root = expand(root)
    remarks = Remarks()
    settings = read_settings(root)
    if options.gravity is not None:
        settings = replace(settings, gravity=tuple(options.gravity))
    defaults = Defaults(root)
    bodies, ground = read_bodies(root, defaults, settings, remarks)
    named = _named(bodies, ground)
    tendons = read_fixed_tendons(root, defaults, named.single, remarks)
    lengths = {tendon.name: tendon.joints for tendon in tendons if tendon.name}
    actuators = read_actuators(root, defaults, settings, remarks, named.single, lengths)
    equalities = read_equalities(root, defaults, named, remarks)
    keys = read_keys(root)
    names = Names("model")
    names.read([root.attributes.get("model", "MuJoCo_Model")])
    (title,) = names.originals
    model = model_type(options.name or names[title], gravity=settings.gravity, strict_inertia=False)
    start = starts(choose(keys, options.keyframe), bodies) if options.keyframe else None
    writer = Writer(model, settings, remarks, options.friction_deflection)
    writer.add_bodies(bodies, ground, start, loops=bool(equalities))
    effects = Effects(writer)
    effects.add_tendons(tendons)
    inputs = effects.add_actuators(actuators)
    effects.add_equalities(equalities)
    effects.add_sensors(root)
    for note in (
        *names.notes,
        *writer.notes,
        *remarks.notes,
        *Unread(rest := Remarks()).tell(root),
    ):
        model.note(note)
    for note in rest.notes:
        model.note(note)
    if keys and not options.keyframe:
        listed = ", ".join(quoted(key.name) for key in keys[:12])
        model.note(f"the file has keyframes to start from: {listed}; choose one with keyframe=...")
    model.metadata["mjcf"] = MjcfData(
        settings,
        tuple(bodies),
        tuple(writer.body_names),
        tuple(writer.coordinates),
        tuple(writer.frames),
        inputs,
        tuple(keys),
    )
    # raises all errors of the model, with the lines of the file
    model.build()
    return model


def _named(bodies: Sequence[MjcfBody], ground: MjcfBody) -> Named:
    """Elements that actuators and equality constraints may name; duplicate names are errors."""
    joints = [joint for body in bodies for joint in body.joints]
    sites = [(site, body) for body in (ground, *bodies) for site in body.sites]
    _check_once("body", [(body.name, body.where) for body in bodies])
    _check_once("joint", [(joint.name, joint.where) for joint in joints])
    _check_once("site", [(site.name, site.where) for site, _ in sites])
    return Named(
        {"world": Pose(), **{body.name: body.X_WB for body in bodies if body.name}},
        {site.name: (body.name, site.X_BS) for site, body in sites},
        {joint.name: joint.is_single for joint in joints if joint.name},
    )


def _check_once(kind: str, elements: Sequence[tuple[str, str]]) -> None:
    first: dict[str, str] = {}
    for name, where in elements:
        if name and name in first:
            Element(kind, {}, where).fail(
                f"{kind} {quoted(name)}: the name is already used at {first[name]}",
                "Give each its own name.",
            )
        first[name] = where
