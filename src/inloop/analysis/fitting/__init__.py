"""Any live parameters of a plant from recordings of its motion, and how well they are known.

fitted = fit(plant, il.read("run.mcap"), ["k", "c", "friction.*", "encoder.delay"])
print(fitted)                         # values, standard deviations, what residuals tell
plant.parameters.update(fitted.parameters)
fitted.save("found.txt")              # for `--set @found.txt`
"""

from inloop.analysis.fitting.fit import fit
from inloop.analysis.fitting.fitted import Fitted, ResidualError

__all__ = ["Fitted", "ResidualError", "fit"]
