"""The command `spanometer`, also run by `python -m spanometer`."""

import signal
import sys


def main() -> int:
    """Run the command line. If it is interrupted during imports, the process ends without a traceback."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .commands.main import main as run

    signal.signal(signal.SIGINT, handler)
    return run()


if __name__ == "__main__":
    sys.exit(main())
