"""Fit live parameters of a plant to recordings of its motion, with standard deviations.

fitted = fit(plant, il.read("run.mcap"), ["k", "c", "friction.*", "encoder.delay"])
print(fitted)                         # values, standard deviations, residual tests
plant.parameters.update(fitted.parameters)
fitted.save("found.txt")              # for `--set @found.txt`
"""

from inloop.analysis.fitting.fit import fit
from inloop.analysis.fitting.fitted import Fitted, ResidualError

__all__ = ["Fitted", "ResidualError", "fit"]
