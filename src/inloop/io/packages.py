"""Locates the meshes of a model: next to it, or in ROS packages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from inloop.errors import FileFormatError, InputError
from inloop.geometry.mesh_files.given_file import inside
from inloop.io.xml import parse_file
from inloop.model.names import quoted

_PACKAGE, _FILE = "package://", "file://"
HIGHEST = 12  # maximum number of folders above the model that are searched


@dataclass(frozen=True)
class Found:
    """A file, and the folder that contains everything it may refer to."""

    path: Path
    folder: Path


class Packages:
    """Finds the files that a model refers to.

    Args:
        model: path of the model file.
        given: package folders, by package name.
    """

    def __init__(self, model: Path, given: Mapping[str, str | os.PathLike[str]]) -> None:
        self._home = model.resolve().parent
        self._given: dict[str, Path] = {}
        for name, folder in given.items():
            if not Path(folder).is_dir():
                raise InputError(
                    f"package {quoted(name)} is not at {quoted(os.fspath(folder))}",
                    fix="Give the folder of the package that contains its meshes.",
                )
            self._given[name] = Path(folder).resolve()
        self._above = {name: folder for folder in self._folders_above() for name in _names(folder)}

    def find(self, reference: str) -> Found | str:
        """The file of a reference, or as text why it was not found."""
        if "\0" in unquote(reference):
            return "its name has a character that file names cannot have"
        if reference.startswith(_PACKAGE):
            name, _, place = unquote(reference.removeprefix(_PACKAGE)).partition("/")
            folders = list(self._folders(name))
            if not folders:
                return f"package {quoted(name)} is not found; give packages={{{name!a}: folder}}"
            return _first([Found(folder / place.lstrip("/"), folder) for folder in folders])
        place = unquote(reference.removeprefix(_FILE))
        if "://" in place:
            return "only files and packages are read, nothing from a network"
        # relative to the model; within its folder, its package or a given folder
        folders = [self._home, *self._above.values(), *self._given.values()]
        return _first([Found(self._home / place, folder) for folder in folders])

    def _folders(self, name: str) -> Iterator[Path]:
        """Folders of a package: given, above the model, in the ROS search paths."""
        if name in self._given:
            yield self._given[name]
        if name in self._above:
            yield self._above[name]
        for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
            if entry and Path(entry).name == name and Path(entry).is_dir():
                yield Path(entry).resolve()
            if entry and _is_name(name) and (Path(entry) / name).is_dir():
                yield (Path(entry) / name).resolve()
        for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
            if entry and _is_name(name) and (Path(entry) / "share" / name).is_dir():
                yield (Path(entry) / "share" / name).resolve()

    def _folders_above(self) -> list[Path]:
        """The model's folder and its parents that are packages, outermost first."""
        above = [self._home, *self._home.parents][:HIGHEST]
        return [folder for folder in reversed(above) if (folder / "package.xml").is_file()]


def _first(places: list[Found]) -> Found | str:
    """The first file that exists inside its folder."""
    allowed = [place for place in places if inside(place.path, place.folder)]
    for place in allowed:
        if place.path.is_file():
            return place
    if allowed:
        return "there is no such file"
    return "it is outside the folder of the model; give its folder in packages={...}"


def _is_name(name: str) -> bool:
    return bool(name) and name not in (".", "..") and "/" not in name and "\0" not in name


def _names(folder: Path) -> list[str]:
    """Names of a package: the one in its package.xml, and that of its folder."""
    names = [folder.name]
    try:
        declared = parse_file(folder / "package.xml").child("name")
    except FileFormatError:
        declared = None
    return names if declared is None else [*names, declared.text]
