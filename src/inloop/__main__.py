"""`python -m inloop`, if the command `inloop` is not on the path."""

import sys

from inloop.cli import main

if __name__ == "__main__":
    sys.exit(main())
