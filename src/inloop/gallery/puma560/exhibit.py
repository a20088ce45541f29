"""The PUMA 560 as an exhibit."""

from __future__ import annotations

from inloop.gallery import Exhibit, Option, Reference, View
from inloop.gallery.puma560.looks import puma560_looks
from inloop.gallery.puma560.model import (
    NOMINAL_MASS_MATRIX,
    POSES,
    SOURCE,
    gravity_reference,
    mass_matrix_nominal,
    puma560,
)

EXHIBIT = Exhibit(
    name="puma560",
    title="PUMA 560 robot arm with motor inertia",
    look_at="Gravity pulls the shoulder with 31.6 N·m; half of M22 is the motor's.",
    make=puma560,
    start="at rest in the nominal pose q_n, motors without current",
    seconds=10.0,
    view=View(
        "xyz",
        (
            ("joint_1.q", "joint_2.q", "joint_3.q"),
            ("energy.kinetic", "energy.potential", "energy.total"),
        ),
        times=(0.0, 0.2, 0.4),
    ),
    options={"friction": Option(False, "viscous and dry friction of the motors")},
    poses=POSES,
    references=(
        gravity_reference("q_n", (0.0, 31.6398803784, 6.0351380230, 0.0, 0.0282528, 0.0)),
        gravity_reference("q_z", (0.0, 37.48366665, 0.24892875, 0.0, 0.0, 0.0)),
        gravity_reference("q_r", (0.0, -0.77523525, 0.24892875, 0.0, 0.0, 0.0)),
        Reference(
            what="upper triangle of M(q_n), with motor inertia",
            value=NOMINAL_MASS_MATRIX,
            unit="kg·m²",
            tolerance=1e-9,
            source=SOURCE,
            measure=mass_matrix_nominal,
        ),
    ),
    looks=puma560_looks,
    reach=((-0.83, -0.61, -0.36), (0.99, 0.3, 1.34)),
)
