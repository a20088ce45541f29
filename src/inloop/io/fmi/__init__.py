"""Functional mock-up units: a plant as an FMU, and an FMU as a controller of a plant."""

from inloop.io.fmi.export import export_fmu

__all__ = ["export_fmu"]
