"""Functional mock-up units: plants exported as FMUs, and FMUs as controllers of plants."""

from inloop.io.fmi.export import export_fmu
from inloop.io.fmi.loading import FmuController, load_fmu

__all__ = ["FmuController", "export_fmu", "load_fmu"]
