"""Tyres: formulas of their forces, roads under them, and the element that joins both."""

from inloop.model.tyres.formula import Slip, TyreForces, TyreFormula
from inloop.model.tyres.formula_1987 import Formula1987
from inloop.model.tyres.line_roads import LineRoad
from inloop.model.tyres.pac2002 import Pac2002
from inloop.model.tyres.road_drawing import RoadLane, RoadMark, RoadMesh
from inloop.model.tyres.roads import (
    Road,
    RoadPoint,
    grid_road,
    height_road,
    heights_at,
    plane_road,
    terrain_road,
)

__all__ = [
    "Formula1987",
    "LineRoad",
    "Pac2002",
    "Road",
    "RoadLane",
    "RoadMark",
    "RoadMesh",
    "RoadPoint",
    "Slip",
    "TyreForces",
    "TyreFormula",
    "grid_road",
    "height_road",
    "heights_at",
    "plane_road",
    "terrain_road",
]
