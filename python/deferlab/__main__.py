"""The `deferlab` command."""

import signal
import sys

from ._deferlab import command


def main() -> None:
    """Runs the command of this process and ends with its exit code."""
    # Rust does not return to the interpreter before it is done: Ctrl-C has to end the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["deferlab", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
