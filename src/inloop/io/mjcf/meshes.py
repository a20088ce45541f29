"""Mesh assets of an MJCF file, and their mass by MuJoCo's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from inloop.errors import InputError
from inloop.geometry import MassProperties, Mesh, MeshFile, Shape, convex_hull
from inloop.io.mjcf.defaults import Defaults
from inloop.io.mjcf.settings import Settings
from inloop.io.packages import Packages
from inloop.io.poses import from_quaternion
from inloop.io.remarks import Remarks
from inloop.io.values import Triple, number, vector_attribute
from inloop.io.xml import Element
from inloop.model.names import quoted

Array = npt.NDArray[np.float64]
MOST_NUMBERS = 3_000_000  # of a mesh given in the file itself


@dataclass(frozen=True)
class MeshAsset:
    """A mesh that geoms may refer to.

    Attributes:
        shape: shape to draw; None if it is not read, which was noted.
        inertia: MuJoCo's method for its mass: "legacy", "exact", "convex" or "shell".
        where: file and line.
    """

    shape: Shape | None
    inertia: str
    where: str

    def unit_mass(self) -> MassProperties:
        """Mass properties for 1 kg/m³.

        Raises:
            InputError: the mesh is missing or malformed, or has no volume.
        """
        if self.shape is None:
            raise InputError(
                "the mesh is not read, so its mass is not known", fix="Give the body <inertial>."
            )
        surface = self.shape.surface()
        vertices = np.asarray(surface.vertices, dtype=np.float64)
        triangles = np.asarray(surface.triangles, dtype=np.int64)
        if self.inertia == "convex":
            return convex_hull(vertices).mass_properties(1.0)
        return _enclosed(vertices, triangles, signed=self.inertia == "exact")


def read_meshes(
    root: Element, defaults: Defaults, settings: Settings, remarks: Remarks
) -> dict[str, MeshAsset]:
    """Return the meshes of all <asset> elements by name; files are not opened yet."""
    packages = Packages(Path(root.where.rpartition(":")[0]), {})
    meshes: dict[str, MeshAsset] = {}
    for asset in root.all("asset"):
        for written in asset.all("mesh"):
            element = defaults.complete(written)
            name = element.attributes.get("name") or _stem(element.attributes.get("file", ""))
            inertia = element.attributes.get("inertia", "legacy")
            if inertia not in ("legacy", "exact", "convex"):
                remarks.add(
                    f"inertia={quoted(inertia)} of <mesh> is not known: taken as exact",
                    element.where,
                )
                inertia = "exact"
            shape = _caught(element, lambda e=element: _shape(e, settings, packages, remarks))  # type: ignore[misc]
            meshes[name] = MeshAsset(shape, inertia, element.where)
    return meshes


def _stem(file: str) -> str:
    return PurePosixPath(file.replace("\\", "/")).stem


def _caught(element: Element, make: Callable[[], Shape | None]) -> Shape | None:
    try:
        return make()
    except InputError as error:
        mistake = error.mistakes[0]
        element.fail(mistake.what, mistake.fix)


def _shape(
    element: Element, settings: Settings, packages: Packages, remarks: Remarks
) -> Shape | None:
    scale = vector_attribute(element, "scale", (1.0, 1.0, 1.0))
    if "vertex" in element.attributes:
        shape: Shape | None = _written(element)
        factors: Triple = scale
    else:
        shape, factors = _from_file(element, scale, settings, packages, remarks), (1.0, 1.0, 1.0)
    if shape is None:
        return None
    moved = {"refpos", "refquat"} & element.attributes.keys()
    if not moved and factors == (1.0, 1.0, 1.0):
        return shape
    if isinstance(shape, MeshFile):
        shape, factors = shape.unscaled, scale
    # translated and rotated before scaling
    p = np.array(vector_attribute(element, "refpos", (0.0, 0.0, 0.0)))
    quaternion = [number(element, x, "refquat")
                  for x in element.attributes.get("refquat", "1 0 0 0").split()]  # fmt: skip
    if len(quaternion) != 4:
        element.fail("refquat needs 4 numbers", "Write w x y z.")
    R = np.array(from_quaternion(element, quaternion), dtype=np.float64)
    surface = shape.surface()
    vertices = (np.asarray(surface.vertices) - p) @ R * np.array(factors)
    return Mesh(vertices, np.asarray(surface.triangles))


def _from_file(
    element: Element, scale: Triple, settings: Settings, packages: Packages, remarks: Remarks
) -> Shape | None:
    if "file" not in element.attributes:
        remarks.add("not read: <mesh> without file and vertices", element.where)
        return None
    file = element.attributes["file"].replace("\\", "/")
    if settings.strip_path:
        file = PurePosixPath(file).name
    folder = settings.mesh_folder.replace("\\", "/").rstrip("/")
    found = packages.find(f"{folder}/{file}" if folder else file)
    if isinstance(found, str):
        remarks.add(f"mesh {quoted(file)} is not read: {found}", element.where)
        return None
    return MeshFile(str(found.path), str(found.folder), scale)


def _written(element: Element) -> Shape:
    """A mesh with vertices given in the file; without faces, their convex hull."""
    vertices = _table(element, "vertex", float)
    if "face" not in element.attributes:
        return convex_hull(vertices)
    return Mesh(vertices, _table(element, "face", int).astype(np.int64))


def _table(element: Element, name: str, kind: type) -> Array:
    words = element.attributes[name].split()
    if len(words) > MOST_NUMBERS or len(words) % 3 or not words:
        element.fail(
            f"{name} has {len(words)} numbers", f"Write triples, at most {MOST_NUMBERS} numbers."
        )
    values = np.array([number(element, word, name) for word in words])
    if kind is int and (np.any(values != np.floor(values)) or np.any(values < 0)):
        element.fail(f"{name} has numbers that are not indices", "Write 0, 1, 2, ...")
    return values.reshape(-1, 3)


def _enclosed(vertices: Array, triangles: npt.NDArray[np.int64], signed: bool) -> MassProperties:
    """Mass properties for 1 kg/m³, from tetrahedra over the triangles.

    MuJoCo's legacy method, not signed, adds the absolute volumes of the tetrahedra: about the
    centroid of the surface for the center of mass, then about that for mass and inertia. It is
    exact for convex meshes and those whose tetrahedra do not overlap.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not areas.sum() > 0.0:
        raise InputError("the mesh has no surface", fix="Give the body <inertial>.")
    apex = areas @ corners.mean(axis=1) / areas.sum()
    volumes, _ = _tetrahedra(corners - apex, signed)
    if not volumes.sum() > 0.0:
        raise InputError("the mesh encloses no volume", fix="Give the body <inertial>.")
    com = apex + volumes @ (corners - apex).sum(axis=1) / (4.0 * volumes.sum())
    volumes, second = _tetrahedra(corners - com, signed)
    return MassProperties(float(volumes.sum()), com, np.trace(second) * np.eye(3) - second)


def _tetrahedra(corners: Array, signed: bool) -> tuple[Array, Array]:
    """Volumes of the tetrahedra with the origin, and ∫ x xᵀ over all of them."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    volumes = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6.0
    volumes = volumes if signed else np.abs(volumes)
    # V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c
    vectors = np.stack([a, b, c, a + b + c])
    return volumes, np.einsum("n,kni,knj->ij", volumes, vectors, vectors) / 20.0
