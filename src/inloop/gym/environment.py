"""One environment of gymnasium."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from inloop.gym.task import Play, Task

Observation = NDArray[Any]


class Environment(gymnasium.Env[Any, Any]):
    """A task on a plant as an environment of gymnasium.

    A step acts for a period. An episode ends where the task says, after its time (truncated), or
    where a step of the plant fails: `info["status"]` is then the name of the failure.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, task: Task) -> None:
        """Make the environment of a task.

        Args:
            task: what is to be learned.
        """
        self.task = task
        self._play = Play(task, 1)
        self.action_space = task.action_space
        self.observation_space = task.observation_space
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: of the random generator that `task.start` gets; the same one goes on without.
            options: none are known.
        """
        super().reset(seed=seed)
        self._play.restart([0], self.np_random)
        return self._play.observations[0], self._info()

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act for a period.

        Args:
            action: in the order of `task.action`; what is beyond its bounds is clipped.
        """
        row = np.asarray(action, dtype=np.float64)[None]
        reward, terminated, truncated, _ = self._play.advance(row)
        seen = self._play.observations[0]
        return seen, float(reward[0]), bool(terminated[0]), bool(truncated[0]), self._info()

    def _info(self) -> dict[str, Any]:
        return {"status": self._play.fleet.status(0)}
