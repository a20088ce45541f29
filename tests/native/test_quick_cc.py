"""The compiler of the tests gives the bits of the usual one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from inloop import gallery

Q = [0.31, 1.7, -0.45, 0.62, -1.13, 0.27]
QD = [0.9, -0.4, 1.3, 2.1, -0.7, 0.55]


def test_it_compiles_models_to_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, repository: Path, require_program: Callable[[str], str]
) -> None:
    require_program("tcc")
    monkeypatch.setenv("INLOOP_CFLAGS", "-O0")
    found = []
    for compiler in (repository / "tests" / "quick_cc", "cc"):
        monkeypatch.setenv("INLOOP_CC", str(compiler))
        plant = gallery.get("puma560").build(friction=True).compile()
        run = plant.simulate(t_end=0.05, step=1e-3, q=Q, qd=QD, method="implicit")
        found.append((plant.direct_dynamics(Q, QD, np.zeros(6)), run.q, run.energy))
        assert np.abs(run.q[-1] - run.q[0]).max() > 1e-2
    for quick, usual in zip(*found, strict=True):
        np.testing.assert_array_equal(quick, usual)
