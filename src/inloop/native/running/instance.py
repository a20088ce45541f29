"""An instance of a plant, wrapped for Python: memory, arrays by name, functions (il_host.h)."""

from __future__ import annotations

import ctypes
import functools
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError
from inloop.native.library import COUNT, POINTER, REAL, Reals, address_of, aligned_zeros
from inloop.native.running.schedule import Method, Status
from inloop.native.running.tapes import GivenInputs, GivenMotions
from inloop.native.runtime_library import load_runtime


class Numbers(IntEnum):
    """Arrays of an instance, as il_array."""

    PARAMETERS = 0
    TAU = 1
    U = 2
    GIVEN = 3
    GUARD = 4
    TOLERANCE = 5
    PULL = 6
    SIZES = 7
    TOLERANCES = 8
    MOST = 9
    STATE = 10
    PER_UNIT = 11
    PATIENCE = 12


class Blame(IntEnum):
    """The subject of a failure, as il_blame."""

    INPUT = 0
    DRIVE = 1
    ROW = 2
    BEYOND = 3


class NewtonReport(NamedTuple):
    """Statistics of Newton's method in steps with redundant coordinates.

    Attributes:
        iterations: iterations of the last step.
        correction: its last correction [rad, or fraction of the mechanism's length].
        divided: number of steps so far that were divided because it did not converge.
    """

    iterations: int
    correction: float
    divided: int


class Instance:
    """One run of a plant, with all its data in its own memory."""

    def __init__(self, plant: int, method: Method, step: float, keep: object = None) -> None:
        """Create it at the start of the plant.

        Args:
            plant: address of an il_plant.
            method: the integrator.
            step: [s]; 0 for adaptive steps.
            keep: object to keep alive: the library of the plant.
        """
        size = _function("il_instance_size", POINTER, COUNT, returns=ctypes.c_size_t)(plant, method)
        self._memory, self._keep = aligned_zeros(-(-size // 8)), [keep]
        make = _function("il_initialize", POINTER, POINTER, COUNT, REAL, returns=POINTER)
        address = make(address_of(self._memory), plant, method, step) if size else None
        if not address:
            raise InputError("the plant cannot be run", fix="Compile it again.")
        self.address: int = address

    @property
    def memory(self) -> Reals:
        """All its memory, whose contents only C understands."""
        return self._memory

    def numbers(self, which: Numbers, mode: int = 0) -> Reals:
        """An array of the instance, as a view: writing to it changes the run."""
        count = ctypes.c_int64(0)
        find = _function("il_array_of", POINTER, COUNT, COUNT, POINTER, returns=POINTER)
        address = find(self.address, mode, which, ctypes.addressof(count))
        array = np.ctypeslib.as_array((ctypes.c_double * count.value).from_address(address))
        return array

    @property
    def modes(self) -> int:
        """Address of its array of il_mode."""
        return int(_function("il_modes_of", POINTER, returns=POINTER)(self.address))

    def prepare(self) -> None:
        """Apply parameters that have been written."""
        _function("il_prepare_again", POINTER, returns=None)(self.address)

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(_function("il_time", POINTER, returns=REAL)(self.address))

    def begin(self, mode: int, x: Reals) -> None:
        """Start in a mode at t = 0, from a given stepper state."""
        _function("il_begin_at", POINTER, COUNT, POINTER)(self.address, mode, _address(x))

    def hold_inputs(self, values: Reals) -> None:
        """Set all inputs of the plant, in the order of its table, in all modes."""
        call = _function("il_set_inputs", POINTER, POINTER, returns=None)
        call(self.address, _address(np.ascontiguousarray(values, dtype=np.float64)))

    def outputs(self, values: Reals) -> Status:
        """Compute all current outputs of the plant, in the order of its table."""
        return Status(_function("il_outputs", POINTER, POINTER)(self.address, _address(values)))

    def snapshot(self) -> Reals:
        """All that influences the future, except parameters and inputs."""
        size = _function("il_snapshot_size", POINTER, returns=COUNT)(self.address)
        taken = np.zeros(size)
        take = _function("il_take_snapshot", POINTER, POINTER, returns=None)
        take(self.address, _address(taken))
        return taken

    def select(self, mode: int, choice: int) -> None:
        """Select one of the compiled partitions of a mode."""
        _function("il_select", POINTER, COUNT, COUNT, returns=None)(self.address, mode, choice)

    def select_roles(self, mode: int, roles: Reals) -> None:
        """Select a partition that need not be compiled.

        Args:
            mode: index of the mode.
            roles: indices of dependent coordinates, of independent ones, of the rows in use.
        """
        select = _function("il_select_roles", POINTER, COUNT, POINTER)
        roles = np.ascontiguousarray(roles, dtype=np.float64)
        if select(self.address, mode, _address(roles)) != Status.OK:
            raise InputError(
                f"the plant cannot choose its coordinates as {roles}",
                fix="Each coordinate and each row has one place.",
            )

    def choose(self, mode: int, t: float, q: Reals) -> bool:
        """Compute and use the best partition at a closed position; False if there is none."""
        call = _function("il_choose_at", POINTER, COUNT, REAL, POINTER)
        q = np.ascontiguousarray(q, dtype=np.float64)
        return bool(call(self.address, mode, t, _address(q)) == Status.OK)

    def roles(self, mode: int, count: int) -> Reals:
        """Roles of the partition in use, as in `select_roles`; `count` numbers."""
        roles = np.zeros(count)
        call = _function("il_roles_of", POINTER, COUNT, POINTER, returns=None)
        call(self.address, mode, _address(roles))
        return roles

    def restore(self, snapshot: Reals) -> bool:
        """Restore a snapshot; False if it is invalid."""
        call = _function("il_restore", POINTER, POINTER)
        return bool(call(self.address, _address(np.ascontiguousarray(snapshot))) == Status.OK)

    def advance(self) -> Status:
        """One step; a failed step leaves everything unchanged."""
        return Status(_function("il_advance", POINTER)(self.address))

    @property
    def mode(self) -> int:
        """Index of the current mode."""
        return int(_function("il_mode_of", POINTER, returns=COUNT)(self.address))

    def allow_events(self, most: int) -> None:
        """Set the maximum number of events in one step."""
        _function("il_allow_events", POINTER, COUNT, returns=None)(self.address, most)

    def advance_logged(self, events: NDArray[Any], states: Reals) -> tuple[Status, int]:
        """One step with a log; returns its status and the number of events.

        Args:
            events: buffer for rows il_event.
            states: buffer for x before and after each, shape (events, 2, longest x).
        """
        count, types = ctypes.c_int64(0), (POINTER, POINTER, POINTER, COUNT, POINTER)
        step = _function("il_advance_logged", *types)
        room = (events.ctypes.data, _address(states), len(events))
        return Status(step(self.address, *room, ctypes.addressof(count))), count.value

    def follow_inputs(self, mode: int, given: GivenInputs) -> None:
        """Let a tape drive some inputs of a mode."""
        self._keep.append(given)
        call = _function("il_follow_inputs", POINTER, COUNT, POINTER, POINTER, returns=None)
        call(self.address, mode, given.function, given.address)

    def motions_of(self, mode: int) -> tuple[int, int]:
        """Address of the function that moves the driven joints, and of its first argument."""
        handed = ctypes.c_void_p(0)
        find = _function("il_motions_of", POINTER, COUNT, POINTER, returns=POINTER)
        function = find(self.address, mode, ctypes.addressof(handed))
        return function or 0, handed.value or 0

    def follow_motions(self, mode: int, given: GivenMotions) -> None:
        """Let a tape drive some driven joints of a mode."""
        self._keep.append(given)
        call = _function("il_follow_motions", POINTER, COUNT, POINTER, POINTER, returns=None)
        call(self.address, mode, given.function, given.address)

    def place(
        self, mode: int, t: float, q: Reals, qd: Reals, z: Reals, size: int, guarded: bool
    ) -> Reals:
        """Stepper state from all coordinates of a mode."""
        x = np.zeros(size)
        arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in (q, qd, z)]
        types = (POINTER, COUNT, COUNT, REAL, *[POINTER] * 4)
        place = _function("il_place_at", *types, returns=None)
        place(self.address, mode, guarded, t, *map(_address, arrays), _address(x))
        return x

    def expand(self, mode: int, t: Reals, x: Reals, *out: Reals) -> int:
        """q, qd, qdd, multipliers and efforts for rows of states; returns how many were closed."""
        arrays = (np.ascontiguousarray(t), np.ascontiguousarray(x), *out)
        types = (POINTER, COUNT, COUNT, *[POINTER] * len(arrays))
        call = _function("il_expand_rows", *types, returns=COUNT)
        return int(call(self.address, mode, len(t), *map(_address, arrays)))

    def rates(self, mode: int, t: float, x: Reals, *, exact: bool = False) -> tuple[Status, Reals]:
        """Status and rates at a state.

        Args:
            mode: mode of the state.
            t: time [s].
            x: stepper state.
            exact: unguarded, and closed to rounding; otherwise as in a step.
        """
        state, xd = np.ascontiguousarray(x), np.empty(len(x))
        types = (POINTER, COUNT, COUNT, REAL, POINTER, POINTER)
        status = _function("il_rates_of", *types)(
            self.address, mode, exact, t, _address(state), _address(xd)
        )
        return Status(status), xd

    def indicators(self, mode: int, t: float, x: Reals, count: int) -> Reals | None:
        """Event indicators of a mode; None if they cannot be evaluated."""
        state, g = np.ascontiguousarray(x), np.empty(count)
        types = (POINTER, COUNT, REAL, POINTER, POINTER)
        status = _function("il_indicators_of", *types)(
            self.address, mode, t, _address(state), _address(g)
        )
        return g if status == Status.OK else None

    def let_go(self) -> None:
        """Stop calling the plant's controller, so that its inputs can be written."""
        _function("il_let_go", POINTER, COUNT, returns=None)(self.address, 1)

    @property
    def not_finite(self) -> int:
        """Index of the input for which the controller's last output was not finite; -1: none."""
        return int(_function("il_not_finite", POINTER, returns=COUNT)(self.address))

    @property
    def missed_turns(self) -> int:
        """Number of times that steps were too long for a nearby singular position."""
        return int(_function("il_missed_turns", POINTER, returns=COUNT)(self.address))

    def newton(self, mode: int) -> NewtonReport | None:
        """Statistics of Newton's method with redundant coordinates; None for other plants."""
        statistics = np.zeros(3)
        call = _function("il_newton_of", POINTER, COUNT, POINTER, returns=COUNT)
        if not call(self.address, mode, _address(statistics)):
            return None
        return NewtonReport(int(statistics[0]), float(statistics[1]), int(statistics[2]))

    def blame(self, mode: int, about: Blame) -> tuple[int, float]:
        """Index of the subject of the last failure, -1 if unknown, and its time [s]."""
        t = ctypes.c_double(0.0)
        types = (POINTER, COUNT, COUNT, POINTER)
        subject = _function("il_blame_of", *types, returns=COUNT)(
            self.address, mode, about, ctypes.addressof(t)
        )
        return int(subject), t.value


def _address(array: Reals) -> int:
    return array.ctypes.data


@functools.cache
def _function(name: str, *arguments: type[Any], returns: Any = ctypes.c_int) -> Any:
    return load_runtime().function(name, *arguments, returns=returns)
