"""Public MJCF models, of gymnasium and dm_control: MuJoCo and we agree on accelerations."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

MODELS = [
    "ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum",
    "inverted_pendulum", "point", "pusher", "pusher_v5", "reacher", "swimmer", "walker2d",
    "walker2d_v5",
]  # fmt: skip
# of dm_control; those that are not here rely on what is told as not read: equality of tendons,
# springdamper
MORE = [
    "acrobot", "ball_in_cup", "cartpole", "cheetah", "finger", "fish", "hopper", "humanoid",
    "humanoid_CMU", "pendulum", "point_mass", "reacher", "walker",
]  # fmt: skip
STATES = 4
AGREEMENT = 1e-9


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def gymnasium(require_package: Callable[[str], Path]) -> Path:
    return require_package("gymnasium") / "envs" / "mujoco" / "assets"


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_agree(gymnasium: Path, disagreement: Callable, name: str) -> None:
    assert disagreement(gymnasium / f"{name}.xml", STATES) < AGREEMENT


@pytest.fixture(scope="session")
def dm_control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models of dm_control, whose wheel is too large to be installed for tests."""
    folder = tmp_path_factory.mktemp("dm_control")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "dm_control"]
    subprocess.run([*command, "-d", str(folder)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / "dm_control" / "suite"


@pytest.mark.long
@pytest.mark.parametrize("name", MORE)
def test_accelerations_of_more_models_agree(
    dm_control: Path, disagreement: Callable, name: str
) -> None:
    assert disagreement(dm_control / f"{name}.xml", STATES) < AGREEMENT
