"""The same model gives the same text: twice in one process, and for any hash seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from random_trees import random_tree

from inloop.codegen import emit_lanes, emit_library
from inloop.formalisms import PROGRAMS, Derivation
from inloop.plant.passes import run_passes

HERE = Path(__file__).resolve()
SEEDS = (700, 701)


def emitted(seed: int) -> dict[str, str]:
    """All C files of a random tree with live numbers and inputs."""
    tree = random_tree(seed, size=5)
    derivation = Derivation(tree.model().build(), live="all", external_forces="all")
    programs = [derivation.program(name) for name in PROGRAMS]
    prepare, done, _ = run_passes(programs, derivation.parameters)
    files = emit_library([prepare, *done], tree.name, ["about"], {"model": tree.name})
    lanes = {k: v for program in done for k, v in emit_lanes(program, tree.name, []).items()}
    return {**files.sources, **files.headers, **lanes}


def digest() -> str:
    texts = [emitted(seed) for seed in SEEDS]
    return hashlib.sha256(repr(texts).encode()).hexdigest()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_derivations_in_one_process(seed: int) -> None:
    first, second = emitted(seed), emitted(seed)
    assert sum(map(len, first.values())) > 10_000
    assert first == second


def test_derivation_order_does_not_matter_for_one_program() -> None:
    """A function is the same whether or not another was derived before it."""
    mechanism = random_tree(703, size=5).model().build()
    alone, after = Derivation(mechanism), Derivation(mechanism)
    after.program("energy")
    costs = [d.program("inverse_dynamics").operations() for d in (alone, after)]
    assert costs[0] == costs[1]


@pytest.mark.long
def test_any_hash_seed() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(HERE.parent)!r})\n"
        "import test_determinism; print(test_determinism.digest())"
    )
    runs = []
    for seed in ("1", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code]
        runs.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    digests = [run.communicate()[0].strip() for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert len(digests[0]) == 64
    assert set(digests) == {digest()}
