"""Programs that the tests of the page need, and that Debian has: Chromium and Node; what is missing is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = {
    "chromium": ("chromium", "fonts-dejavu-core"),
    "npm": ("nodejs", "npm"),
}
"""By the program that is looked for, the packages that bring it."""

PATIENCE = 1800
"""Seconds that an installation may take, and that one waits for those of others."""

LOCK = Path(tempfile.gettempdir()) / f"stickslip-installs-{os.getuid() if hasattr(os, 'getuid') else 0}"


def installed(program: str) -> str:
    """Where a program is; it is installed if it is missing, which takes the rights of root.

    Of several processes that miss it one installs it, and the others wait until it is there.
    """
    with _one_at_a_time():
        found = shutil.which(program)
        if found is None:
            _install(program)
            found = shutil.which(program)
    assert found is not None, f"{', '.join(PACKAGES[program])} brought no {program}"
    return found


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold a lock that the system takes back when the process dies, however it does."""
    import fcntl

    with open(LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(program: str) -> None:
    packages = PACKAGES[program]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise RuntimeError(f"these tests need {program}: install it, apt-get install {' '.join(packages)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # Somebody else may be installing something: dpkg is waited for as well.
    command = ["apt-get", "-q", "-y", "-o", f"DPkg::Lock::Timeout={PATIENCE}"]
    for what in (["update"], ["install", "--no-install-recommends", *packages]):
        subprocess.run([*command, *what], env=quiet, check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
