"""Functions of the page, run by Node: numbers as it writes them, and what it says at the end."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from inloop.studio.messaging.page_types import TARGET

MODULES = [(TARGET.parent / name).as_uri() for name in ("numbers.js", "farewell.js")]
OWN, OTHERS = {"own": True}, {"own": False}
CALL = """
const modules = await Promise.all(%s.map((name) => import(name)));
const functions = Object.assign({}, ...modules);
let text = "";
for await (const part of process.stdin) text += part;
const calls = JSON.parse(text);
console.log(JSON.stringify(calls.map(([name, ...words]) => functions[name](...words))));
"""
CASES: list[tuple[list[Any], Any]] = [
    # what entry fields show, in the unit with its prefix
    (["prefixFor", 6e5, "N/m"], {"scale": 1e3, "unit": "kN/m"}),
    (["prefixFor", 3.052e-4, "m"], {"scale": 1e-6, "unit": "µm"}),
    (["prefixFor", 0.0042, "kg"], {"scale": 1e-3, "unit": "g"}),
    (["prefixFor", 1500.0, "kg"], {"scale": 1.0, "unit": "kg"}),
    (["prefixFor", 2e-6, "kg·m²"], {"scale": 1e-6, "unit": "mg·m²"}),
    (["prefixFor", 0.001, "m²"], {"scale": 1, "unit": "m²"}),
    (["prefixFor", 0.001, "m/s²"], {"scale": 1e-3, "unit": "mm/s²"}),
    (["prefixFor", 5e-5, "1/s"], {"scale": 1, "unit": "1/s"}),
    (["prefixFor", 5e-5, ""], {"scale": 1, "unit": ""}),
    (["prefixFor", 0.0, "m"], {"scale": 1, "unit": "m"}),
    (["entry", 600.0], "600"),
    (["entry", 305.2], "305.2"),
    (["entry", -123.456789], "-123.46"),
    (["entry", -1234567.0], "-1.2e6"),
    (["entry", 0.1 + 0.2], "0.3"),
    (["typedNumber", " 20,5 "], 20.5),
    (["typedNumber", "−3e-4"], -3e-4),
    (["typedNumber", ""], None),
    (["typedNumber", "ten"], None),
    # what is told while it moves: rounding is zero
    (["withPrefix", 1.863e-17, "rad"], "0 rad"),
    (["withPrefix", -3.9e-10, "m"], "0 m"),
    (["withPrefix", -3.9e-8, "m"], "−39 nm"),
    (["withPrefix", 4e-13, "kg·m²", 3, 0], "0.4 ng·m²"),
    (["withPrefix", 0.0012, "m"], "1.2 mm"),
    (["withPrefix", 0.99999, "m"], "1 m"),
    (["withPrefix", None, "m"], "–"),
    (["triple", [0.012, 1e-12, -0.003], "m"], "12, 0, −3 mm"),
    (["triple", [0.0, 0.0, 0.0], "m"], "0, 0, 0 m"),
    # labels of axes differ
    (["axisLabels", [1.7666, 1.7668, 1.767]], ["1.7666", "1.7668", "1.7670"]),
    (["axisLabels", [0.0, 0.25, 0.5]], ["0", "0.25", "0.50"]),
    (["axisLabels", [-5e-7, 0.0, 5e-7]], ["−500 n", "0", "500 n"]),
    (["axisLabels", [0.0, 2e5, 4e5]], ["0", "200 k", "400 k"]),
    (["axisLabels", [1e5, 1e5 + 0.5]], ["100.0000 k", "100.0005 k"]),
    (["axisLabels", [12.0]], ["12"]),
    # what is said when the studio is gone: what is known, and no more
    (["farewell", "ended", OWN, "10.0.0.7"], ("has been stopped", "stops with it")),
    (["farewell", "ended", OTHERS, "10.0.0.7"], ("has been stopped", "keeps running")),
    (["farewell", "cut", OWN, "127.0.0.1"], ("stopped unexpectedly", "stops with it")),
    (["farewell", "cut", OTHERS, "[::1]"], ("stopped unexpectedly", "keeps running")),
    (["farewell", "cut", OWN, "10.0.0.7"], ("no connection", "the plant keeps running")),
    (["farewell", "cut", None, "localhost"], ("stopped unexpectedly", "Trying again")),
    (["farewell", "turned away", OWN, "localhost"], ("refused this page", "Trying again")),
]  # fmt: skip


@pytest.fixture(scope="module")
def answers(require_file: Callable[[str, str], None]) -> list[Any]:
    node = shutil.which("node") or "/usr/bin/node"
    require_file(node, "nodejs")
    done = subprocess.run(
        [node, "--input-type=module", "-e", CALL % json.dumps(MODULES)],
        input=json.dumps([call for call, _ in CASES]), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: json.dumps(CASES[k][0])[:50])
def test_a_number_is_written_as_expected(answers: list[Any], k: int) -> None:
    expected = CASES[k][1]
    if isinstance(expected, dict):
        assert answers[k]["unit"] == expected["unit"]
        assert answers[k]["scale"] == pytest.approx(expected["scale"])
    elif isinstance(expected, tuple):
        assert expected[0] in answers[k]["text"] and expected[1] in answers[k]["fix"]
    else:
        assert answers[k] == expected
