"""Transports that fill and read the mailbox.

Each is a process of its own: if it dies, the plant's watchdog sees stale inputs and the loop goes
on.
"""

from inloop.links.session import Session
from inloop.links.statistics import Counts, LinkStatistics
from inloop.links.udp import Address
from inloop.links.udp_mirror import MirrorEnd
from inloop.links.udp_plant import PlantEnd

__all__ = ["Address", "Counts", "LinkStatistics", "MirrorEnd", "PlantEnd", "Session"]
