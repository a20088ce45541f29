"""Data for a page that contains its plant: the studio's greeting, and layouts of records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

import numpy as np

from inloop.devices import NoteMaker
from inloop.native import Status
from inloop.native.library import Reals
from inloop.plant.drawn.poses import Poses
from inloop.realtime.elements import contacts_of, led_inputs, sensors_of
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.scene import scene_parts
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.message_types import Hello
from inloop.studio.messaging.scene_types import Scene
from inloop.studio.plants.health import FAILURES, LATCHED, latched_notice
from inloop.studio.plants.inputs import Limits, limits_of
from inloop.studio.plants.measured import CONTACT_QUANTITIES, Measured
from inloop.studio.plants.notes import SIGNALS
from inloop.studio.plants.show import Show
from inloop.studio.plants.touch import DAMPED, FAR, FIRMNESS, GRAVITY, QUICK, SAG
from inloop.studio.server import messages

CAN = [
    "subscribe", "watch", "pause", "go", "step", "speed", "reset",
    "set", "reset_parameter", "reset_parameters", "take_input", "release_input",
]  # fmt: skip
HOLDING = ["pin", "let_go"]


def greeting(stage: Stage, layout: Layout, name: str, values: Mapping[str, float]) -> Hello:
    """The greeting that the studio sends before anything moves.

    Args:
        stage: appearance of the plant.
        layout: layout of its records.
        name: name of the plant.
        values: values of its parameters.
    """
    show, measured = Show(stage, layout), Measured(layout)
    show.set_parameters(values)
    limits = limits_of(layout, stage.device)
    return {
        "kind": "hello",
        "plant": {
            "name": name,
            "title": stage.title,
            "look_at": stage.look_at,
            "remarks": list(stage.remarks),
            "rate_hz": 1.0 / layout.period,
            "own": True,
        },
        "menu": [],
        "scene": cast(Scene, show.scene),
        "anatomy": show.anatomy,
        "parameters": messages.parameters(layout, values, stage.docs),
        "signals": messages.signals(layout),
        "contacts": measured.contacts,
        "sensors": measured.sensors,
        "plots": [name for name in stage.plots if name in layout.index] or None,
        "inputs": messages.inputs(layout, limits, stage.docs),
        "device": messages.device(stage.device, layout),
        "cockpit": show.cockpit,
        "chain": None,
        "controllers": {
            "offered": [], "active": "none", "state": "none", "said": "", "values": {}, "path": "",
            "target": None,
        },
        "can": [*CAN, *(HOLDING if layout.bodies else [])],
        "record": {
            "phase": "off", "file": "", "bytes": 0, "seconds": 0.0, "problem": "", "files": [],
        },
        "sounds": _notes(stage.notes, layout) is not None,
    }  # fmt: skip


def plant_facts(
    stage: Stage, layout: Layout, hello: Hello, values: Mapping[str, float]
) -> dict[str, Any]:
    """Layout of the records, and data with which the worker replaces the studio's server."""
    assert stage.sketch is not None and stage.library is not None
    index, sketch, poses = layout.index, stage.sketch, Poses(stage.library)
    poses.set_parameters(values)
    told = hello["cockpit"]["signals"] if hello["cockpit"] is not None else []
    contacts = [c for c in sketch.contacts if all(name in index for name in c.signals)]
    corners = zip(*(hello["scene"]["bounds"][end] for end in ("min", "max")), strict=True)
    return {
        "hello": hello,
        "index": index,
        "inputs": _inputs(limits_of(layout, stage.device), layout),
        "drawn": {
            "positions": [index[name] for name in stage.library.positions],
            "told": [index[name] for name in told],
            "contacts": [
                {"body": c.body, "origin": c.origin, "turn": c.turn,
                 "columns": [index[name] for name in c.signals]}
                for c in contacts
            ],
            "points": stage.library.points,
            "parts": scene_parts(sketch, poses),
            "anatomy": [] if stage.anatomy is None else stage.anatomy["bodies"],
        },
        "held": {
            "bodies": list(layout.bodies), "size": max(high - low for low, high in corners),
            "quick": QUICK, "sag": SAG, "gravity": GRAVITY, "damped": DAMPED,
            "firmness": FIRMNESS, "far": FAR,
        },
        "notes": _notes(stage.notes, layout),
        "contacts": [
            [index.get(data["outputs"].get(key, ""), -1) for key in CONTACT_QUANTITIES]
            for data in contacts_of(layout).values()
        ],
        "sensors": [
            [index.get(signal, -1) for signal in data["signals"]]
            for data in sensors_of(layout).values()
        ],
        "failures": {
            str(Status[name].value): {"status": name, "text": text, "fix": fix}
            for name, (text, fix) in FAILURES.items()
        },
        "latched": {name: latched_notice(name) for name in LATCHED},
    }  # fmt: skip


def _inputs(limits: Limits, layout: Layout) -> dict[str, Any]:
    """Start, rest and range of inputs, and which of them are read-only."""
    led = led_inputs(layout)
    driven = {f"{c.name}.q" for c in layout.coordinates}
    return {
        "start": [x.default for x in layout.inputs],
        "rest": _plain(limits.rest),
        "least": _plain(limits.least),
        "most": _plain(limits.most),
        "led": [x.name in led for x in layout.inputs],
        # a driven joint stays in place: it cannot jump to 0
        "safe": [None if x.name in driven else 0.0 for x in layout.inputs],
    }


def _notes(told: Mapping[str, Any] | None, layout: Layout) -> dict[str, Any] | None:
    """Columns and thresholds that identify a note; None for a plant that plays none."""
    if told is None or any(told[name] not in layout.index for name in SIGNALS):
        return None
    usual = {f.name: f.default for f in fields(NoteMaker) if isinstance(f.default, float)}
    return {
        "columns": [layout.index[told[name]] for name in SIGNALS],
        "above": [told["contact_above"], told["damped_above"]],
        "note": int(told["note"]),
        **{name: usual[name] for name in ("least", "apart", "longest")},
    }


def _plain(values: Reals | Sequence[float]) -> list[float]:
    return [float(x) if math.isfinite(x) else 0.0 for x in np.asarray(values).tolist()]
