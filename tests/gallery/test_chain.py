"""The generic chain against Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import inloop as il
from inloop import gallery


def in_pinocchio(mechanism: il.Mechanism, g: float) -> pin.Model:
    """The same chain, joint by joint."""
    model = pin.Model()
    model.gravity.linear = np.array([mechanism.gravity[0], mechanism.gravity[1], -g], dtype=float)
    ids: dict[int, int] = {-1: 0}
    for body in mechanism.bodies:
        kinds = {
            "revolute": pin.JointModelRevoluteUnaligned,
            "prismatic": pin.JointModelPrismaticUnaligned,
        }
        joint = kinds[body.joint.kind.name](np.array(body.joint.axis))
        placement = pin.SE3(
            np.array(body.attachment.R_PJ, dtype=float), np.array(body.attachment.p_PJ, dtype=float)
        )
        ids[body.index] = model.addJoint(ids[body.parent], joint, placement, body.name)
        inertia = pin.Inertia(
            float(body.mass), np.array(body.com, dtype=float), np.array(body.inertia, dtype=float)
        )
        model.appendBodyToJoint(ids[body.index], inertia, pin.SE3.Identity())
    return model


@pytest.mark.parametrize(
    ("n", "seed", "sliders"),
    [(1, 5, False), (6, 1, False), (7, 3, True), pytest.param(25, 2, True, marks=pytest.mark.long)],
)
def test_chain_against_pinocchio(n: int, seed: int, sliders: bool) -> None:
    model = gallery.get("chain").build(n=n, seed=seed, sliders=sliders)
    plant = model.compile()
    other = in_pinocchio(plant.mechanism, 9.81)
    data = other.createData()
    random = np.random.default_rng(seed)
    q, qd, qdd, tau = random.uniform(-1.0, 1.0, (4, n))
    M = pin.crba(other, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    close = {"rel": 1e-9, "abs": 1e-9}
    assert plant.mass_matrix(q) == pytest.approx(M, **close)
    assert plant.bias(q, qd) == pytest.approx(pin.nle(other, data, q, qd), **close)
    assert plant.inverse_dynamics(q, qd, qdd) == pytest.approx(
        pin.rnea(other, data, q, qd, qdd), **close
    )
    direct = pin.aba(other, data, q, qd, tau)
    scale = np.abs(direct).max()
    assert plant.direct_dynamics(q, qd, tau) / scale == pytest.approx(direct / scale, abs=1e-9)
    kinetic, _ = plant.energy(q, qd)
    assert kinetic == pytest.approx(pin.computeKineticEnergy(other, data, q, qd), rel=1e-10)


def test_the_seed_decides() -> None:
    chain = gallery.get("chain")
    assert chain.build(seed=4).describe() == chain.build(seed=4).describe()
    assert chain.build(seed=4).describe() != chain.build(seed=5).describe()


def test_nothing_in_it_is_special() -> None:
    for body in gallery.get("chain").build(n=8).build().bodies:
        numbers = np.array([*body.com, *body.joint.axis, *body.attachment.p_PJ], dtype=float)
        assert np.all(np.abs(numbers) > 1e-6)
        assert len(set(np.abs(numbers))) == len(numbers)
        R = np.abs(np.array(body.attachment.R_PJ, dtype=float))
        assert np.all((R > 1e-6) & (R < 1.0 - 1e-6))
