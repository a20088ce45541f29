"""Many environments of gymnasium at once, on all cores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from inloop.gym.task import Play, Task

Rows = NDArray[Any]


class VectorEnvironment(VectorEnv[Rows, Rows, Rows]):
    """A task on a plant in many environments, stepped together in C.

    The numbers of each are those of an `Environment` with the same start and actions. Where an
    episode has ended, the next step ignores the action, begins anew and has reward 0
    (`AutoresetMode.NEXT_STEP`).
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(self, task: Task, num_envs: int) -> None:
        """Make environments of a task.

        Args:
            task: what is to be learned.
            num_envs: how many.
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
        """Begin an episode in every environment.

        Args:
            seed: of the random generator that `task.start` gets, one for all environments.
            options: none are known.
        """
        super().reset(seed=seed)
        self._play.restart(range(self.num_envs), self.np_random)
        self._ended[:] = False
        return self._play.observations, {}

    def step(self, actions: Rows) -> tuple[Rows, Rows, Rows, Rows, dict[str, Any]]:
        """Act for a period in every environment; where an episode has ended, begin anew.

        Args:
            actions: shape (num_envs, actions).
        """
        again = np.flatnonzero(self._ended)
        reward, terminated, truncated, failed = self._play.advance(
            np.asarray(actions, dtype=np.float64)
        )
        if len(again):
            self._play.restart(again.tolist(), self.np_random)
            reward[again], terminated[again], truncated[again] = 0.0, False, False
        self._ended = terminated | truncated
        info = {"failed": failed & terminated} if np.any(failed & terminated) else {}
        return self._play.observations, reward, terminated, truncated, info
