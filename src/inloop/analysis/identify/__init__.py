"""Identify inertias and friction from measured motion and efforts.

base = base_parameters(plant, friction="all")       # what efforts can tell, and how it is grouped
motion = excitation(plant, speed=2.0, acceleration=6.0)   # a motion that tells it well
found = fit(plant, t, q, tau, cutoff=10.0)          # values, standard deviations, a table
found = fit_laws(plant, t, q, tau, "friction_*", cutoff=10.0, base=base)   # laws with states
plant = il.compile_mechanism(found.mechanism())     # the model with inertias that bodies can have
"""

from inloop.analysis.identify.base_parameters import BaseParameters, base_parameters
from inloop.analysis.identify.consistency import is_consistent, pseudo_inertia
from inloop.analysis.identify.excitation import Excitation, excitation
from inloop.analysis.identify.fit import fit
from inloop.analysis.identify.fit_laws import fit_laws
from inloop.analysis.identify.identified import Identified
from inloop.analysis.identify.regressor import Regressor, regressor
from inloop.analysis.identify.runs import fit_run

__all__ = [
    "BaseParameters",
    "Excitation",
    "Identified",
    "Regressor",
    "base_parameters",
    "excitation",
    "fit",
    "fit_laws",
    "fit_run",
    "is_consistent",
    "pseudo_inertia",
    "regressor",
]
