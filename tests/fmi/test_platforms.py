"""One FMU for several platforms, run to its end on each of them."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmu_models import STEP, Exported, plant_named

STEPS = 200
HOST = Path(__file__).parent / "fmi3_host.c"
ROOT = "/usr/aarch64-linux-gnu"  # where Debian keeps the C library of that platform


@pytest.mark.long
def test_an_fmu_for_this_machine_and_for_aarch64(
    tmp_path: Path,
    require_program: Callable[[str], str],
    require_file: Callable[[str, str], None],
) -> None:
    """Without functions of `math.h` that round differently, the numbers are the same."""
    compiler, emulator = require_program("aarch64-linux-gnu-gcc"), require_program("qemu-aarch64")
    require_file(f"{ROOT}/include/stdio.h", "libc6-dev-arm64-cross")
    plant = plant_named("four_bar")
    file = plant.export_fmu(tmp_path / "both.fmu", platforms=["here", "aarch64-linux"])
    about = fmpy.read_model_description(str(file))
    names = [f"{name}.{kind}" for name in plant.coordinates for kind in ("q", "qd")]
    numbers = {v.name: str(v.valueReference) for v in about.modelVariables}
    with zipfile.ZipFile(file) as archive:
        library = archive.extract("binaries/aarch64-linux/four_bar.so", tmp_path)
    strict = ["-std=gnu99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        [compiler, *strict, "-o", tmp_path / "host", HOST, "-ldl"], check=True, timeout=120
    )
    words = [library, about.instantiationToken, str(STEPS), *(numbers[name] for name in names)]
    done = subprocess.run(
        [emulator, "-L", ROOT, tmp_path / "host", *words],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    rows = Exported(plant, file, "3.0").run("CoSimulation", STEPS * STEP)
    expected = [rows[name][-1] for name in names]
    assert abs(expected[0]) > 0.1
    np.testing.assert_allclose(list(map(float, done.stdout.split())), expected, rtol=1e-11)
