"""The parser of the command line and of each command."""

from __future__ import annotations

import argparse
from typing import NoReturn

WRONG_USAGE = 2  # exit code


class CommandParser(argparse.ArgumentParser):
    """A parser with short error messages: some commands have thirty options.

    A screen full of options would hide what is wrong; `--help` lists them.
    """

    def error(self, message: str) -> NoReturn:
        """Print what must be given and what is wrong, and exit."""
        choices = [group for group in self._mutually_exclusive_groups if group.required]
        chosen = {id(action) for group in choices for action in group._group_actions}
        needed = [
            action
            for action in self._actions
            if action.required or not action.option_strings or id(action) in chosen
        ]
        usage = self.formatter_class(prog=f"{self.prog} [options]")
        usage.add_usage(None, needed, choices)
        self.exit(WRONG_USAGE, f"{usage.format_help()}{self.prog}: error: {message}\n")
