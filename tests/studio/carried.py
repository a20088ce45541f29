"""A small plant that a page carries, and Node to run it without a browser.

A block on a rail, which drag slows down, and an arm that swings beside it; its texts are those of
somebody who means harm.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import inloop as il
from inloop.io.page.export import CarriedPlant, Pace, carry
from inloop.plant import BarePlant
from inloop.studio.drawing.stage import Stage, make_stage
from inloop.studio.messaging.page_types import TARGET

RATE, SUBSTEPS = 500.0, 2
MASS, DRAG = 2.0, 1.5  # of the block [kg], [N·s/m]
HARM = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
# what the tests run: a session whose clock stands until it is told to go on
DRIVER = """
import fs from "fs";
const [page, folder] = [%r, %r];
const load = (name) => import(page + name);
const { PlantSession } = await load("plantsession.js");
const { decode, inputFrame, pingFrame, touchFrame } = await load("frames.js");
const facts = JSON.parse(fs.readFileSync(folder + "/facts.json"));
const module = new WebAssembly.Module(fs.readFileSync(folder + "/plant.wasm"));
const texts = [], frames = [];
let now = 100;
const keep = (words) =>
  typeof words === "string" ? texts.push(JSON.parse(words)) : frames.push(decode(words));
const session = new PlantSession(module, facts, keep, () => now);
session.greet();
const say = (request) => session.hear(JSON.stringify(request));
const pass = (seconds) => {
  for (const end = now + seconds; now < end - 1e-9; ) { now += 0.004; session.tick(); }
};
const last = (kind) => texts.filter((text) => text.kind === kind).at(-1);
const read = (name) => session.plant.last[facts.index[name]];
session.tick();
const result = await (async () => { %s })();
console.log(JSON.stringify(result));
"""


def described() -> il.Model:
    """The model, with texts that must stay texts."""
    m = il.Model("carried", doc=HARM)
    length = m.parameter("length", 0.7, unit="m", doc=HARM, range=(0.2, 1.9))
    drag = m.parameter("drag", DRAG, unit="N*s/m", range=(0.1, 40.0))
    push = m.input("push", "N", HARM)
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=MASS, inertia=(0.1, 0.2, 0.3))
    m.joint_force("block", lambda q, qd: push - drag * qd)
    arm = m.body(
        "arm", on=m.ground, joint=il.revolute("y", initial=0.4), mass=0.9,
        com=(0.0, 0.0, -0.6 * length), inertia=(0.03, 0.04, 0.02),
    )  # fmt: skip
    arm.point("tip", (0.0, 0.0, -length))
    return m


def carried_plant() -> tuple[BarePlant, Stage, CarriedPlant]:
    """The plant, how it looks, and what a page gets of it."""
    plant = described().compile()
    stage = make_stage(plant.mechanism, title=HARM)
    return plant, stage, carry(plant, Pace(RATE, SUBSTEPS), None, stage)


class Driver:
    """Runs a plant in Node, on a clock that stands.

    Args:
        carried: the plant.
        folder: for its files.
    """

    def __init__(self, carried: CarriedPlant, folder: Path) -> None:
        self.folder = folder
        (folder / "plant.wasm").write_bytes(carried.wasm)
        (folder / "facts.json").write_text(json.dumps(carried.facts), encoding="utf-8")

    def run(self, script: str) -> Any:
        """What a script returns; it sees what DRIVER makes."""
        text = DRIVER % (f"{TARGET.parent.as_uri()}/", str(self.folder), script)
        done = subprocess.run(
            [str(shutil.which("node")), "--input-type=module"],
            input=text, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
