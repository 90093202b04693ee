"""`python -m experiments`."""

import sys
from collections.abc import Sequence

from spanometer.commands.main import Parser, run


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, see `spanometer.commands.main.run`."""
    return run(Parser(prog="python -m experiments", module="experiments.command"), argv)


if __name__ == "__main__":
    sys.exit(main())
