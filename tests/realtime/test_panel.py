"""The pipe between a controller and whoever shows it: numbers in, lines out, nothing else."""

from __future__ import annotations

import json
import subprocess

from warm_python import WarmPython

ECHO = """
import time
from inloop.realtime import Panel
panel = Panel()
panel.ready()
known = {}
while not panel.leaving:
    found = panel.heard()
    if found:
        known |= found
        panel.tell(0.0, known)
    time.sleep(1e-3)
panel.tell(0.0, {"left": panel.leaving})
"""


def talk(*lines: str) -> list[dict[str, object]]:
    """What a panel answers to lines, one after the other."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with WarmPython(["-c", ECHO], **pipes) as process:
        assert json.loads(process.stdout.readline()) == {"ready": True}
        told, _ = process.communicate("".join(f"{line}\n" for line in lines))
    return [json.loads(line) for line in told.splitlines()]


def test_numbers_are_heard_and_nonsense_is_left_out() -> None:
    *_, known, left = talk(
        "nonsense",
        "[1, 2]",
        '{"kp": "225"}',
        '{"kp": NaN, "ki": 1e999, "kd": true}',
        '{"kp": 225, "goal.joint_1": -0.5}',
        '{"leave": "held"}',
    )
    assert known == {"kp": 225.0, "goal.joint_1": -0.5}
    assert left == {"left": "held"}


def test_who_is_gone_leaves_the_inputs_at_rest() -> None:
    assert talk('{"kp": 3}')[-1] == {"left": "rest"}
