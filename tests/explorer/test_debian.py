"""Several processes of tests that miss a program: one installs it, and nobody gets in another's way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.explorer import debian

APT = """#!/bin/sh
# As apt-get: whoever comes while another one is at work fails.
mkdir "{here}/dpkg" || exit 100
echo "$@" >> "{here}/log"
sleep 0.3
case "$*" in *install*) printf '#!/bin/sh\\n' > "{here}/chromium"; chmod +x "{here}/chromium";; esac
rmdir "{here}/dpkg"
"""
PROGRAM = """
import os, pathlib, sys
from tests.explorer import debian
os.geteuid = lambda: 0
debian.LOCK = pathlib.Path(sys.argv[1])
print(debian.installed("chromium"))
"""


def test_one_installs_and_the_others_wait(tmp_path: Path) -> None:
    (tmp_path / "apt-get").write_text(APT.format(here=tmp_path))
    (tmp_path / "apt-get").chmod(0o755)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "mkdir", "rmdir", "sleep", "chmod"):
        (tools / name).symlink_to(Path("/bin") / name)
    paths = os.pathsep.join(map(str, [Path(debian.__file__).parents[2], *filter(None, sys.path)]))
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{tools}", "PYTHONPATH": paths}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "lock")]
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [each.communicate(timeout=60)[0].strip() for each in started] == [str(tmp_path / "chromium")] * 4
    first, second = (tmp_path / "log").read_text().splitlines()
    assert first.endswith("update") and "install" in second and "DPkg::Lock::Timeout" in second


def test_without_the_rights_it_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(debian, "LOCK", tmp_path / "lock")
    with pytest.raises(RuntimeError, match="apt-get install chromium"):
        debian.installed("chromium")
