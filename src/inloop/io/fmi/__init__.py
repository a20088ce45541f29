"""Functional mock-up units: a plant as an FMU, and an FMU as a controller of a plant."""

from inloop.io.fmi.export import export_fmu
from inloop.io.fmi.loading import FmuController, load_fmu

__all__ = ["FmuController", "export_fmu", "load_fmu"]
