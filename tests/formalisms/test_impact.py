"""Velocities after constraints have gripped, against the balance of impulses written out."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.formalisms.loops.impact import project
from inloop.symbolic import Input, Output, Program, interpret

NAMES = ("four_bar", "slider_crank", "stewart", "suspension")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_projection_balances_impulses(name: str) -> None:
    """M (qd - qd⁻) = Jᵀ Λ and J qd = 0, by one linear system in NumPy."""
    plant = gallery.get(name).build().compile()
    loops, d = plant.formulation, plant.equations.derivation
    qd_symbols, impulse_symbols = project(d.mechanism, d.skeleton, loops.partition)
    outputs = (Output.vector("v", qd_symbols), Output.vector("impulse", impulse_symbols))
    program = d.make("project", "q qd", outputs, "", "")
    blocks = (d.parameters, *program.inputs)
    program = Program("project", blocks, outputs, "", "")
    rng = np.random.default_rng(3)
    q, before = loops.positions.first.q, rng.normal(size=plant.n)
    par = np.array([p.default for p in d.symbols.parameters])
    found = interpret(program, par=par, q=q, qd=before)

    M = plant.mass_matrix(q)
    J = plant.evaluate("constraints", q=q, qd=0 * q)["J"][list(loops.partition.rows)]
    # driven joints keep their velocities, whatever that takes
    driven = list(loops.partition.driven)
    G = np.vstack([J, np.eye(plant.n)[driven]])
    kept = np.concatenate([np.zeros(len(J)), before[driven]])
    A = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    x = np.linalg.solve(A, np.concatenate([M @ before, kept]))
    scale = np.abs(x).max()
    np.testing.assert_allclose(found["v"], x[: plant.n], atol=1e-9 * scale)
    np.testing.assert_allclose(found["impulse"], x[plant.n :][: len(J)], atol=1e-9 * scale)


def test_a_bat_swung_at_a_ball_keeps_the_angular_momentum() -> None:
    """A rod free to turn hits a stop at a distance: closed form for the reaction at the pivot."""
    m = il.Model("bat", gravity=(0.0, 0.0, 0.0))
    rod = m.body("rod", on=m.ground, joint=il.revolute("z"), mass=2.0, com=(0.6, 0.0, 0.0),
                 inertia=(0.0, 0.1, 0.1))  # fmt: skip
    m.close(rod.point("tip", (0.9, 0.0, 0.0)), m.ground.point("stop", (0.9, 0.0, 0.0)), name="stop")
    plant = m.compile()
    assert plant.formulation.partition.independent == ()
    d = plant.equations.derivation
    qd, impulse = project(d.mechanism, d.skeleton, plant.formulation.partition)
    outputs = (Output.vector("v", qd), Output.vector("impulse", impulse))
    program = Program(
        "p", (Input("q", tuple(d.symbols.q)), Input("qd", tuple(d.symbols.qd))), outputs
    )
    found = interpret(program, q=np.zeros(1), qd=np.array([3.0]))
    assert found["v"][0] == 0.0
    # the stop takes the whole angular momentum: impulse 3 I / 0.9 along y
    inertia = 0.1 + 2.0 * 0.6**2
    assert found["impulse"] == pytest.approx([-3.0 * inertia / 0.9], rel=1e-12)
