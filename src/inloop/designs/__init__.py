"""Designs of experiments: distributions of quantities, and samples of them."""

from inloop.designs.design import Design, grid, latin_hypercube, monte_carlo, sobol, table
from inloop.designs.distributions import (
    Distribution,
    choice,
    lognormal,
    loguniform,
    normal,
    read_distribution,
    triangular,
    uniform,
)

__all__ = [
    "Design",
    "Distribution",
    "choice",
    "grid",
    "latin_hypercube",
    "lognormal",
    "loguniform",
    "monte_carlo",
    "normal",
    "read_distribution",
    "sobol",
    "table",
    "triangular",
    "uniform",
]
