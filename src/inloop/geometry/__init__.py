"""Shapes, each defined once for drawing, contact, mass properties and files."""

from inloop.geometry.box import Box, box
from inloop.geometry.capsule import Capsule, capsule
from inloop.geometry.cone import Cone, cone
from inloop.geometry.cylinder import Cylinder, cylinder
from inloop.geometry.half_space import HalfSpace, plane
from inloop.geometry.heightfield import Heightfield, heightfield
from inloop.geometry.hull import ConvexHull, convex_hull
from inloop.geometry.lathe import lathe
from inloop.geometry.loft import loft, tube
from inloop.geometry.mass import MassProperties, total
from inloop.geometry.material import MATERIALS, Material
from inloop.geometry.mesh import Mesh, Paint, Texture
from inloop.geometry.mesh_files.mesh_file import MeshFile, mesh
from inloop.geometry.outlines import Circle, Line, Rim, Segment, circle, line, rim, segment
from inloop.geometry.plate import Plate, plate
from inloop.geometry.shape import Shape, shape_from
from inloop.geometry.sphere import Sphere, point, sphere
from inloop.geometry.surface import Surface
from inloop.geometry.terrain import terrain
from inloop.geometry.torus import Torus, torus
from inloop.geometry.visual import Visual, disc, rod, visual

__all__ = [
    "MATERIALS", "Box", "Capsule", "Circle", "Cone", "ConvexHull", "Cylinder", "HalfSpace",
    "Heightfield", "Line", "MassProperties", "Material", "Mesh", "MeshFile", "Paint", "Plate",
    "Rim", "Segment", "Shape", "Sphere", "Surface", "Texture", "Torus", "Visual", "box",
    "capsule", "circle", "cone", "convex_hull", "cylinder", "disc", "heightfield", "lathe",
    "line", "loft", "mesh", "plane", "plate", "point", "rim", "rod", "segment", "shape_from",
    "sphere", "terrain", "torus", "total", "tube", "visual",
]  # fmt: skip
