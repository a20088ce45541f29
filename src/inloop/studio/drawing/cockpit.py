"""The cockpit of an exhibit, reduced to what its plant supports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.cockpit_types import BlindTest, Cockpit, Lever


def fit_cockpit(stage: Stage, layout: Layout) -> Cockpit | None:
    """Cameras on drawn bodies, gauges of existing signals, levers of existing inputs."""
    if stage.cockpit is None or stage.library is None:
        return None
    declared = cast(Cockpit, stage.cockpit)
    inputs = {x.name for x in layout.inputs}

    def known(signals: Sequence[str]) -> bool:
        return all(name in layout.index for name in signals)

    cameras = [c for c in declared["cameras"] if c["body"] in stage.library.bodies]
    gauges = [g for g in declared["gauges"] if known(g["signals"])]
    levers = [_eased(x, known(x["eased"]["signals"]))
              for x in declared["levers"] if x["input"] in inputs]  # fmt: skip
    told = [name for gauge in gauges for name in gauge["signals"]]
    told += [name for lever in levers for name in lever["eased"]["signals"]]
    voices = [v for v in declared["voices"] if known([*v["effort"], *v["signals"]])]
    told += [name for voice in voices for name in (*voice["effort"], *voice["signals"])]
    blind = _fitting(declared["blind"], layout)
    told += [blind["angle"], blind["torque"]] if blind is not None else []
    signals = list(dict.fromkeys(told))
    return {
        "cameras": cameras,
        "gauges": gauges,
        "levers": levers,
        "scenery": declared["scenery"],
        "voices": voices,
        "blind": blind,
        "signals": signals,
    }


def _fitting(blind: BlindTest | None, layout: Layout) -> BlindTest | None:
    """The blind test, if the plant has its parameter and its signals."""
    if blind is None or blind["parameter"] not in {x.name for x in layout.parameters}:
        return None
    known = blind["angle"] in layout.index and blind["torque"] in layout.index
    return blind if known else None


def _eased(lever: Lever, known: bool) -> Lever:
    """A lever keeps its full range if its easing signal does not exist."""
    return lever if known else {**lever, "eased": {"signals": [], "half": 0.0}}
