"""What a user may write, for `mypy` alone: joints and sensors that are found at run time.

An error that is expected has its code behind `type: ignore`; one that does not come is an error.
"""

from __future__ import annotations

from typing import assert_type

import inloop as il
from inloop.joints.spec import JointSpec

m = il.Model("press")
nut = m.body("nut", on=m.ground, joint=il.screw("z", 0.002), mass=1.0)
m.sensor("turns", il.sensors.encoder(nut))
m.couple({"nut": 1.0, "other": -2.0})
m.couple({nut: 1.0}, offset=None)
assert_type(il.screw("z", 0.002), JointSpec)
il.screw("z", pich=0.002)  # type: ignore[call-arg]
m.gear("nut", nut)  # type: ignore[call-arg]
il.no_such_joint("z")  # type: ignore[attr-defined]
