"""The simplified piano actions as an exhibit."""

from __future__ import annotations

from inloop.gallery import Exhibit, Option, View
from inloop.gallery.simple_action.experiments.encoder import ENCODER
from inloop.gallery.simple_action.experiments.figure6 import FIGURE6
from inloop.gallery.simple_action.looks import action_device, action_looks
from inloop.gallery.simple_action.model import simple_action

EXHIBIT = Exhibit(
    name="simple_action",
    title="Simplified piano action, model A or B",
    look_at="The hammer is felt through the key until it flies, and again when it is caught.",
    make=simple_action,
    start="hammer on the key, key at rest",
    seconds=2.0,
    # explicit methods lose the hammer if the velocity of the hand does not match its position
    method="implicit",
    view=View("xz", (("hand.q", "key.q", "hammer.q"), "hand.effort")),
    experiments={"figure6": FIGURE6, "encoder": ENCODER},
    options={
        "springs": Option(True, "model B, with springs; else model A"),
        "at_rest": Option(True, "model B starts at rest; else its key is released"),
    },
    looks=action_looks,
    reach=((-0.02, -0.06, -0.23), (0.49, 0.06, 0.28)),
    device=action_device,
)
