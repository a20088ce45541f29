"""Laws of one kind in vectors: the same numbers as one by one, in C without a warning."""

from __future__ import annotations

import numpy as np
import pytest
from stiff_models import Bench

import inloop as il
from inloop.codegen.c_steps import emit_tree_steps
from inloop.native import BuildOptions, Method, build_library
from inloop.plant import stepping


def chain(count: int, alike: bool = True) -> il.Model:
    """Links with friction in every joint; not alike: each with one more term than the last."""
    m = il.Model(f"rough_{count}", gravity=(0.3, 0.2, -9.81))
    on = m.ground
    for k in range(count):
        body = m.body(
            f"link_{k}", on=on, joint=il.revolute("xyz"[k % 3], initial=(0.1 * k, 0.3)),
            mass=1.0 + 0.1 * k, com=(0.1, 0.02, 0.03), inertia=(0.01, 0.02, 0.03),
        )  # fmt: skip
        on = body.point("end", (0.3, 0.01, 0.02))

        def law(q, qd, z, k=k):
            rate = qd - (300.0 + k) * abs(qd) / (1.5 + 0.5 * il.exp(-qd * qd)) * z
            extra = 0.0 if alike else sum(il.sin(q + j) for j in range(k))
            return -(3e4 * z + (1.3 + k) * rate + 0.1 * qd) + extra, {"z": rate}

        m.joint_force(f"link_{k}", law, states={"z": 1e-5 * (k + 1)})
    return m


@pytest.mark.thinned(3)
@pytest.mark.parametrize("count", [3, 6, 11])
def test_laws_are_cut_out_and_give_the_same_step(count: int) -> None:
    rng = np.random.default_rng(count)
    plant = chain(count).compile()
    tau = rng.uniform(-5, 5, count)
    bench = Bench(plant, Method.IMPLICIT, tau)
    laws = plant.program("predictor_laws")
    assert laws.outputs[0].shape[1] == -(-count // 4) * 4
    # nothing of them is left in the predictor itself
    assert plant.operations["predictor"]["function"] == 0
    assert plant.operations["predictor_laws"]["function"] >= count
    x = bench.start(rng.uniform(-1, 1, count), rng.uniform(-1, 1, count), 1e-4 * rng.random(count))
    k = bench.predict(0.0, x, 3e-4)
    # the predictor tends to the rates when g does to 0
    f = bench.rates(0.0, x)
    errors = [np.abs(bench.predict(0.0, x, g) - f).max() for g in (1e-9, 1e-10)]
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.2)
    # and the corrector's residual vanishes with k
    near = bench.predict(0.0, x, 1e-10)
    assert np.abs(bench.correct(0.0, x, 1e-10, 1.0, near)).max() < 1e-6 * np.abs(f).max()
    assert np.abs(k - f).max() > 0.01 * np.abs(f).max()


def test_laws_of_different_shape_stay_where_they_are() -> None:
    plant = chain(4, alike=False).compile()
    Bench(plant, Method.IMPLICIT)
    assert "predictor_laws" not in plant.operations
    assert plant.operations["predictor"]["function"] > 0


def test_laws_that_need_reactions_stay_where_they_are() -> None:
    m = il.Model("pressed_chain")
    on = m.ground
    for k in range(3):
        body = m.body(
            f"link_{k}", on=on, joint=il.revolute("y", initial=(0.2 * k, 0.3)), mass=1.3 + k,
            com=(0.1, 0.02, 0.03), inertia=(0.01, 0.02, 0.03),
        )  # fmt: skip
        on = body.point("end", (0.3, 0.01, 0.02))
        m.lugre(
            f"link_{k}", stiffness=2e3 + k, damping=1.1, coulomb=0.3, radius=0.02,
            normal="reaction", reaction_start=20.0,
        )  # fmt: skip
    plant = m.compile()
    result = plant.simulate(t_end=0.2, step=1e-3, method="implicit")
    exact = plant.simulate(t_end=0.2, step=1e-3, method="rodas", tolerance=1e-8)
    assert "predictor_laws" not in plant.operations
    assert np.ptp(exact.q, axis=0).min() > 0.01
    assert np.abs(result.q[-1] - exact.q[-1]).max() < 1e-3


def test_generated_steps_compile_without_a_warning() -> None:
    plant = chain(6).compile()
    engine = plant.equations.engine(stepping.implicit_steps(plant, plant.formulation))
    files = emit_tree_steps(engine.unit.programs, engine.unit.prefix, engine.unit.about)
    assert any(name.endswith("_alike.c") for name in files)
    sources = {**engine.files.sources, **files}
    build_library(sources, engine.headers, options=BuildOptions(strict=True))
