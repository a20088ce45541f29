"""A plant against the clock: the native loop, its mailbox, and how well it kept its deadlines."""

from inloop.realtime.loop import Loop
from inloop.realtime.mailbox import Mailbox, attach
from inloop.realtime.options import Options
from inloop.realtime.outputs import Flag, Outputs, Snapshot, State
from inloop.realtime.report import Report
from inloop.realtime.run import run, start
from inloop.realtime.segment import running

__all__ = [
    "Flag", "Loop", "Mailbox", "Options", "Outputs", "Report", "Snapshot", "State", "attach",
    "run", "running", "start",
]  # fmt: skip
