"""Driven joints whose position and velocity contradict each other: errors that name the joint.

Loops are closed at the drive positions, while everything moves with the drive velocities. A
position that moves without its velocity would drag the loops along without inertia or damping,
and nothing in the result would show it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.simulate.drives import Drives
from inloop.simulate.inputs import Inputs

MOMENTS = 64  # number of times checked in a run
MOMENT = 1e-6  # interval of the finite differences, relative to the length of a run
AGREE = 1e-2  # tolerance between the two, relative to the largest velocity
JUMP = 0.5  # of a drive's motion in a step: unexplained by its velocity


def drive_inputs(plant: BarePlant) -> dict[str, tuple[str, str]]:
    """Names of the position and velocity inputs, by joint, where both are inputs."""
    joints = {drive.body: drive.inputs for drive in plant.mechanism.drives}
    return {
        plant.coordinates[body]: (inputs[0].name, inputs[1].name)
        for body, inputs in joints.items()
        if len(inputs) > 1
    }


def check_velocities(
    plant: BarePlant, inputs: Inputs, begin: float, t_end: float, replaced: Collection[str]
) -> None:
    """Check that the velocities of live drives match the rates of their positions.

    Args:
        plant: the compiled mechanism.
        inputs: the vector u.
        begin: start time of the run [s].
        t_end: end time of the run [s].
        replaced: joints that follow a function of time instead.

    Raises:
        InputError: position and velocity of a joint contradict each other.
    """
    drives = {j: names for j, names in drive_inputs(plant).items() if j not in replaced}
    moment = MOMENT * (t_end - begin)
    if not drives or moment <= 0.0:
        return
    # at random times, so that they cannot coincide with the period of a signal
    parts = np.random.default_rng(1).uniform(0.01, 0.99, MOMENTS)
    times = begin + (t_end - begin) * np.sort(parts)
    before, u, after = (inputs.over(times + s * moment) for s in (-1.0, 0.0, 1.0))
    for joint, (position, velocity) in drives.items():
        k, j = plant.inputs.index(position), plant.inputs.index(velocity)
        moves, said = (after[:, k] - before[:, k]) / (2.0 * moment), u[:, j]
        size = max(np.abs(moves).max(), np.abs(said).max())
        off = np.abs(moves - said) > AGREE * size
        # one or two times may coincide with corners of the signal
        if np.count_nonzero(off) > 2:
            t = times[int(np.argmax(np.abs(moves - said)))]
            raise _contradiction(plant, joint, t)


def _contradiction(plant: BarePlant, joint: str, t: float) -> InputError:
    return InputError(
        f"model '{plant.name}': drive of '{joint}': '{joint}.q' and '{joint}.qd' are "
        f"inconsistent at t = {t:.4g} s",
        fix=f"Leave out {joint}.qd and {joint}.qdd, which are then derived from a function "
        'or samples, give all three, or declare the drive with derivatives="filtered".',
    )


class DriveWatch:
    """Live drives of a stepper: rejects a position that moves while its velocity stays 0."""

    def __init__(self, plants: Mapping[str, BarePlant], inputs: Mapping[str, float]) -> None:
        """Store the current positions of the drives.

        Args:
            plants: the modes by name.
            inputs: values of all inputs by name.
        """
        self._plants, self._inputs = plants, inputs
        self._names = {j: n for plant in plants.values() for j, n in drive_inputs(plant).items()}
        self._last = self._now()

    def _now(self) -> dict[str, tuple[float, float]]:
        return {j: (self._inputs[q], self._inputs[qd]) for j, (q, qd) in self._names.items()}

    def check(self) -> None:
        """Check what was written since the last step.

        Raises:
            InputError: a position has changed without a velocity.
        """
        for joint, (q, qd) in self._now().items():
            q_before, qd_before = self._last[joint]
            if q != q_before and qd == 0.0 == qd_before:
                plant = next(iter(self._plants.values()))
                raise InputError(
                    f"model '{plant.name}': drive of '{joint}': '{joint}.q' moves from "
                    f"{q_before:.6g} to {q:.6g}, but '{joint}.qd' is 0",
                    fix=f"Write {joint}.qd, and {joint}.qdd, with each {joint}.q, or declare the "
                    'drive with derivatives="filtered".',
                )

    def remember(self) -> None:
        """Store the current values for the check of the next step."""
        self._last = self._now()


def jump_of_a_drive(
    plant: BarePlant, drives: Drives | None, inputs: Inputs, t: float, step: float
) -> str:
    """The drive that jumps within a step, as text; empty if none does.

    Args:
        plant: the compiled mechanism.
        drives: motion of the driven joints.
        inputs: the vector u.
        t: start time of the step [s].
        step: length of the step [s].
    """
    if drives is None:
        return ""
    filtered = {plant.coordinates[d.body] for d in plant.mechanism.drives if d.states}

    def at(time: float) -> tuple[Array, Array]:
        q, qd, _ = drives.at(plant, time, inputs.at(time))
        return q, qd

    (q, qd), (q_next, qd_next) = at(t), at(t + step)
    moved = np.abs(q_next - q)
    explained = step * (np.abs(qd) + np.abs(qd_next))
    for k, joint in enumerate(plant.formulation.driven):
        if joint not in filtered and moved[k] - explained[k] > JUMP * moved[k] > 0.0:
            return f"the drive of '{joint}' jumps by {moved[k]:.3g} after t = {t:.6g} s"
    return ""
