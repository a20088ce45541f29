"""Equilibria, linearization, eigenmodes, energy balance, sweeps, inverse dynamics over time."""

from inloop.analysis.eigenmodes import Eigenmodes, eigenmodes
from inloop.analysis.energy_audit import EnergyAudit, energy_audit
from inloop.analysis.equilibrium import Equilibrium, equilibrium
from inloop.analysis.inverse_run import InverseRun, inverse_dynamics_run
from inloop.analysis.linearize import Linear, linearize
from inloop.analysis.sobol import SobolIndices, sobol_indices
from inloop.analysis.sweep import Sweep, sweep

__all__ = [
    "Eigenmodes",
    "EnergyAudit",
    "Equilibrium",
    "InverseRun",
    "Linear",
    "SobolIndices",
    "Sweep",
    "eigenmodes",
    "energy_audit",
    "equilibrium",
    "inverse_dynamics_run",
    "linearize",
    "sobol_indices",
    "sweep",
]
