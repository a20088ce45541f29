"""Shapes of a robot's links with files located, and masses computed from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from inloop.errors import InputError
from inloop.geometry import MassProperties, MeshFile, Visual, convex_hull, total
from inloop.io.packages import Packages
from inloop.io.urdf.elements import Robot, UrdfLink
from inloop.io.urdf.visuals import UrdfShape
from inloop.model.geometry import Matrix3
from inloop.model.names import quoted


@dataclass
class FoundShapes:
    """Visual and collision shapes of each link.

    Attributes:
        visuals: shapes to draw, by link name.
        collisions: shapes for collision, by link name.
        notes: what was not found, by name and line.
    """

    visuals: dict[str, tuple[Visual, ...]] = field(default_factory=dict)
    collisions: dict[str, tuple[Visual, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, link: UrdfLink, packages: Packages) -> None:
        """Find the shapes of one link."""
        self.visuals[link.name] = tuple(self._found(link, link.visuals, packages))
        self.collisions[link.name] = tuple(self._found(link, link.collisions, packages))

    def _found(
        self, link: UrdfLink, shapes: Iterable[UrdfShape], packages: Packages
    ) -> Iterable[Visual]:
        for shape in shapes:
            visual = shape.visual(packages)
            if isinstance(visual, str):
                self.notes.append(f"link {quoted(link.name)}: {visual} ({shape.where})")
                continue
            picture = shape.picture(packages)
            if isinstance(picture, str):
                where = shape.material.where
                self.notes.append(f"link {quoted(link.name)}: {picture} ({where})")
                picture = None
            yield replace(visual, picture=picture)


def find_shapes(robot: Robot, packages: Packages) -> FoundShapes:
    """Find the shapes of all links; meshes are not read yet."""
    found = FoundShapes()
    for link in robot.links:
        found.take(link, packages)
    return found


def with_density(robot: Robot, density: float, found: FoundShapes) -> Robot:
    """Give links without <inertial> the mass of their collision, else visual shapes.

    Args:
        robot: content of the file.
        density: [kg/m³].
        found: shapes of its links; collects notes.

    Raises:
        FileFormatError: a mesh cannot be read.
    """
    links = []
    for link in robot.links:
        solids = found.collisions[link.name] or found.visuals[link.name]
        if link.has_inertial or not solids:
            links.append(link)
            continue
        properties = total([_solid(link, solid, density, found) for solid in solids])
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia.tolist()
        inertia: Matrix3 = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        x, y, z = properties.com.tolist()
        links.append(replace(link, mass=properties.mass, com=(x, y, z), inertia=inertia))
        found.notes.append(
            f"link {quoted(link.name)} has no <inertial>: its mass, {properties.mass:.4g} kg, "
            f"follows from its shapes and {density:g} kg/m³"
        )
    return replace(robot, links=tuple(links))


def _solid(link: UrdfLink, visual: Visual, density: float, found: FoundShapes) -> MassProperties:
    """Mass properties of one shape; a mesh that is not closed is replaced by its convex hull."""
    shape = visual.shape
    if not isinstance(shape, MeshFile) or shape.mesh.is_closed:
        try:
            return visual.mass_properties(density)
        except InputError:
            if not isinstance(shape, MeshFile):
                raise
    found.notes.append(
        f"link {quoted(link.name)}: mesh {shape.path!a} encloses no volume, its convex hull is used"
    )
    return replace(visual, shape=convex_hull(shape.mesh.vertices)).mass_properties(density)
