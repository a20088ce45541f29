"""An instance of a plant, seen from Python: memory, arrays by name, functions (il_host.h)."""

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
    """What a failure was about, as il_blame."""

    INPUT = 0
    DRIVE = 1
    ROW = 2
    BEYOND = 3


class NewtonReport(NamedTuple):
    """How Newton's method went in the steps of bodies by themselves.

    Attributes:
        iterations: of the last step.
        correction: the last one of it [rad, or parts of the mechanism's length].
        divided: steps so far that had to be divided, because it did not converge in them.
    """

    iterations: int
    correction: float
    divided: int


class Instance:
    """One run of a plant: all that it reads, keeps and changes, in memory of its own."""

    def __init__(self, plant: int, method: Method, step: float, keep: object = None) -> None:
        """At the start of the plant.

        Args:
            plant: address of an il_plant.
            method: the integrator.
            step: [s]; 0 where steps are chosen by their error.
            keep: what must stay alive: the library of the plant.
        """
        size = _function("il_instance_size", POINTER, COUNT, returns=ctypes.c_size_t)(plant, method)
        self._memory, self._keep = aligned_zeros(-(-size // 8)), [keep]
        make = _function("il_initialize", POINTER, POINTER, COUNT, REAL, returns=POINTER)
        address = make(address_of(self._memory), plant, method, step) if size else None
        if not address:
            raise InputError("the plant cannot be run", fix="Compile it again.")
        self.address: int = address

    def numbers(self, which: Numbers, mode: int = 0) -> Reals:
        """An array of the instance: writing into it changes the run."""
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
        """Let parameters that were written act."""
        _function("il_prepare_again", POINTER, returns=None)(self.address)

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(_function("il_time", POINTER, returns=REAL)(self.address))

    def begin(self, mode: int, x: Reals) -> None:
        """Begin in a mode at t = 0, at a state of its stepper."""
        _function("il_begin_at", POINTER, COUNT, POINTER)(self.address, mode, _address(x))

    def hold_inputs(self, values: Reals) -> None:
        """Write all inputs of the plant, in the order of its table; in all modes."""
        call = _function("il_set_inputs", POINTER, POINTER, returns=None)
        call(self.address, _address(np.ascontiguousarray(values, dtype=np.float64)))

    def outputs(self, values: Reals) -> Status:
        """Fill in all outputs of the plant now, in the order of its table."""
        return Status(_function("il_outputs", POINTER, POINTER)(self.address, _address(values)))

    def snapshot(self) -> Reals:
        """All that influences the future, beside parameters and inputs."""
        size = _function("il_snapshot_size", POINTER, returns=COUNT)(self.address)
        taken = np.zeros(size)
        take = _function("il_take_snapshot", POINTER, POINTER, returns=None)
        take(self.address, _address(taken))
        return taken

    def select(self, mode: int, choice: int) -> None:
        """Let a mode use one of its choices of independent coordinates."""
        _function("il_select", POINTER, COUNT, COUNT, returns=None)(self.address, mode, choice)

    def select_roles(self, mode: int, roles: Reals) -> None:
        """Let a mode use a choice that need not be compiled.

        Args:
            mode: its number.
            roles: numbers of dependent coordinates, of independent ones, of the rows in use.
        """
        select = _function("il_select_roles", POINTER, COUNT, POINTER)
        roles = np.ascontiguousarray(roles, dtype=np.float64)
        if select(self.address, mode, _address(roles)) != Status.OK:
            raise InputError(
                f"the plant cannot choose its coordinates as {roles}",
                fix="Each coordinate and each row has one place.",
            )

    def choose(self, mode: int, t: float, q: Reals) -> bool:
        """Use the best choice at a closed position, made now; False where there is none."""
        call = _function("il_choose_at", POINTER, COUNT, REAL, POINTER)
        q = np.ascontiguousarray(q, dtype=np.float64)
        return bool(call(self.address, mode, t, _address(q)) == Status.OK)

    def roles(self, mode: int, count: int) -> Reals:
        """Roles of the choice in use, as in `select_roles`; so many numbers."""
        found = np.zeros(count)
        call = _function("il_roles_of", POINTER, COUNT, POINTER, returns=None)
        call(self.address, mode, _address(found))
        return found

    def restore(self, snapshot: Reals) -> bool:
        """Go back to where a snapshot was taken; False if it holds no such numbers."""
        call = _function("il_restore", POINTER, POINTER)
        return bool(call(self.address, _address(np.ascontiguousarray(snapshot))) == Status.OK)

    def advance(self) -> Status:
        """One step; after one that failed all is as it was before."""
        return Status(_function("il_advance", POINTER)(self.address))

    @property
    def mode(self) -> int:
        """Number of the present mode."""
        return int(_function("il_mode_of", POINTER, returns=COUNT)(self.address))

    def allow_events(self, most: int) -> None:
        """Let one step hold so many events at most."""
        _function("il_allow_events", POINTER, COUNT, returns=None)(self.address, most)

    def advance_logged(self, events: NDArray[Any], states: Reals) -> tuple[Status, int]:
        """One step with a log, and how many events it holds.

        Args:
            events: room for rows il_event.
            states: room for x before and after each, shape (as many, 2, longest x).
        """
        count, types = ctypes.c_int64(0), (POINTER, POINTER, POINTER, COUNT, POINTER)
        step = _function("il_advance_logged", *types)
        room = (events.ctypes.data, _address(states), len(events))
        return Status(step(self.address, *room, ctypes.addressof(count))), count.value

    def follow_inputs(self, mode: int, given: GivenInputs) -> None:
        """Let a tape lead some of the inputs of a mode."""
        self._keep.append(given)
        call = _function("il_follow_inputs", POINTER, COUNT, POINTER, POINTER, returns=None)
        call(self.address, mode, given.function, given.address)

    def motions_of(self, mode: int) -> tuple[int, int]:
        """Address of the function that moves the driven joints, and of what it is handed."""
        handed = ctypes.c_void_p(0)
        find = _function("il_motions_of", POINTER, COUNT, POINTER, returns=POINTER)
        found = find(self.address, mode, ctypes.addressof(handed))
        return found or 0, handed.value or 0

    def follow_motions(self, mode: int, given: GivenMotions) -> None:
        """Let a tape lead some of the driven joints of a mode."""
        self._keep.append(given)
        call = _function("il_follow_motions", POINTER, COUNT, POINTER, POINTER, returns=None)
        call(self.address, mode, given.function, given.address)

    def place(
        self, mode: int, t: float, q: Reals, qd: Reals, z: Reals, size: int, guarded: bool
    ) -> Reals:
        """State of the stepper from all coordinates of a mode."""
        x = np.zeros(size)
        arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in (q, qd, z)]
        types = (POINTER, COUNT, COUNT, REAL, *[POINTER] * 4)
        place = _function("il_place_at", *types, returns=None)
        place(self.address, mode, guarded, t, *map(_address, arrays), _address(x))
        return x

    def expand(self, mode: int, t: Reals, x: Reals, *out: Reals) -> int:
        """q, qd, qdd, multipliers and efforts of rows of states; how many could be closed."""
        arrays = (np.ascontiguousarray(t), np.ascontiguousarray(x), *out)
        types = (POINTER, COUNT, COUNT, *[POINTER] * len(arrays))
        call = _function("il_expand_rows", *types, returns=COUNT)
        return int(call(self.address, mode, len(t), *map(_address, arrays)))

    def rates(self, mode: int, t: float, x: Reals, *, exact: bool = False) -> tuple[Status, Reals]:
        """How the rates of a state ended, and what they are.

        Args:
            mode: which the state belongs to.
            t: time [s].
            x: state of the stepper.
            exact: unguarded, and closed to the last bit; else as a step sees them.
        """
        state, xd = np.ascontiguousarray(x), np.empty(len(x))
        types = (POINTER, COUNT, COUNT, REAL, POINTER, POINTER)
        status = _function("il_rates_of", *types)(
            self.address, mode, exact, t, _address(state), _address(xd)
        )
        return Status(status), xd

    def indicators(self, mode: int, t: float, x: Reals, count: int) -> Reals | None:
        """What the events of a mode watch; None where that cannot be found."""
        state, g = np.ascontiguousarray(x), np.empty(count)
        types = (POINTER, COUNT, REAL, POINTER, POINTER)
        status = _function("il_indicators_of", *types)(
            self.address, mode, t, _address(state), _address(g)
        )
        return g if status == Status.OK else None

    def let_go(self) -> None:
        """Call the controller of the plant no more: its inputs can be written."""
        _function("il_let_go", POINTER, COUNT, returns=None)(self.address, 1)

    @property
    def not_finite(self) -> int:
        """Number of the input that the controller's last answer was not finite for; -1: none."""
        return int(_function("il_not_finite", POINTER, returns=COUNT)(self.address))

    @property
    def missed_turns(self) -> int:
        """How often steps were too long for a singular position nearby."""
        return int(_function("il_missed_turns", POINTER, returns=COUNT)(self.address))

    def newton(self, mode: int) -> NewtonReport | None:
        """How Newton's method went in the steps of bodies by themselves; None for other plants."""
        told = np.zeros(3)
        call = _function("il_newton_of", POINTER, COUNT, POINTER, returns=COUNT)
        if not call(self.address, mode, _address(told)):
            return None
        return NewtonReport(int(told[0]), float(told[1]), int(told[2]))

    def blame(self, mode: int, about: Blame) -> tuple[int, float]:
        """Number of what the last failure was about, -1 if nothing is known, and its time [s]."""
        t = ctypes.c_double(0.0)
        types = (POINTER, COUNT, COUNT, POINTER)
        found = _function("il_blame_of", *types, returns=COUNT)(
            self.address, mode, about, ctypes.addressof(t)
        )
        return int(found), t.value


def _address(array: Reals) -> int:
    return array.ctypes.data


@functools.cache
def _function(name: str, *arguments: type[Any], returns: Any = ctypes.c_int) -> Any:
    return load_runtime().function(name, *arguments, returns=returns)
