"""Inertial parameters of a plant: by name, behind a regressor, and put into its mechanism."""

from inloop.model import Mechanism
from inloop.plant.inertias.parameters import InertialParameters, inertial_parameters, regressor_of
from inloop.plant.inertias.replacing import about_center, named, with_inertias

__all__ = [
    "InertialParameters", "Mechanism", "about_center", "inertial_parameters", "named",
    "regressor_of", "with_inertias",
]  # fmt: skip
