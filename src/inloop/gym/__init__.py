"""Plants as gymnasium environments, for reinforcement learning."""

from inloop.errors import InputError

try:
    import gymnasium  # noqa: F401
except ImportError as error:
    raise InputError(
        "environments need the package gymnasium",
        fix="Install it with: pip install inloop[gym]",
    ) from error

from inloop.gym.environment import Environment
from inloop.gym.task import Start, Task
from inloop.gym.vector_environment import VectorEnvironment

__all__ = ["Environment", "Start", "Task", "VectorEnvironment"]
