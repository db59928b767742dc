"""The command `stickslip`, also `python -m stickslip`: Ctrl-C at any moment, also while modules are imported, is a
sentence and an exit code."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C before there was a result."""


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in the background it may be ignored
        signal.signal(signal.SIGINT, _interrupted)
    try:
        from stickslip.cli import app
        from stickslip.cli.interruption import interrupt

        if signal.getsignal(signal.SIGINT) is _interrupted:
            signal.signal(signal.SIGINT, interrupt)
        app(prog_name="stickslip")
    except KeyboardInterrupt:
        _say()
        sys.exit(INTERRUPTED)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # typer makes this of Ctrl-C wherever it comes, and says nothing
            _say()
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said and done


def _interrupted(number: int, frame: FrameType | None) -> None:
    """While the command line itself is imported there is nothing yet that could be kept or cleaned up."""
    _say()
    os._exit(INTERRUPTED)


def _say() -> None:
    sys.stderr.write("interrupted before there was a result\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
