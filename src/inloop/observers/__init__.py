"""Observers: estimate the states of a plant from measurements, with their covariance.

    observer = il.observer(plant, measured={"crank.q": 2e-4}, disturbances={"crank.tau": 0.3})
    estimate = observer.step(outputs)          # once per period: by hand, or as a controller
    found = observer.follow(recording)         # or over a whole run

Extended ("ekf") and unscented ("ukf") Kalman filters, and moving-horizon estimation ("mhe") run in
C (native/runtime/il_observer.h).
"""

from inloop.observers.consistency import Consistency, nees, nis
from inloop.observers.estimate import Estimate
from inloop.observers.followed import Followed
from inloop.observers.forces import ContactForce, contact_force, unknown_efforts
from inloop.observers.make import observer, observer_again
from inloop.observers.observer import Observer
from inloop.observers.trial import Trial, trial
from inloop.observers.unknowns import Unknown

__all__ = [
    "Consistency",
    "ContactForce",
    "Estimate",
    "Followed",
    "Observer",
    "Trial",
    "Unknown",
    "contact_force",
    "nees",
    "nis",
    "observer",
    "observer_again",
    "trial",
    "unknown_efforts",
]
