"""A learning task on a plant: observations, actions, reward and termination."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import MOST, real, reals, useless
from inloop.plant.keywords import need_plant
from inloop.simulate.fleet import Fleet

Start = Mapping[str, Any]  # q, qd, inputs, parameters: as `plant.simulate_many` takes them
Bounds = Mapping[str, tuple[float, float]]
LARGEST = float(np.finfo(np.float32).max)


class Columns(Mapping[str, Array]):
    """Outputs or actions by name, each a column with one number per environment."""

    def __init__(self, names: Mapping[str, int], rows: Array) -> None:
        self._names, self._rows = names, rows

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise InputError(f"the plant has no '{name}'", fix=name_hint(name, self._names))
        return self._rows[:, self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class Task:
    """A task on a plant, for one environment or many.

    Functions receive columns: `y["hinge.q"]` has one number per environment, shape (n,), where n
    is 1 for a single environment. Write them with NumPy.

    Attributes:
        plant: the compiled mechanism.
        observation: names of outputs, such as "hinge.q", or names with their bounds.
        action: names of inputs, such as "rail.tau", with their bounds; actions are clipped.
        reward: function of the outputs after a period and the actions that led there.
        terminated: function of the outputs: True where the task is over. Default: never.
        start: function of a random generator and the number n of starts: q, qd, inputs and
            parameters as for `plant.simulate_many`. Default: the start of the plant.
        period: time between two actions [s]; an action is held that long.
        seconds: length of an episode [s], after which it is truncated.
        step: of the integrator [s]; divides the period.
        method: the integrator; default: as in real time.
    """

    plant: BarePlant
    observation: Sequence[str] | Bounds
    action: Bounds
    reward: Callable[[Mapping[str, Array], Mapping[str, Array]], Any]
    terminated: Callable[[Mapping[str, Array]], Any] | None = None
    start: Callable[[np.random.Generator, int], Start] | None = None
    period: float = 0.02
    seconds: float = 10.0
    step: float = 1e-3
    method: str | None = None

    @property
    def steps(self) -> int:
        """Integrator steps per period.

        Raises:
            InputError: the period is not a multiple of the step.
        """
        period, step = real(self.period, "period"), real(self.step, "step")
        count = round(period / step) if 0.0 < step <= period < np.inf else 0
        if count < 1 or abs(count * step - period) > 1e-9 * period:
            raise InputError(
                f"a period of {period:g} s does not hold a whole number of steps of {step:g} s",
                fix="Let step divide period.",
            )
        return count

    @property
    def action_space(self) -> Box:
        """Bounds of the actions."""
        return _box(self.action, "action")

    @property
    def observation_space(self) -> Box:
        """Bounds of the observations."""
        if isinstance(self.observation, Mapping):
            return _box(self.observation, "observation")
        return _box({name: (-LARGEST, LARGEST) for name in self.observation}, "observation")


class Play:
    """A task running in several environments.

    Attributes:
        task: the task.
        fleet: one run for each environment.
        periods: number of completed periods of each.
    """

    def __init__(self, task: Task, count: int) -> None:
        """Put all environments at the start of the plant.

        Raises:
            InputError: the task refers to something the plant does not have, or is invalid.
        """
        if isinstance(task.observation, str) or not isinstance(task.action, Mapping):
            raise InputError(
                "observation is one text, or action has no bounds",
                fix='Write observation=["hinge.q"], action={"rail.tau": (-1.0, 1.0)}.',
            )
        need_plant("Task", task.plant)
        for name in ("reward", "terminated", "start"):
            function = getattr(task, name)
            if not callable(function) and (function is not None or name == "reward"):
                raise useless(function, name, "Give a function.")
        self._per_period = task.steps
        periods = real(task.seconds, "seconds") / task.period
        if not 0.5 < periods < MOST:
            raise InputError(
                f"episodes of {task.seconds} s make no sense",
                fix="Give a finite time of at least a period.",
            )
        self._most = round(periods)
        self.task = task
        self.fleet = fleet = Fleet(task.plant, count, step=task.step, method=task.method)
        self._outputs = {name: k for k, name in enumerate(fleet.output_names)}
        self._actions = {name: k for k, name in enumerate(task.action)}
        inputs = {name: k for k, name in enumerate(fleet.input_names) if name not in fleet.led}
        self._seen = _places(tuple(task.observation), self._outputs, "output")
        self._acted = _places(tuple(task.action), inputs, "input that can be written")
        self.space = task.action_space
        self.periods = np.zeros(count, dtype=np.int64)

    @property
    def observations(self) -> NDArray[np.float32]:
        """Current observations, shape (count, names)."""
        seen = np.clip(self.fleet.outputs[:, self._seen], -LARGEST, LARGEST)
        return np.asarray(seen, dtype=np.float32)

    def restart(self, which: Sequence[int], random: np.random.Generator) -> None:
        """Restart episodes.

        Raises:
            InputError: they cannot start as the task says.
        """
        start = {} if self.task.start is None else self.task.start(random, len(which))
        known = ("q", "qd", "inputs", "parameters")
        if not isinstance(start, Mapping):
            raise InputError(f"start returns {start!r}", fix='Return {"q": {"hinge": 0.1}}, say.')
        for name in start:
            if name not in known:
                raise InputError(f"start returns '{name}'", fix=f"It may hold {', '.join(known)}.")
        try:
            self.fleet.restart(which, **start, strict=True)
        except InputError as error:
            mistake = error.mistakes[0]
            raise InputError(
                f"an episode cannot start where the task says: {mistake.what}",
                mistake.where,
                mistake.fix,
            ) from error
        self.periods[list(which)] = 0

    def advance(
        self, actions: Array, ended: NDArray[np.bool_] | None = None
    ) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Advance all environments by a period.

        Args:
            actions: shape (count, names).
            ended: whose rewards do not count, since their episodes have ended before.

        Returns:
            Rewards, which tasks are over, which episodes are truncated, which runs failed.
        """
        if actions.shape != (self.fleet.count, len(self._actions)):
            raise InputError(
                f"actions have shape {actions.shape}",
                fix=f"Give {(self.fleet.count, len(self._actions))}.",
            )
        if not np.all(np.isfinite(actions)):
            raise InputError("an action is not finite", fix="Give finite numbers.")
        held = np.clip(actions, self.space.low, self.space.high).astype(np.float64)
        self.fleet.inputs[:, self._acted] = held
        self.fleet.advance(self._per_period)
        self.periods += 1
        y, failed = Columns(self._outputs, self.fleet.outputs), self.fleet.failed
        counts = ~failed if ended is None else ~(failed | ended)
        acted = Columns(self._actions, held)
        rewards = self._column(self.task.reward(y, acted), "reward", counts)
        over = np.zeros(self.fleet.count, dtype=np.bool_)
        if self.task.terminated is not None:
            over = self._column(self.task.terminated(y), "terminated", counts).astype(np.bool_)
        return rewards, over | failed, self.periods >= self._most, failed

    def _column(self, values: Any, what: str, counts: NDArray[np.bool_]) -> Array:
        """The result of a function of the task, one number per environment."""
        numbers = reals(values, f"what {what} returns")
        if numbers.shape not in ((), (self.fleet.count,)):
            raise InputError(
                f"{what} returns shape {numbers.shape} for {self.fleet.count} environments",
                fix="Return one number per environment, shape (n,).",
            )
        column = np.broadcast_to(numbers, (self.fleet.count,)).copy()
        if np.any(np.isnan(column) & counts):
            given = "nothing" if values is None else "NaN"
            raise InputError(
                f"{what} returns {given}", fix="Return one number per environment, shape (n,)."
            )
        return column


def _places(names: Sequence[str], known: Mapping[str, int], what: str) -> list[int]:
    if not names:
        raise InputError(f"the task names no {what}", fix="Name one at least.")
    for name in names:
        if name not in known:
            raise InputError(f"the plant has no {what} '{name}'", fix=name_hint(name, known))
    return [known[name] for name in names]


def _box(bounds: Bounds, what: str) -> Box:
    for name, given in bounds.items():
        pair = reals(given, f"{what} '{name}'")
        if pair.shape != (2,) or not pair[0] < pair[1]:
            raise InputError(f"{what} '{name}' lies between {given!r}", fix="Give (least, most).")
    least, most = np.array([*bounds.values()], dtype=np.float32).T
    return Box(least, most, dtype=np.float32)
