"""The suspension as an exhibit."""

from __future__ import annotations

from inloop.gallery import Exhibit, Reference, View
from inloop.gallery.suspension.looks import suspension_looks
from inloop.gallery.suspension.model import (
    KNUCKLE_MASS,
    RACK_MASS,
    SPRUNG,
    TYRE_RADIUS,
    WHEEL_MASS,
    load_at_rest,
    suspension,
)

EXHIBIT = Exhibit(
    name="suspension",
    title="Double-wishbone suspension, steered",
    look_at="The rack steers the wheel; its force shows the effect of caster and spring.",
    make=suspension,
    start="near rest on the tyre, wheel straight",
    seconds=5.0,
    view=View(
        "xyz",
        ("rack.q", "knuckle_left_rz.q", "rack.effort", "chassis.q"),
        discs={"wheel_left": TYRE_RADIUS},
    ),
    references=(
        Reference(
            what="tyre force at rest",
            value=((SPRUNG + RACK_MASS + KNUCKLE_MASS + WHEEL_MASS) * 9.81,),
            unit="N",
            tolerance=0.1,
            source="weight of everything that the tyre carries",
            measure=load_at_rest,
        ),
    ),
    looks=suspension_looks,
    reach=((-0.34, -0.15, -0.02), (0.34, 0.98, 0.6)),
)
