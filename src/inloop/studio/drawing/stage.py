"""What the studio needs to know of a plant besides its mailbox: plain data made from the model."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inloop.geometry import Visual
from inloop.model import Mechanism
from inloop.plant.drawn.poses import PoseLibrary, build_poses
from inloop.studio.drawing.anatomy import make_anatomy
from inloop.studio.drawing.sketch import Box, Sketch, make_sketch


@dataclass(frozen=True)
class Stage:
    """The drawing of a plant, and how a person interacts with it.

    Attributes:
        title: one line.
        look_at: what is worth looking at.
        sketch: parts of the drawing; None for a plant that cannot be drawn.
        library: pose library of its bodies.
        device: input that a person drives, as `Device.data` gives it.
        docs: what parameters and inputs mean, by name.
        notes: signals from which notes are detected; see `Notes`.
        plots: signals to plot first, if the plant has them.
        meshes: packed meshes of the drawing, by name.
        remarks: remarks on the file from which it was read.
        anatomy: its structure, see `make_anatomy`; None if unknown.
        cockpit: cameras, instruments and levers, as `Cockpit.data` gives them.
    """

    title: str
    look_at: str = ""
    sketch: Sketch | None = None
    library: PoseLibrary | None = None
    device: Mapping[str, Any] | None = None
    docs: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Any] | None = None
    plots: tuple[str, ...] = ()
    meshes: Mapping[str, bytes] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    anatomy: Mapping[str, Any] | None = None
    cockpit: Mapping[str, Any] | None = None

    def save(self, path: Path) -> None:
        """Write it for another process."""
        data = {
            "title": self.title,
            "look_at": self.look_at,
            "sketch": self.sketch.data() if self.sketch is not None else None,
            "library": self.library.data() if self.library is not None else None,
            "device": dict(self.device) if self.device is not None else None,
            "docs": dict(self.docs),
            "notes": dict(self.notes) if self.notes is not None else None,
            "plots": self.plots,
            "remarks": self.remarks,
            "anatomy": dict(self.anatomy) if self.anatomy is not None else None,
            "cockpit": dict(self.cockpit) if self.cockpit is not None else None,
            "meshes": {k: base64.b64encode(v).decode() for k, v in self.meshes.items()},
        }
        path.write_text(json.dumps(data), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Stage:
        """Read what `save` has written."""
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["sketch"] is not None:
            data["sketch"] = Sketch.read(data["sketch"])
        if data["library"] is not None:
            data["library"] = PoseLibrary.read(data["library"])
        meshes = {k: base64.b64decode(v) for k, v in data["meshes"].items()}
        told = {name: tuple(data[name]) for name in ("plots", "remarks")}
        return cls(**{**data, **told, "meshes": meshes})


def make_stage(
    mechanism: Mechanism,
    *,
    title: str = "",
    look_at: str = "",
    plane: str = "",
    reach: Box | None = None,
    looks: Mapping[str, Sequence[Visual]] | None = None,
    device: Mapping[str, Any] | None = None,
    notes: Mapping[str, Any] | None = None,
    plots: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
    cockpit: Mapping[str, Any] | None = None,
) -> Stage:
    """Derive and compile what is needed to draw a mechanism.

    Args:
        mechanism: the frozen model.
        title: one line; the model's name by default.
        look_at: what is worth looking at; the model's description by default.
        plane: "xy", "xz" or "yz" for a side view of that plane.
        reach: corners of the box in which it moves [m]; default: estimated from its start.
        looks: what to draw, by name of the body; the model's visuals by default.
        device: input that a person drives.
        notes: signals from which notes are detected.
        plots: signals to plot first.
        remarks: remarks on its file.
        cockpit: cameras, instruments and levers.
    """
    anatomy: dict[str, Any] = {}
    parts, found, shelf = make_sketch(
        mechanism, plane, looks, reach, lambda found: anatomy.update(make_anatomy(mechanism, found))
    )
    library = build_poses(mechanism, found.points, found.turns)
    docs = {p.name: p.doc for p in mechanism.parameters if p.doc}
    docs |= {i.name: i.doc for i in mechanism.inputs if i.doc}
    return Stage(
        title or mechanism.name,
        look_at or mechanism.doc,
        parts,
        library,
        device,
        docs,
        notes,
        plots,
        shelf.blocks,
        remarks,
        anatomy,
        cockpit,
    )
