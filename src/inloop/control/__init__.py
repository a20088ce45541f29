"""Controllers: designed on linear models, run sample by sample.

model = LinearModel.of(plant.linearize(...))       # A, B, C, D with names
sampled = discretize(model, period=1e-3)           # inputs held between samples, with delay
gains = lqy(sampled, {"angle": 1000.0, "strain": 50.0}, {"angle": 100.0}, {"torque": 1.0})
observer = kalman(sampled, {"torque": 0.05}, {"angle": 1e-4, "strain": 1e-3})
controller = LqgController(sampled, gains, observer, limits=(-4.0, 4.0))
command = controller.step(measurement, reference)
"""

from inloop.control.discretize import discretize
from inloop.control.integrals import with_integrals
from inloop.control.kalman import Kalman, kalman
from inloop.control.kalman_filter import KalmanFilter
from inloop.control.linear_model import LinearModel
from inloop.control.lqg import LqgController
from inloop.control.lqy import Lqy, lqy
from inloop.control.pi import Pi
from inloop.control.reach import Mode, unmoved, unseen
from inloop.control.step_figures import StepFigures, step_figures

__all__ = [
    "Kalman",
    "KalmanFilter",
    "LinearModel",
    "LqgController",
    "Lqy",
    "Mode",
    "Pi",
    "StepFigures",
    "discretize",
    "kalman",
    "lqy",
    "step_figures",
    "unmoved",
    "unseen",
    "with_integrals",
]
