"""Combined steering and tilt control: half of the steering follows the tilt and supports it.

python -m inloop.gallery.tilting_vehicle.controllers.combined tilting_vehicle
"""

from __future__ import annotations

import sys

from inloop.gallery.tilting_vehicle.controllers.program import CRUISE, serve
from inloop.gallery.tilting_vehicle.controllers.tilting import Gains

COMBINED = Gains(CRUISE, share=0.5)

if __name__ == "__main__":
    sys.exit(serve(COMBINED))
