"""A stepper that is set back to a snapshot, against a whole run."""

from __future__ import annotations

import inloop as il


def check_steps_back(plant: il.Plant) -> None:
    """300 steps of 1 ms, 50 of them done twice, end with the bits of a run."""
    whole, stepper = plant.simulate(t_end=0.3, step=1e-3), plant.stepper(step=1e-3)
    for _ in range(100):
        stepper.step()
    kept = stepper.snapshot()
    for _ in range(50):
        stepper.step()
    stepper.restore(kept)
    for _ in range(200):
        stepper.step()
    assert [stepper[f"{name}.q"] for name in plant.coordinates] == list(whole.q[-1])
