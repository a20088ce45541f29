"""Transports that fill and read the mailbox.

Each runs in its own process: if it dies, the plant's watchdog detects stale inputs and the loop
continues.
"""

from inloop.links.session import Session
from inloop.links.statistics import Counts, LinkStatistics
from inloop.links.udp import Address
from inloop.links.udp_mirror import MirrorEnd
from inloop.links.udp_plant import PlantEnd

__all__ = ["Address", "Counts", "LinkStatistics", "MirrorEnd", "PlantEnd", "Session"]
