"""What all tests need."""

import signal


def pytest_configure() -> None:
    """Ctrl-C is tested, also where the tests run in the background, which has it ignored from the start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
