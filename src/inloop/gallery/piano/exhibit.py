"""The grand-piano action as an exhibit."""

from __future__ import annotations

import inloop as il
from inloop.gallery import Exhibit, Notes, Option, Reference, View
from inloop.gallery.piano.experiments.double_blow import DOUBLE_BLOW
from inloop.gallery.piano.experiments.force import FORCE
from inloop.gallery.piano.experiments.phases import PHASES
from inloop.gallery.piano.experiments.regulation import REGULATION
from inloop.gallery.piano.experiments.repetition import REPETITION
from inloop.gallery.piano.experiments.timing import TIMING
from inloop.gallery.piano.looks import DEVICE, piano_looks
from inloop.gallery.piano.model import piano
from inloop.gallery.piano.rest import forces_at_rest


def _carried(plant: il.Plant) -> list[float]:
    """Forces of the cushions after 0.1 s [N]."""
    result = plant.simulate(t_end=0.1, step=1e-3, method="implicit", sample=0.1)
    return [float(result[f"{name}.force"][-1]) for name in forces_at_rest()]


EXHIBIT = Exhibit(
    name="piano",
    title="Action of a grand piano",
    look_at="The jack is tripped just before the string; the lever makes the note repeat.",
    make=piano,
    start="at rest",
    seconds=1.0,
    step=1e-4,
    method="implicit",
    references=(
        Reference(
            what=f"forces at rest: {', '.join(forces_at_rest())}",
            value=tuple(forces_at_rest().values()),
            unit="N",
            tolerance=1e-9,
            source="balance of moments about the pins, part by part (piano/rest.py)",
            measure=_carried,
        ),
    ),
    view=View("xz", (("key.q", "whippen.q", "hammer.q"), "capstan.force")),
    experiments={
        "force": FORCE,
        "double_blow": DOUBLE_BLOW,
        "repetition": REPETITION,
        "timing": TIMING,
        "phases": PHASES,
        "regulation": REGULATION,
    },
    looks=piano_looks,
    device=DEVICE,
    notes=Notes(
        speed="strike.hammer_speed",
        contact="string.force>0.01",
        damped="damper_seat.force>0.05",
    ),
    options={"finger": Option(True, "a finger on a free key; else the key motion is prescribed")},
)
