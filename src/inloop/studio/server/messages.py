"""Builds the messages for pages: the greeting, the state, and their parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from inloop.devices import Note
from inloop.realtime.elements import led_inputs
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.anatomy import empty_anatomy
from inloop.studio.drawing.scene import empty_scene
from inloop.studio.messaging.message_types import (
    Chain,
    Controllers,
    Driven,
    Hello,
    Input,
    MenuEntry,
    Parameter,
    PlayedNote,
    Signal,
    State,
)
from inloop.studio.messaging.protocol import fields
from inloop.studio.messaging.scene_types import Scene
from inloop.studio.plants.control import NONE
from inloop.studio.plants.haptic_device import MOUSE, offer, ranges
from inloop.studio.plants.inputs import Limits
from inloop.studio.plants.running import Running

RATES = {"m": "m/s", "rad": "rad/s"}


def hello(running: Running) -> Hello:
    """The greeting: everything a page needs before the first poses."""
    choice, source, show = running.choice, running.source, running.show
    assert choice is not None and source is not None and show is not None
    assert running.measured is not None
    stage, layout, driver = choice.stage, source.layout, running.inputs
    return {
        "kind": "hello",
        "plant": {
            "name": choice.name or choice.plant,
            "title": stage.title,
            "look_at": stage.look_at,
            "remarks": list(stage.remarks),
            "rate_hz": 1.0 / layout.period,
            "own": running.is_own,
        },
        "menu": _menu(running),
        "scene": cast(Scene, show.scene),
        "anatomy": show.anatomy,
        "parameters": parameters(layout, source.parameters(), stage.docs),
        "signals": signals(layout),
        "contacts": running.measured.contacts,
        "sensors": running.measured.sensors,
        "plots": [name for name in stage.plots if name in layout.index] or None,
        "inputs": inputs(layout, driver.limits if driver is not None else None, stage.docs),
        "device": device(stage.device, layout),
        "cockpit": show.cockpit,
        "chain": chain(running),
        "controllers": controllers(running),
        "can": abilities(running),
        "record": running.recordings.status(),
        "sounds": running.notes is not None and running.notes.sound,
    }


def hello_without_plant(running: Running) -> Hello:
    """The greeting without a plant: only the menu."""
    choice = running.choice
    name, title = ("", "") if choice is None else (choice.name or choice.plant, choice.stage.title)
    return {
        "kind": "hello",
        "plant": {
            "name": name,
            "title": title,
            "look_at": "",
            "remarks": [],
            "rate_hz": 1000.0,
            "own": running.is_own,
        },
        "menu": _menu(running),
        "scene": cast(Scene, empty_scene()),
        "anatomy": empty_anatomy(),
        "parameters": [],
        "signals": [],
        "contacts": [],
        "sensors": [],
        "plots": None,
        "inputs": [],
        "device": None,
        "cockpit": None,
        "chain": None,
        "controllers": controllers(running),
        "can": ["choose", "restart"] if running.is_own else [],
        "record": running.recordings.status(),
        "sounds": False,
    }


def state(running: Running) -> State:
    """The current state of the plant and of the loop."""
    condition, moment = running.condition(), running.moment
    counters, notice = condition.counters, running.notice(condition)
    return {
        "kind": "state",
        "state": condition.state,
        "speed": condition.speed,
        "step": moment.step if moment is not None else 0,
        "t": moment.t if moment is not None else 0.0,
        "status": moment.status if moment is not None else "OK",
        "latched": condition.latched,
        "overruns": counters.get("overruns", 0),
        "late": running.late,
        "stale": counters.get("stale", 0),
        "lost": counters.get("lost", 0),
        "source": running.file or "live",
        "driven": running.inputs is not None and running.inputs.owner is not None,
        "notice": notice,
    }


def chain(running: Running) -> Chain:
    """Haptic devices that can hold the plant, and the one that does."""
    choice, source = running.choice, running.source
    assert choice is not None and source is not None
    rate = 1.0 / source.layout.period
    held = device(choice.stage.device, source.layout) and choice.stage.device
    active = running.device
    return {
        "rigs": [] if running.file else offer(held, rate),
        "ranges": ranges(rate),
        "rig": MOUSE if active is None else active.rig,
        "settings": None if active is None else active.settings,
    }


def controllers(running: Running) -> Controllers:
    """Controllers available for the plant, and the active one."""
    if running.control is not None and not running.file:
        return running.control.told()
    return {
        "offered": [],
        "active": NONE,
        "state": "none",
        "said": "",
        "values": {},
        "path": "",
        "target": None,
    }


def played(note: Note) -> PlayedNote:
    """A note that begins or ends."""
    return cast(PlayedNote, {"kind": "note", **note.data()})


def _menu(running: Running) -> list[MenuEntry]:
    """Plants that can be chosen here."""
    return running.catalog.menu() if running.is_own else []


def abilities(running: Running) -> list[str]:
    """Requests that are possible now."""
    can = ["subscribe", "watch", "pause", "go", "step", "speed", "reset", "replay"]
    if running.file:
        can += ["seek", "step_back", *(["live", "record"] if running.has_plant else [])]
    else:
        can += ["set", "reset_parameter", "reset_parameters", "record"]
        can += ["take_input", "release_input", "device"]
        can += ["pin", "let_go"] if running.touch is not None and running.touch.possible else []
        can += ["control", "tune", "follow", "hold", "aim"]
    if running.may_place:
        can.append("place")
    if running.is_own:
        can += ["choose", "restart"]
    return can


def device(told: Mapping[str, Any] | None, layout: Layout) -> Driven | None:
    """The input that a person drives, if the plant has it with its current options."""
    if told is None or told["input"] not in {x.name for x in layout.inputs}:
        return None
    known = {name: value for name, value in told.items() if name in fields(Driven)}
    return cast(Driven, {**known, "unit": _units(layout)[told["input"]]})


def signals(layout: Layout) -> list[Signal]:
    """Name and unit of everything that can be plotted, in the order of the outputs."""
    units = _units(layout)
    return [{"name": name, "unit": units.get(name, "")} for name in layout.index if name != "t"]


def _units(layout: Layout) -> dict[str, str]:
    """Units of all signals; the input of a drive has the unit of its coordinate."""
    units = {"t": "s"}
    for c in layout.coordinates:
        units[f"{c.name}.q"], units[f"{c.name}.qd"] = c.unit, RATES.get(c.unit, "")
    told = (*layout.states, *layout.signals, *layout.inputs)
    return {x.name: "" for x in told} | units | {x.name: x.unit for x in told if x.unit}


def parameters(
    layout: Layout, values: Mapping[str, float], docs: Mapping[str, str]
) -> list[Parameter]:
    """Parameters with values and ranges; those without a range have null limits."""
    return [
        {
            "name": p.name,
            "value": values.get(p.name, p.default),
            "default": p.default,
            "unit": p.unit,
            "low": _finite(p.least),
            "high": _finite(p.most),
            "doc": docs.get(p.name, ""),
        }
        for p in layout.parameters
    ]


def inputs(layout: Layout, limits: Limits | None, docs: Mapping[str, str]) -> list[Input]:
    """Inputs, in the order of the indices in input frames."""
    found: list[Input] = []
    units, led = _units(layout), led_inputs(layout)
    efforts = {f"{c.name}.tau" for c in layout.coordinates}
    for k, x in enumerate(layout.inputs):
        low, high = limits.range_of(k) if limits is not None else (None, None)
        doc = f"follows {led[x.name]}" if x.name in led else docs.get(x.name, "")
        told: Input = {
            "name": x.name, "unit": units[x.name], "low": low, "high": high,
            "doc": doc, "declared": x.name not in efforts,
        }  # fmt: skip
        found.append(told)
    return found


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
