"""Plants as functions of JAX: against CasADi's expressions, and gradients through a run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bridged_plants import cart_pole

import inloop as il


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(il.InputError, match=r"pip install inloop\[jax\]"):
        cart_pole().to_jax()


def test_values_are_those_of_casadi_and_gradients_those_of_runs(
    require_package: Callable[[str], Path],
) -> None:
    require_package("jax")
    script = Path(__file__).with_name("jax_checks.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["cart_pole", "crane", "four_bar", "gradients"]
