"""Run plants in real time: the native loop, its mailbox, and deadline statistics."""

from inloop.realtime.beside import Observation, observe
from inloop.realtime.clock import PlantClock, ScriptedClock
from inloop.realtime.collector import Collector
from inloop.realtime.faults import Corruption, Fault, read_fault, split_faults
from inloop.realtime.injector import Injector
from inloop.realtime.loop import Loop
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.hand import Grip, Pull
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.outputs import Flag, Outputs, Snapshot, State
from inloop.realtime.mailboxes.segment import running
from inloop.realtime.options import Options
from inloop.realtime.panel import Panel, take_over
from inloop.realtime.recordings.recorder import Recorded, record
from inloop.realtime.recordings.recording import Recording
from inloop.realtime.recordings.repair import repair
from inloop.realtime.recordings.replay import Replay, replay
from inloop.realtime.recordings.result import recorded_result
from inloop.realtime.report import Report
from inloop.realtime.run import start

__all__ = [
    "Collector", "Corruption", "Fault", "Flag", "Grip", "Injector", "Loop", "Mailbox",
    "Observation", "Options", "Outputs", "Panel", "PlantClock", "Pull", "Recorded", "Recording",
    "Replay", "Report", "ScriptedClock", "Snapshot", "State", "attach", "observe", "read_fault",
    "record", "recorded_result", "repair", "replay", "running", "split_faults", "start",
    "take_over",
]  # fmt: skip
