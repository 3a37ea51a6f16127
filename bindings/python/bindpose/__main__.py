"""The command `bindpose`."""

import signal
import sys

from ._bindpose import _run


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    # Python's handler would only run after the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run(["bindpose", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
