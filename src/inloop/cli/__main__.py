"""`python -m inloop.cli`, if the command `inloop` is not on the path."""

import sys

from inloop.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
