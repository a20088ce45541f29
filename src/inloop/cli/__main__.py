"""`python -m inloop.cli`, for where the command `inloop` is not on the path."""

import sys

from inloop.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
