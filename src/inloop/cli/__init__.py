"""The command line: `inloop list | describe | derive | run | check | demo | bench`."""

from inloop.cli.main import main

__all__ = ["main"]
