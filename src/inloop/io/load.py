"""`load`: the single entry point for all files that describe a mechanism."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, overload

from inloop.errors import FileFormatError, InputError
from inloop.io.friction import DEFLECTION
from inloop.io.mjcf import reader as mjcf
from inloop.io.robotran import reader as robotran
from inloop.io.sdf import reader as sdf
from inloop.io.urdf import reader as urdf
from inloop.io.xml import Element, parse_file
from inloop.model import ModelBuilder
from inloop.model.names import quoted, suggestion

Model = TypeVar("Model", bound=ModelBuilder)


@dataclass(frozen=True)
class _Format:
    """A file format: its reader and its options."""

    name: str
    read: Callable[..., Any]
    options: type[Any]
    running: Mapping[str, Any] = field(default_factory=dict)  # see `options_of_runs`


# by the name of the root element, which is more reliable than the file name extension
_FORMATS = {
    "robot": _Format("URDF", urdf.read, urdf.UrdfOptions, {"apply_dynamics": True}),
    "mujoco": _Format("MJCF", mjcf.read, mjcf.MjcfOptions, {"friction_deflection": DEFLECTION}),
    "sdf": _Format("SDF", sdf.read, sdf.SdfOptions, {"friction_deflection": DEFLECTION}),
    "mbsDescR7": _Format("ROBOTRAN", robotran.read, robotran.RobotranOptions),
}
_OTHERS = {
    "COLLADA": "a mesh",
    "OpenSimDocument": "an OpenSim model",
}


@overload
def load(path: str | os.PathLike[str], **options: Any) -> ModelBuilder: ...
@overload
def load(path: str | os.PathLike[str], model_type: type[Model], **options: Any) -> Model: ...
def load(path: str | os.PathLike[str], model_type: type[Any] = ModelBuilder, **options: Any) -> Any:
    """Read a mechanism from a file: URDF, MJCF (MuJoCo), SDF (Gazebo) or ROBOTRAN (.mbs).

    Changes and omissions are listed in the notes of the model; data that the equations do not use
    is kept in its metadata. An invalid file changes nothing.

    Args:
        path: path of the file; its content determines the format.
        model_type: class of the model to create.
        options: options of the format: see `UrdfOptions`, `MjcfOptions`, `SdfOptions`,
            `RobotranOptions`.

    Returns:
        A validated model that can still be extended.

    Raises:
        FileFormatError: the file is malformed, truncated, hostile or of an unknown format.
        ModelError: the file is readable, but does not describe a valid mechanism.
        InputError: an option is unknown.
    """
    root = parse_file(path)
    kind = _format_of(root)
    known = [option.name for option in fields(kind.options)]
    for option in options:
        if option not in known:
            raise InputError(
                f"{kind.name} files have no option {quoted(option)}", fix=suggestion(option, known)
            )
    return kind.read(root, model_type, kind.options(**options))


def options_of_runs(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Options with which commands read a robot that they run: with all friction and damping."""
    return _format_of(parse_file(path)).running


def _format_of(root: Element) -> _Format:
    if root.tag in _FORMATS:
        return _FORMATS[root.tag]
    what = _OTHERS.get(root.tag, "of an unknown kind")
    known = " or ".join(f"{kind.name} (<{tag}>)" for tag, kind in _FORMATS.items())
    raise FileFormatError(
        f"the root element is {root.label}: the file is {what}",
        root.where,
        f"Give a file in {known}.",
    )
