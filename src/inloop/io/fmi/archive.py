"""Third-party FMU files: unpacked with limits, after a check of their description."""

from __future__ import annotations

import os
import re
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import Any, NoReturn

from inloop.errors import FileFormatError, InputError
from inloop.io.xml import Element, parse

MOST_FILES = 20_000
MOST_BYTES = 2 * 1024**3  # of all files, unpacked
MOST_DESCRIBED = 64 * 1024**2  # bytes of modelDescription.xml
DESCRIPTION = "modelDescription.xml"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}", re.ASCII)


@dataclass(frozen=True)
class Opened:
    """An FMU that can be instantiated.

    Attributes:
        file: path of the FMU.
        folder: folder of the unpacked FMU, which exists as long as this object.
        description: fmpy's ModelDescription.
    """

    file: Path
    folder: Path
    description: Any


def open_fmu(file: str | os.PathLike[str]) -> Opened:
    """Check an FMU and unpack it.

    Raises:
        FileFormatError: not an FMU, hostile, or without co-simulation for this machine.
        InputError: fmpy is not installed.
    """
    fmpy = _fmpy()
    path = Path(file)
    with _named(path), zipfile.ZipFile(path) as archive:
        _check_members(archive, path)
        _check_description(archive, path)
        folder = Path(tempfile.mkdtemp(prefix="inloop-fmu-"))
        try:
            archive.extractall(folder)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
    try:
        description = _read(fmpy, folder, path)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    opened = Opened(path, folder, description)
    weakref.finalize(opened, _remove, folder, os.getpid())
    return opened


def _remove(folder: Path, owner: int) -> None:
    """Remove a folder, but not in a process forked from its owner."""
    if os.getpid() == owner:
        rmtree(folder, ignore_errors=True)


def _fmpy() -> Any:
    try:
        import fmpy
    except ImportError as error:
        raise InputError(
            "reading an FMU needs the package fmpy", fix="pip install inloop[fmi]"
        ) from error
    return fmpy


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Report I/O errors as FileFormatError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        what = f"'{path.name}' is not an FMU: {error}"
        raise FileFormatError(what, str(path), "Give a file that ends with .fmu.") from error
    except OSError as error:
        what = f"'{path.name}' cannot be read: {error.strerror or error}"
        raise FileFormatError(what, str(path), "Check its path and permissions.") from error


def _check_members(archive: zipfile.ZipFile, path: Path) -> None:
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if len(members) > MOST_FILES or total > MOST_BYTES:
        _refuse(path, f"it contains {len(members)} files of {total} bytes, too many to unpack")
    for member in members:
        parts = PurePosixPath(member.filename).parts
        outside = member.filename.startswith("/") or ".." in parts or "\\" in member.filename
        if outside or ":" in member.filename or "\0" in member.orig_filename:
            _refuse(path, f"the path {member.filename[:80]!r} in it points outside")


def _check_description(archive: zipfile.ZipFile, path: Path) -> None:
    """Check before any parsing by fmpy: no entities, no names that are paths, a known version."""
    try:
        about = archive.getinfo(DESCRIPTION)
    except KeyError:
        _refuse(path, f"there is no {DESCRIPTION} in it")
    if about.file_size > MOST_DESCRIBED:
        _refuse(path, f"its {DESCRIPTION} has {about.file_size} bytes, too many to be read")
    root = parse(archive.read(about), f"{path}/{DESCRIPTION}")
    version = root.attributes.get("fmiVersion", "")
    if root.tag != "fmiModelDescription" or not (version == "2.0" or version.startswith("3.0")):
        _refuse(path, f"version {version[:20]!r} of FMI is not supported, only 2.0 and 3.0")
    runs = root.child("CoSimulation")
    if runs is None:
        _refuse(path, "it has no co-simulation, which a controller needs")
    _check_name(runs, path)


def _check_name(runs: Element, path: Path) -> None:
    name = runs.attributes.get("modelIdentifier", "")
    if not _IDENTIFIER.fullmatch(name):
        _refuse(path, f"its model identifier {name[:60]!r} is not valid")


def _read(fmpy: Any, folder: Path, path: Path) -> Any:
    try:
        description = fmpy.read_model_description(str(folder), validate=True)
    except Exception as error:  # anything that fmpy raises on it
        _refuse(path, f"its description is wrong: {str(error).strip().splitlines()[0][:300]}")
    libraries = folder / "binaries"
    platforms = sorted(path.name for path in libraries.iterdir()) if libraries.is_dir() else []
    if not {fmpy.platform, fmpy.platform_tuple} & set(platforms):
        known = ", ".join(platforms[:8]) or "none"
        _refuse(path, f"it has no library for {fmpy.platform_tuple}, only for: {known}")
    return description


def _refuse(path: Path, what: str) -> NoReturn:
    raise FileFormatError(f"'{path.name}' cannot be used: {what}", str(path), "Use another FMU.")
