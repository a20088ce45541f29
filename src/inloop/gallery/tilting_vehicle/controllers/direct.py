"""Direct tilt control: the driver steers, the tilt motor supplies all of the torque.

python -m inloop.gallery.tilting_vehicle.controllers.direct tilting_vehicle
"""

from __future__ import annotations

import sys

from inloop.gallery.tilting_vehicle.controllers.program import CRUISE, serve
from inloop.gallery.tilting_vehicle.controllers.tilting import Gains

DIRECT = Gains(CRUISE, share=0.0)

if __name__ == "__main__":
    sys.exit(serve(DIRECT))
