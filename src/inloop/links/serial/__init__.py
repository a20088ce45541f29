"""Boards on a serial line: frames with checksums, sequence numbers and age."""

from inloop.links.serial.board import BoardOutputs, SerialBoard
from inloop.links.serial.controlled import ControlledBoard
from inloop.links.serial.conversation import Conversation, SerialCounts
from inloop.links.serial.link import SerialLink

__all__ = [
    "BoardOutputs",
    "ControlledBoard",
    "Conversation",
    "SerialBoard",
    "SerialCounts",
    "SerialLink",
]
