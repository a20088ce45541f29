"""Many gymnasium environments, stepped in parallel on all cores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from inloop.gym.task import Play, Task
from inloop.plant.arguments import reals

Rows = NDArray[Any]


class VectorEnvironment(VectorEnv[Rows, Rows, Rows]):
    """A task on a plant in many environments, stepped together in C.

    The results are those of an `Environment` with the same start and actions. After the end of an
    episode, the next step ignores the action, restarts and has reward 0
    (`AutoresetMode.NEXT_STEP`).
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(self, task: Task, num_envs: int) -> None:
        """Create environments of a task.

        Args:
            task: the task to learn.
            num_envs: number of environments.
        """
        self.task = task
        self._play = Play(task, num_envs)
        self.num_envs = num_envs
        self.single_action_space = task.action_space
        self.single_observation_space = task.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.render_mode = None
        self._ended = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Start an episode in every environment.

        Args:
            seed: seed of the random generator for `task.start`, one for all environments.
            options: not used.
        """
        super().reset(seed=seed)
        self._play.restart(range(self.num_envs), self.np_random)
        self._ended[:] = False
        return self._play.observations, {}

    def step(self, actions: Rows) -> tuple[Rows, Rows, Rows, Rows, dict[str, Any]]:
        """Act for a period in every environment; restarts those whose episode has ended.

        Args:
            actions: shape (num_envs, actions).
        """
        again = np.flatnonzero(self._ended)
        reward, terminated, truncated, failed = self._play.advance(
            reals(actions, "actions"), self._ended
        )
        if len(again):
            self._play.restart(again.tolist(), self.np_random)
            reward[again], terminated[again], truncated[again] = 0.0, False, False
        self._ended = terminated | truncated
        info = {"failed": failed & terminated} if np.any(failed & terminated) else {}
        return self._play.observations, reward, terminated, truncated, info
