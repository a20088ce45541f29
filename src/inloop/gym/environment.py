"""A gymnasium environment."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError
from inloop.gym.task import Play, Task
from inloop.pictures.palette import palette
from inloop.pictures.renderer import Renderer
from inloop.pictures.shown import Shown
from inloop.plant.arguments import reals

SIZE = 640, 400  # of a picture [pixels]

Observation = NDArray[Any]


class Environment(gymnasium.Env[Any, Any]):
    """A task on a plant as a gymnasium environment.

    A step acts for a period. An episode ends as defined by the task, after its time (truncated), or
    when a step of the plant fails: `info["status"]` is then the name of the failure.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["rgb_array"],
        "render_fps": 50,
    }

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        """Create the environment of a task.

        Args:
            task: the task to learn.
            render_mode: "rgb_array" if `render()` should return images.
        """
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode is {render_mode!r}", fix='Use "rgb_array", or none.')
        self.task = task
        self._play = Play(task, 1)
        self.action_space = task.action_space
        self.observation_space = task.observation_space
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": round(1.0 / task.period)}  # type: ignore[misc]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: seed of the random generator for `task.start`; by default the generator continues.
            options: not used.
        """
        super().reset(seed=seed)
        self._play.restart([0], self.np_random)
        return self._play.observations[0], self._info()

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act for a period.

        Args:
            action: in the order of `task.action`; clipped to its bounds.
        """
        row = reals(action, "the action")[None]
        reward, terminated, truncated, _ = self._play.advance(row)
        seen = self._play.observations[0]
        return seen, float(reward[0]), bool(terminated[0]), bool(truncated[0]), self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """An image of the mechanism, shape (height, width, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        shown, renderer, places = self._drawing
        return np.asarray(renderer.picture(shown.poses(self._play.fleet.outputs[:, places])[0]))

    @cached_property
    def _drawing(self) -> tuple[Shown, Renderer, list[int]]:
        """The scene, its renderer, and the indices of its positions among the outputs."""
        plant, names = self.task.plant, self._play.fleet.output_names
        known = [f"{name}.q" for name in plant.coordinates] + list(plant.positions[plant.n :])
        shown = Shown(plant.mechanism, dict(plant.parameters))
        X = shown.poses(shown.start[None])
        size = {"width": SIZE[0], "height": SIZE[1]}
        renderer = Renderer(shown, X, **size, colors=palette("light"))
        return shown, renderer, [names.index(name) for name in known]

    def _info(self) -> dict[str, Any]:
        return {"status": self._play.fleet.status(0)}
