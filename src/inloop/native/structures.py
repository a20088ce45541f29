"""The structures of il_system.h, il_stepper.h, il_machine.h and il_run.h."""

from __future__ import annotations

import ctypes

import numpy as np

from inloop.native.library import POINTER

_REAL, _COUNT, _FLAG = ctypes.c_double, ctypes.c_int64, ctypes.c_int

RECORD = np.dtype(
    [
        ("energy_before", np.float64),
        ("energy_after", np.float64),
        ("restitution", np.float64),
    ]
)
"""il_record."""


class BoundsStructure(ctypes.Structure):
    """il_bounds."""

    _fields_ = (("most", POINTER), ("beyond", _COUNT))


class SystemStructure(ctypes.Structure):
    """il_system."""

    _fields_ = (
        ("rates", POINTER),
        ("jacobian", POINTER),
        ("save", POINTER),
        ("restore", POINTER),
        ("predict", POINTER),
        ("correct", POINTER),
        ("context", POINTER),
        ("n", _COUNT),
        ("m", _COUNT),
        ("autonomous", _COUNT),
        ("bounds", POINTER),
        ("sizes", POINTER),
    )


class StepperStructure(ctypes.Structure):
    """il_stepper."""

    _fields_ = (
        ("system", SystemStructure),
        ("method", POINTER),
        ("size", _COUNT),
        ("x_new", POINTER),
        ("error", POINTER),
        ("slope", POINTER),
        ("slope_new", POINTER),
        ("dense", POINTER),
        ("stages", POINTER),
        ("pivots", POINTER),
        ("atol", POINTER),
        ("slope_known", _FLAG),
        ("slope_new_known", _FLAG),
        ("jacobian_known", _FLAG),
        ("evaluations", _COUNT),
        ("jacobians", _COUNT),
    )


class TransitionStructure(ctypes.Structure):
    """il_transition."""

    _fields_ = (
        ("indicator", _COUNT),
        ("direction", _COUNT),
        ("target", _COUNT),
        ("jump", POINTER),
        ("context", POINTER),
        ("settles_in", _COUNT),
        ("settle", POINTER),
        ("settle_context", POINTER),
    )


class ModeStructure(ctypes.Structure):
    """il_mode."""

    _fields_ = (
        ("system", SystemStructure),
        ("indicators", POINTER),
        ("context", POINTER),
        ("indicator_count", _COUNT),
        ("tolerances", POINTER),
        ("transitions", POINTER),
        ("transition_count", _COUNT),
    )


class MachineStructure(ctypes.Structure):
    """il_machine."""

    _fields_ = (
        ("modes", POINTER),
        ("mode_count", _COUNT),
        ("method", _COUNT),
        ("most_events", _COUNT),
        ("settle_time", _REAL),
        ("time_tolerance", _REAL),
        ("atol", POINTER),
        ("work", POINTER),
        ("integers", POINTER),
        ("events", POINTER),
        ("event_states", POINTER),
        ("event_capacity", _COUNT),
        ("event_count", _COUNT),
        ("events_lost", _COUNT),
        ("complete", _COUNT),
        ("t", _REAL),
        ("mode", _COUNT),
        ("entered", _COUNT),
        ("x", POINTER),
        ("armed", POINTER),
        ("history", POINTER),
        ("events_in_step", _COUNT),
        ("fault_t", _REAL),
        ("fault_mode", _COUNT),
        ("fault_transition", _COUNT),
        ("stepper", StepperStructure),
        ("largest", _COUNT),
        ("transitions", _COUNT),
        ("pivots", POINTER),
        ("armed_new", POINTER),
        ("visited", POINTER),
        ("visited_count", _COUNT),
        ("x_event", POINTER),
        ("x_jump", POINTER),
        ("g", POINTER),
        ("g_trial", POINTER),
        ("kept", _COUNT),
        ("t_kept", _REAL),
        ("mode_kept", _COUNT),
        ("entered_kept", _COUNT),
        ("event_count_kept", _COUNT),
        ("events_lost_kept", _COUNT),
        ("events_in_step_kept", _COUNT),
        ("slope_known_kept", _COUNT),
        ("x_kept", POINTER),
        ("slope_kept", POINTER),
        ("armed_kept", POINTER),
    )


class SizesStructure(ctypes.Structure):
    """il_machine_sizes."""

    _fields_ = (
        ("work", _COUNT),
        ("integers", _COUNT),
        ("largest", _COUNT),
        ("armed", _COUNT),
        ("transitions", _COUNT),
    )


class RunStructure(ctypes.Structure):
    """il_run."""

    _fields_ = (
        ("machine", POINTER),
        ("t0", _REAL),
        ("last_step", _COUNT),
        ("t_end", _REAL),
        ("rtol", POINTER),
        ("h_min", _REAL),
        ("h_max", _REAL),
        ("max_steps", _COUNT),
        ("window", _REAL),
        ("stride", _COUNT),
        ("sample_step", _REAL),
        ("capacity", _COUNT),
        ("t_samples", POINTER),
        ("x_samples", POINTER),
        ("mode_samples", POINTER),
        ("stop", POINTER),
        ("fraction", _REAL),
        ("slope", POINTER),
        ("slope_known", _COUNT),
        ("step", _COUNT),
        ("h", _REAL),
        ("error_before", _REAL),
        ("window_end", _REAL),
        ("steps_done", _COUNT),
        ("rejected", _COUNT),
        ("evaluations", _COUNT),
        ("jacobians", _COUNT),
        ("samples", _COUNT),
        ("next_sample", _COUNT),
        ("sampled", _COUNT),
    )


EVENT = np.dtype(
    [
        ("t", np.float64),
        ("mode", np.int64),
        ("transition", np.int64),
        ("next_mode", np.int64),
        ("settled", np.int64),
        ("record", RECORD),
    ]
)
"""il_event."""

HISTORY = np.dtype(
    [
        ("t", np.float64),
        ("interval", np.float64),
        ("ratio", np.float64),
        ("ratio_before", np.float64),
        ("firings", np.int64),
        ("excursion", np.int64),
    ]
)
"""il_history."""
