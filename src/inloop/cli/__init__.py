"""The command line: `inloop list | describe | derive | export | run | check | demo | bench`."""

from inloop.cli.main import main

__all__ = ["main"]
