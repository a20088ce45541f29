"""The first message to a page: all there is to know before anything moves."""

from __future__ import annotations

import math
from typing import Any

from inloop.realtime.layout import Layout
from inloop.studio.catalogue import Choice
from inloop.studio.inputs import Inputs
from inloop.studio.show import Show

PROTOCOL = 1
SECOND = {"m": "m/s", "rad": "rad/s"}


def plant_part(choice: Choice, layout: Layout, show: Show) -> dict[str, Any]:
    """What a page must know of the plant."""
    stage = choice.stage
    return {
        "plant": {
            "name": choice.name or choice.plant,
            "title": stage.title,
            "look_at": stage.look_at,
            "rate_hz": 1.0 / layout.period,
        },
        "scene": show.scene,
        "signals": signals(layout),
        "device": dict(stage.device) if stage.device is not None else None,
    }


def signals(layout: Layout) -> list[dict[str, str]]:
    """Name and unit of everything that can be plotted, in the order of the outputs."""
    units = {"t": "s"}
    for c in layout.coordinates:
        units[f"{c.name}.q"], units[f"{c.name}.qd"] = c.unit, SECOND.get(c.unit, "")
    units |= {x.name: x.unit for x in (*layout.states, *layout.signals, *layout.inputs)}
    return [{"name": name, "unit": units.get(name, "")} for name in layout.index if name != "t"]


def parameters(
    layout: Layout, values: dict[str, float], docs: Any
) -> list[dict[str, Any]]:  # fmt: skip
    """Those with a range can be changed with a slider; the others have no limits."""
    return [
        {"name": p.name, "value": values.get(p.name, p.default), "default": p.default,
         "unit": p.unit, "low": finite(p.least), "high": finite(p.most),
         "doc": docs.get(p.name, "")}
        for p in layout.parameters
    ]  # fmt: skip


def inputs(layout: Layout, driver: Inputs | None, docs: Any) -> list[dict[str, Any]]:
    """In the order of the numbers that input frames carry."""
    found = []
    for k, x in enumerate(layout.inputs):
        low, high = driver.range_of(k) if driver is not None else (None, None)
        doc = docs.get(x.name, "")
        found.append({"name": x.name, "unit": x.unit, "low": low, "high": high, "doc": doc})
    return found


def finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
