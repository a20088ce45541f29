"""Public MJCF models: MuJoCo and we agree on accelerations."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

# free joints: ant, humanoid, humanoidstandup
MODELS = [
    "ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum",
    "inverted_pendulum", "point", "pusher", "pusher_v5", "reacher", "swimmer", "walker2d",
    "walker2d_v5",
]  # fmt: skip
# of dm_control; those that are not here rely on what is told as not read: equality of tendons,
# springdamper
SUITE = [
    "acrobot", "ball_in_cup", "cartpole", "cheetah", "finger", "fish", "hopper", "humanoid",
    "humanoid_CMU", "pendulum", "point_mass", "reacher", "walker",
]  # fmt: skip
WALKERS = "dm_control/locomotion/walkers/assets"
MJX = "mujoco/mjx/test_data"
# of wheels too large to be installed for tests, by the name of the package
LARGE = {
    "dm_control": [
        *(f"dm_control/suite/{name}.xml" for name in SUITE),
        f"{WALKERS}/humanoid_CMU_V2019.xml",
        f"{WALKERS}/humanoid_CMU_V2020.xml",
        f"{WALKERS}/jumping_ball/jumping_ball_with_head.xml",
        "dm_control/mujoco/testing/assets/model_with_ball_joints.xml",
    ],
    # a quadruped with meshes, humanoids side by side
    "mujoco-mjx": [
        f"{MJX}/barkour_v0/assets/barkour_v0_mjx.xml",
        f"{MJX}/humanoid/humanoid.xml",
        f"{MJX}/humanoid/03_humanoids.xml",
    ],
    "brax": ["brax/test_data/single_spherical_pendulum.xml", "brax/envs/assets/ant.xml"],
}
STATES = 4
AGREEMENT = 1e-9


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def gymnasium(require_package: Callable[[str], Path]) -> Path:
    return require_package("gymnasium") / "envs" / "mujoco" / "assets"


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", MODELS)
def test_accelerations_agree(gymnasium: Path, disagreement: Callable, name: str) -> None:
    assert disagreement(gymnasium / f"{name}.xml", STATES) < AGREEMENT


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`unpacked(package)`: a folder with what is in its wheel."""

    @cache
    def unpack(package: str) -> Path:
        folder = tmp_path_factory.mktemp(package)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", package]
        subprocess.run([*command, "-d", str(folder)], check=True)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return folder

    return unpack


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in LARGE.items() for name in names]
)
def test_accelerations_of_more_models_agree(
    unpacked: Callable, disagreement: Callable, package: str, name: str
) -> None:
    assert disagreement(unpacked(package) / name, STATES) < AGREEMENT
