"""Cockpits of exhibits: what is declared, what a plant has of it, and how levers are led."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.gallery import Camera, Cockpit, Gauge, Lever, Voice
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.cockpit import fit_cockpit
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.frames import HEADER, poses_frame
from inloop.studio.messaging.page_types import TARGET

STEERING = Lever("Turn", "turn", -3.0, 2.0, 0.5, more=("KeyA",), less=("KeyD",), rise=4.0, fall=6.0,
                 axis="-axis0", eased=(("vx", "vy"), 10.0), high_at="left")  # fmt: skip
COCKPIT = Cockpit(
    (Camera("Seat", "hull", (0.1, 0.2, 0.9), (4.0, 0.2, 0.5)),
     Camera("Far", "moon", (9.0, 0.0, 1.0), (0.0, 0.0, 0.0))),
    (Gauge("Speed", ("vx", "vy"), 0.0, 50.0, "km/h", 3.6, "size", "dial"),
     Gauge("Revolutions", ("rpm",), 0.0, 7000.0)),
    (STEERING, Lever("Wings", "flap", 0.0, 1.0)),
)  # fmt: skip


def stage_with(cockpit: Cockpit) -> Stage:
    library = SimpleNamespace(bodies=("hull", "rudder"))
    return Stage("boat", library=cast(Any, library), cockpit=cockpit.data())


def layout_with(*signals: str) -> Layout:
    index = {name: k for k, name in enumerate(("t", *signals))}
    return cast(Layout, SimpleNamespace(index=index, inputs=[SimpleNamespace(name="turn")]))


def test_what_a_plant_lacks_is_left_out_of_its_cockpit() -> None:
    found = fit_cockpit(stage_with(COCKPIT), layout_with("vy", "vx"))
    assert found is not None
    assert [camera["name"] for camera in found["cameras"]] == ["Seat"]
    assert [gauge["name"] for gauge in found["gauges"]] == ["Speed"]
    assert [lever["name"] for lever in found["levers"]] == ["Turn"]
    assert found["signals"] == ["vx", "vy"]
    # a lever whose signal is not there is always the same
    bare = fit_cockpit(stage_with(COCKPIT), layout_with("rpm"))
    assert bare is not None and bare["signals"] == ["rpm"]
    assert bare["levers"][0]["eased"]["signals"] == []
    assert fit_cockpit(Stage("boat"), layout_with("vx")) is None


def test_values_of_its_signals_follow_poses_and_arrows() -> None:
    told = np.array([3.5, -2.25])
    frame = poses_frame(7, 0.5, 0.25, np.ones((2, 7)), np.ones((3, 6)), told)
    begin = HEADER.size + 4 * 2 * 7 + 4 + 4 * 3 * 6
    assert np.frombuffer(frame[begin:], "<f4") == pytest.approx(told, abs=0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: replace(COCKPIT.cameras[0], field=180.0), "camera 'Seat'.*180°"),
        (lambda: replace(COCKPIT.cameras[0], look=(0.1, 0.2, 0.9)), "looks at itself"),
        (lambda: replace(COCKPIT.gauges[0], low=60.0), "gauge 'Speed'.*60 to 50"),
        (lambda: replace(COCKPIT.gauges[0], signals=()), "shows no signal"),
        (lambda: replace(STEERING, rest=9.0), "lever 'Turn'.*rests at 9"),
        (lambda: replace(STEERING, rise=0.0), "rate that is not positive"),
    ],
)
def test_a_cockpit_that_makes_no_sense_is_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        make()


def test_the_car_names_bodies_and_inputs_that_it_has() -> None:
    exhibit = gallery.get("car")
    assert exhibit.ride() is None
    for automatic in (True, False):
        cockpit = exhibit.ride(pedals=True, automatic=automatic)
        assert cockpit is not None
        mechanism = exhibit.build(pedals=True, automatic=automatic, bars_as_laws=True).build()
        bodies = {body.name for body in mechanism.bodies}
        assert {camera.body for camera in cockpit.cameras} <= bodies
        inputs = {x.name for x in mechanism.inputs} | {"steering.q"}
        led = {lever.input for lever in cockpit.levers}
        # by hand there are gears instead of reverse
        assert led - inputs == ({"gear"} if automatic else {"reverse"})


HEAR = """
const { sounding } = await import(%s);
const told = { rpm: 3000, throttle: 0.25, left: 0.3, right: -0.4 };
const values = (names) => names.map((name) => told[name] ?? NaN);
console.log(JSON.stringify(%s.map((voice) => sounding(voice, values))));
"""


def in_node(node_words: str) -> Any:
    node = shutil.which("node") or "/usr/bin/node"
    done = subprocess.run(
        [node, "--input-type=module", "-e", node_words], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_voices_follow_signals(require_file: Callable[[str, str], None]) -> None:
    require_file(shutil.which("node") or "/usr/bin/node", "nodejs")
    voices = [
        Voice("tone", ("throttle",), 0.0, 1.0, 0.1, 0.5, ("rpm",), 3 / 60.0),
        Voice("noise", ("left", "right"), 0.1, 0.9, 0.0, 0.4, pitch=700.0),
        Voice("tone", ("throttle",), 0.0, 1.0, 0.1, 0.5, ("left",)),  # too low to be heard
        Voice("noise", ("nothing",), 0.0, 1.0, 0.2, 0.4),
    ]
    data = replace(COCKPIT, voices=tuple(voices)).data()["voices"]
    address = json.dumps((TARGET.parent / "sounding.js").as_uri())
    found = in_node(HEAR % (address, json.dumps(data)))
    # 3000/min of a six-cylinder engine are 150 Hz; sqrt(0.3² + 0.4²) is halfway
    assert found[:2] == [
        {"frequency": 150, "loudness": pytest.approx(0.2)},
        {"frequency": 700, "loudness": pytest.approx(0.2)},
    ]
    assert [voice["loudness"] for voice in found[2:]] == [0, 0.2]


LEAD = """
const { LeverState, stickOf } = await import(%s);
const lever = %s;
const rows = [];
const state = new LeverState(lever, 0);
const run = (steps, speed = 0) => {
  for (let k = 0; k < steps; k += 1) state.lead(0.01, speed);
  rows.push(state.value);
};
state.down.add("KeyA"); run(10); run(1000); run(1000, 20);
state.down.clear(); run(10); run(1000);
state.down.add("KeyD"); run(10);
state.down.clear(); state.down.add("KeyA"); run(3);
state.down.add("KeyD"); run(1000);
state.down.clear(); state.stick = -0.5; run(1000);
state.held = 1; run(1000);
state.rest(); rows.push(state.value, state.way);
const toggle = new LeverState({ ...lever, way: "toggle", rest: -3 }, 0);
for (const way of [1, 1]) { toggle.click(way); toggle.lead(1, 0); rows.push(toggle.value); }
const steps = new LeverState({ ...lever, way: "step", rest: 0, low: -1, high: 2 }, 0);
for (const way of [1, 1, 1, -1, -1, -1, -1]) { steps.click(way); rows.push(steps.value); }
const pad = { axes: [0.25, NaN], buttons: [{ value: 0.75 }] };
const axes = ["axis0", "-axis0", "button0", "axis7", "", "other"];
for (const axis of axes) rows.push(stickOf(pad, axis));
console.log(JSON.stringify(rows));
"""


def test_levers_are_led_by_ramps(require_file: Callable[[str, str], None]) -> None:
    require_file(shutil.which("node") or "/usr/bin/node", "nodejs")
    address = json.dumps((TARGET.parent / "leverstate.js").as_uri())
    lever = json.dumps(COCKPIT.data()["levers"][0])
    found = in_node(LEAD % (address, lever))
    # by hand: rise 4/s, fall 6/s, range -3 … 0.5 … 2; at speed 20 an ease of 1/(1 + 2²) = 1/5
    eased = 0.5 + 1.5 / 5
    back = 0.5 - 4.0 * 0.1  # led to low for 0.1 s
    ramps = [0.9, 2.0, eased, 0.5, 0.5, back, back + 0.03 * (4.0 + 6.0), 0.5]
    sticks = [0.5 - 0.5 * 3.5, 2.0, 0.5, 0]
    assert found[:12] == pytest.approx(ramps + sticks, abs=1e-9)
    assert found[12:14] == [2.0, -3.0]
    assert found[14:21] == [1, 2, 2, 1, 0, -1, -1]
    assert found[21:] == [0.25, -0.25, 0.75, 0, 0, 0]
    assert math.isfinite(sum(found))


AHEAD = """
const { placeAhead } = await import(%s);
const { overlap } = await import(%s);
const ring = Array.from({ length: 361 }, (_, k) => (k %% 360) * Math.PI / 180);
const circle = (r) => ring.map((a) => [r * Math.sin(a), r - r * Math.cos(a), 0]);
const lane = { left: circle(48).map(([x, y]) => [x, y + 2, 0]), right: circle(52).map(
  ([x, y]) => [x, y - 2, 0]) };
const start = (x, y, heading) => ({ x, y, heading });
const far = 25 * Math.PI; // a quarter of the middle line
const car = { x: 0, y: 0, heading: 0, rear: -3, front: 1, half: 0.8 };
const box = (x, y, heading) => ({ x, y, heading, rear: -2, front: 2, half: 0.9 });
console.log(JSON.stringify([
  placeAhead([lane], start(0, 1, 0.1), far), // one meter to the left of the middle
  placeAhead([lane], start(0, 1, Math.PI), far), // the other way round
  placeAhead([], start(3, 4, Math.PI / 2), 10),
  [box(2.9, 0, 0), box(3.1, 0, 0), box(0, 1.6, 0), box(0, 1.8, 0),
   box(2.2, 2.2, Math.PI / 4), box(2.5, 2.5, Math.PI / 4)].map((b) => overlap(car, b)),
]));
"""


def test_what_appears_is_on_the_road_ahead_and_met_where_it_is(
    require_file: Callable[[str, str], None],
) -> None:
    """On a circle of 50 m about (0, 50): a quarter on, a car on its left is 49 m from there."""
    require_file(shutil.which("node") or "/usr/bin/node", "nodejs")
    files = [json.dumps((TARGET.parent / f"{x}.js").as_uri()) for x in ("roadahead", "rectangles")]
    left, back, straight, met = in_node(AHEAD % tuple(files))
    assert (left["x"], left["y"]) == pytest.approx((49.0, 50.0), abs=0.5)
    assert left["heading"] == pytest.approx(0.5 * math.pi, abs=0.02)
    assert (back["x"], back["y"]) == pytest.approx((-49.0, 50.0), abs=0.5)
    assert straight == pytest.approx({"x": 3.0, "y": 14.0, "heading": 0.5 * math.pi})
    # the near side of a box at 45° is x + y = 2 * 2.2 - 2 * 2/√2 = 1.57; the car's corner has 1.8.
    # 0.3 m farther out it is 2.17, although x and y of both still overlap
    assert met == [True, False, True, False, True, False]
