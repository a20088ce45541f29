"""Meshes from files: STL, OBJ, glTF and Collada, read by trimesh."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np

from inloop.errors import FileFormatError, InloopError, InputError
from inloop.geometry.mass import MassProperties
from inloop.geometry.mesh import MOST_TRIANGLES, Mesh, Paint
from inloop.geometry.mesh_files.collada_repair import mended
from inloop.geometry.mesh_files.given_file import inside
from inloop.geometry.mesh_files.mesh_checks import CHECKS, RefusedError
from inloop.geometry.mesh_files.mesh_source import References, read_mesh
from inloop.geometry.mesh_files.texture import paint_of
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Indices, Triple, number, shown, triple
from inloop.geometry.surface import AROUND, Surface

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
# columns: axes of the file in our axes
UP = {
    "z": np.eye(3),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "x": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
}
WITH_NORMALS = ("dae", "glb", "gltf")
Part: TypeAlias = tuple[Array, Indices, Paint]  # vertices [m], triangles, colors
KEPT = 256  # meshes in memory


@dataclass(frozen=True)
class MeshFile(Shape):
    """A mesh that is read from its file on demand.

    Attributes:
        path: path of the file.
        folder: files that the mesh refers to must lie in it.
        scale: factors along x, y, z.
        unit: unit of its numbers: "m", "mm", ...; "" for the one in the file, or m.
        up: the axis that points up: "z", "y" or "x".
    """

    kind: ClassVar[str] = "mesh_file"
    path: str
    folder: str
    scale: Triple = (1.0, 1.0, 1.0)
    unit: str = ""
    up: str = "z"

    def __post_init__(self) -> None:
        factors = triple(self.scale, "the scale of a mesh")
        if 0.0 in factors:
            raise InputError(
                f"the scale of mesh {self.path[-200:]!a} is {factors}",
                fix="Use factors other than 0; a negative one mirrors the mesh.",
            )
        object.__setattr__(self, "scale", factors)
        if self.unit not in ("", *UNITS):
            raise InputError(
                f"the unit of a mesh is {shown(self.unit)}",
                fix=f"Write one of: {', '.join(UNITS)}.",
            )
        if self.up not in UP:
            raise InputError(
                f"the up-axis of a mesh is {shown(self.up)}", fix='Write "z", "y" or "x".'
            )

    @property
    def unscaled(self) -> Mesh:
        """The mesh before scaling, which several visuals may share.

        Raises:
            FileFormatError: the file cannot be read.
        """
        path = Path(self.path)
        try:
            told = path.stat()
        except (OSError, ValueError) as error:
            raise FileFormatError(
                f"cannot open the mesh: {getattr(error, 'strerror', None) or error}",
                self.path,
                "Check the path and its permissions.",
            ) from None
        return _read(path, Path(self.folder), self.unit, self.up, told.st_mtime_ns, told.st_size)

    @property
    def mesh(self) -> Mesh:
        """The mesh itself."""
        return self.unscaled.scaled(self.scale)

    @property
    def volume(self) -> float:
        """[m³]."""
        return self.mesh.volume

    @property
    def bounds(self) -> Array:
        """Least and greatest coordinates [m]."""
        return np.sort(self.unscaled.bounds * np.array(self.scale), axis=0)

    def _solid(self, density: float) -> MassProperties:
        return self.mesh.mass_properties(density)

    def support(self, direction: Array) -> Array:
        """A farthest vertex in a direction [m]."""
        return self.mesh.support(direction)

    def surface(self, around: int = AROUND) -> Surface:
        """Its triangles."""
        return self.mesh.surface()


def mesh(
    path: str | os.PathLike[str],
    *,
    scale: float | Sequence[float] = 1.0,
    unit: str | None = None,
    up: str = "z",
    folder: str | os.PathLike[str] | None = None,
) -> Mesh:
    """Read a mesh from an STL, OBJ, glTF (.gltf, .glb) or Collada (.dae) file.

    Args:
        path: the file.
        scale: one factor, or three along x, y, z of the file.
        unit: unit of the numbers in the file: "m", "mm", "cm", "um", "in", "ft"; by default the one
            declared in a Collada file, and m for the others.
        up: axis of the file that points up and becomes z: "z", "y" or "x".
        folder: materials and images that the file refers to must lie in it; by default the folder
            of the file.

    Raises:
        FileFormatError: the file is broken, too large or hostile, or refers to files elsewhere.
        InputError: an argument is wrong, or the package trimesh is missing.
    """
    where = Path(path)
    factors = [number(scale, "the scale")] * 3 if isinstance(scale, int | float) else scale
    home = where.parent if folder is None else Path(folder)
    if not inside(where, home):
        raise FileFormatError(
            f"the mesh is outside the folder {str(home)!a}", str(where), "Move it into the folder."
        )
    return MeshFile(str(where), str(home), factors, unit or "", up).mesh  # type: ignore[arg-type]


@lru_cache(maxsize=KEPT)
def _read(path: Path, folder: Path, unit: str, up: str, *version: int) -> Mesh:
    """Read a file that is not cached; `version` changes when the file does."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in CHECKS:
        raise FileFormatError(
            f"meshes of kind {path.suffix[:20]!a} cannot be read",
            str(path),
            f"Give a file that ends in one of: {', '.join(CHECKS)}.",
        )
    data = read_mesh(path)
    references = References(path, folder)
    try:
        own = CHECKS[ending](data)
        notes: list[str] = []
        if ending == "dae":
            data, notes = mended(data)
        factor = UNITS[unit] if unit else (own or 1.0)
        scene = _load(data, ending, references)
        parts = list(_parts(scene, factor * UP[up], ending in WITH_NORMALS))
        found = _joined(parts, str(path), references.count > 0)
    except RefusedError as refused:
        raise FileFormatError(f"{ending.upper()} file: {refused}", str(path), refused.fix) from None
    except InloopError as error:
        mistake = error.mistakes[0]
        raise FileFormatError(mistake.what, mistake.where or str(path), mistake.fix) from None
    except (Exception, RecursionError) as error:  # readers may raise anything on a broken file
        raise _unreadable(ending, path, references, error) from None
    if references.refused:
        raise _unreadable(ending, path, references, None)
    if notes:
        told = "; ".join(notes[:3])
        warnings.warn(f"mesh {str(path)!a} has broken references: {told}", stacklevel=2)
    if references.missing:
        names = ", ".join(sorted(set(references.missing))[:3])
        warnings.warn(f"mesh {str(path)!a} is read without {names!a}: no such file", stacklevel=2)
    return found


def _unreadable(
    ending: str, path: Path, references: References, error: BaseException | None
) -> FileFormatError:
    if references.refused:
        return FileFormatError(
            f"it refers to {references.refused!a}, which is outside its folder or too large",
            str(path),
            "Put the files it needs next to it, with relative names.",
        )
    if references.missing:
        names = ", ".join(sorted(set(references.missing))[:3])
        return FileFormatError(f"it refers to {names!a}, which is missing", str(path), "Add it.")
    cause = f"{type(error).__name__}: {str(error)[:200]}"
    return FileFormatError(
        f"it cannot be read as {ending.upper()} ({cause})",
        str(path),
        "It is damaged or truncated; get a new copy from its source.",
    )


def _load(data: bytes, ending: str, references: References) -> Any:
    """Load the file with trimesh, as a scene."""
    try:
        import trimesh

        if ending == "dae":
            import collada  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"meshes need the package {error.name}", fix="Install it: pip install inloop[meshes]"
        ) from error
    with _silence(), np.errstate(all="ignore"):
        return trimesh.load_scene(
            io.BytesIO(data),
            file_type=ending,
            resolver=references,
            process=False,
        )


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the reader's own messages: problems are reported once, by us."""
    logger = logging.getLogger("trimesh")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _parts(scene: Any, turn: Array, has_normals: bool) -> Iterator[Part]:
    """Vertices [m], triangles and paint of each part, in our axes."""
    for node in scene.graph.nodes_geometry:
        X_WN, name = scene.graph[node]
        part = scene.geometry[name]
        faces = getattr(part, "faces", None)
        if faces is None or len(faces) == 0:
            continue  # skip points and lines
        R = turn @ np.asarray(X_WN)[:3, :3]
        p = turn @ np.asarray(X_WN)[:3, 3]
        vertices = np.asarray(part.vertices, dtype=np.float64) @ R.T + p
        triangles = np.asarray(faces, dtype=np.int64)
        if np.linalg.det(R) < 0.0:  # mirrored
            triangles = triangles[:, ::-1]
        yield vertices, triangles, paint_of(part, triangles, R, has_normals)


def _joined(parts: list[Part], name: str, has_references: bool) -> Mesh:
    """Join all parts to one mesh."""
    count = sum(len(triangles) for _, triangles, _ in parts)
    if not 1 <= count <= MOST_TRIANGLES:
        fix = f"It needs from 1 to {MOST_TRIANGLES}."
        raise InputError(f"it has {count} triangles", fix=fix)
    vertices, triangles, paint = [], [], []
    first = begin = 0
    for own, faces, look in parts:
        if not np.all(np.isfinite(own)):
            row = int(np.argmin(np.all(np.isfinite(own), axis=1)))
            raise InputError(f"vertex {row} is {own[row].tolist()}", fix="Repair the file.")
        if faces.min() < 0 or faces.max() >= len(own):
            raise InputError("a triangle uses a vertex that does not exist", fix="Repair the file.")
        vertices.append(own)
        triangles.append(faces + first)
        span = (begin, begin + len(faces))
        paint.append(Paint(span, look.normals, look.colors, look.uv, look.texture))
        first, begin = first + len(own), begin + len(faces)
    return Mesh(np.vstack(vertices), np.vstack(triangles), tuple(paint), name, has_references)
