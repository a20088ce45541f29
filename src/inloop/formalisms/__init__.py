"""Derive programs from a mechanism; one algorithm per file."""

from inloop.formalisms.derive import PROGRAMS, Derivation
from inloop.formalisms.symbols import LiveParameter

__all__ = ["PROGRAMS", "Derivation", "LiveParameter"]
