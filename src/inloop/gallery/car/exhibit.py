"""The car as an exhibit."""

from __future__ import annotations

from inloop.gallery import Exhibit, Option, Reference, View
from inloop.gallery.car.cockpit import car_cockpit
from inloop.gallery.car.experiments.avoid import AVOID
from inloop.gallery.car.experiments.blind import BLIND
from inloop.gallery.car.experiments.caster import CASTER
from inloop.gallery.car.experiments.circle import CIRCLE
from inloop.gallery.car.experiments.dwell import DWELL_SINE
from inloop.gallery.car.experiments.lane_change import ISO_1, ISO_2
from inloop.gallery.car.experiments.lap import LAP
from inloop.gallery.car.experiments.modes import MODES
from inloop.gallery.car.experiments.split import SPLIT
from inloop.gallery.car.experiments.step_steer import STEP
from inloop.gallery.car.looks import car_looks
from inloop.gallery.car.model import (
    ADDED_MASS,
    CHASSIS_MASS,
    CORNERS,
    car,
    count_roles,
    weight_at_rest,
)
from inloop.gallery.suspension.model import (
    KNUCKLE_MASS,
    RACK_MASS,
    SOURCE,
    TYRE_RADIUS,
    WHEEL_MASS,
)

EXHIBIT = Exhibit(
    name="car",
    title="Car with four suspensions, steering rack and anti-roll bars",
    look_at="Ten loops and two redundant constraints, from the planar rear wishbones.",
    make=car,
    start="at rest on its tyres, rack in the middle, added weight at the front axle",
    seconds=5.0,
    view=View(
        "xyz",
        (
            "chassis_tz.q",
            ("chassis_rx.q", "chassis_ry.q", "chassis_rz.q"),
            ("knuckle_front_left_rz.q", "knuckle_front_right_rz.q"),
            "rack.effort",
        ),
        discs={f"wheel_{corner.name}": TYRE_RADIUS for corner in CORNERS},
    ),
    options={
        "pac2002": Option(False, "tyres of PAC2002 (235/60 R16); else the source's, of 1987"),
        "relaxation": Option(0.5, "relaxation length of the tyres [m]; 0: none", (0.0, 2.0)),
        "aligning": Option(True, "tyres of 1987 have an aligning moment; the source has none"),
        "speed": Option(0.0, "at the start [m/s]", (0.0, 70.0)),
        "hands": Option(False, "the rack follows inputs instead of a sine"),
        "bars_as_laws": Option(False, "anti-roll bars by their energy: faster"),
        "pedals": Option(False, "engine, brakes and a steering wheel: it is driven by inputs"),
        "automatic": Option(True, "with pedals: gears shift automatically"),
        "electric": Option(False, "with pedals: an electric motor instead of the engine"),
    },
    files={"road": "road to drive on, OpenDRIVE (.xodr) or OpenCRG (.crg); or track"},
    references=(
        Reference(
            what="independent, driven and dependent joints, redundant conditions",
            value=(14.0, 2.0, 28.0, 2.0),
            unit="-",
            tolerance=0.0,
            source=SOURCE,
            measure=count_roles,
        ),
        Reference(
            what="sum of the tyre forces at rest",
            value=(
                (CHASSIS_MASS + ADDED_MASS + RACK_MASS + 4 * (WHEEL_MASS + KNUCKLE_MASS)) * 9.81,
            ),
            unit="N",
            tolerance=1.0,
            source="weight of the car, 1647 kg",
            measure=weight_at_rest,
        ),
    ),
    experiments={
        "caster": CASTER,
        "circle": CIRCLE,
        "step": STEP,
        "avoid": AVOID,
        "blind": BLIND,
        "iso1": ISO_1,
        "iso2": ISO_2,
        "dwell": DWELL_SINE,
        "split": SPLIT,
        "lap": LAP,
        "modes": MODES,
    },
    looks=car_looks,
    cockpit=car_cockpit,
    reach=((-3.4, -0.98, -0.02), (0.7, 0.98, 1.0)),
)
