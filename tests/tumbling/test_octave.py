"""MATLAB text of a tree with ball and free joints, run by GNU Octave."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tumbling_trees import make_tree, random_position

from inloop.codegen import matlab
from inloop.formalisms import Derivation
from inloop.symbolic import evaluate


def test_octave_gives_the_same(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    mechanism = make_tree(3).model.build()
    program = Derivation(mechanism).program("inverse_dynamics")
    rng = np.random.default_rng(8)
    n = len(mechanism.coordinates)
    given = {"q": random_position(mechanism, rng), "qd": rng.normal(size=n)}
    given["qdd"] = rng.normal(size=n)
    (tmp_path / "tree_inverse_dynamics.m").write_text(matlab.emit_function(program, "tree"))
    words = ", ".join(
        f"[{' '.join(repr(float(x)) for x in given[b.name])}]" for b in program.inputs
    )
    call = f"printf('%.17g ', tree_inverse_dynamics({words}))"
    done = subprocess.run(
        [require_program("octave-cli"), "--quiet", "--eval", call],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    known = {s: x for b in program.inputs for s, x in zip(b.symbols, given[b.name], strict=True)}
    expected = evaluate(list(program.outputs[0].exprs), known)
    np.testing.assert_allclose([float(x) for x in done.stdout.split()], expected, rtol=1e-12)
