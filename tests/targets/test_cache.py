"""The cache of compiled models: what others wrote, and what is damaged, is never executed; without it all works."""

import errno
import inspect
import marshal
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.faults.cache import DAMAGES, PROGRAM

import stickslip as ss
from stickslip import files
from stickslip.field import compile_balance, compile_forcing, compile_forms, compile_smooth, compile_stiff, lane_program
from stickslip.targets import cache, compiler, cpu
from stickslip.targets.generated import Generated

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and rights are those of POSIX")
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be two users")
MINE, THEIRS = 65501, 65502
"""Two users without any rights."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a cache that is empty."""
    monkeypatch.setenv("STICKSLIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_said", set())
    return tmp_path / "cache"


@pytest.fixture
def fresh(monkeypatch):
    """Nothing is compiled in this process yet, and nothing stays."""
    for name in [name for name in sys.modules if name.startswith("stickslip_model_")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(cpu, "program", cpu.program.__wrapped__)
    yield
    forget()


@pytest.fixture
def stage():
    """A folder that all users can reach, with a copy of the package in it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        package = Path(ss.__file__).parent
        shutil.copytree(package, place / "src" / "stickslip", ignore=shutil.ignore_patterns("__pycache__"))
        yield place


SHARE = """
import io, linecache, os, sys, tracemalloc
from contextlib import redirect_stdout
from pathlib import Path
with redirect_stdout(io.StringIO()):  # root, who can read every library, imports all that is needed
    exec({program!r})
from stickslip.targets import compiler, cpu, generated
cpu.program.cache_clear()
for name in [name for name in sys.modules if name.startswith("stickslip_model_")]:
    del sys.modules[name]
for number, folder in enumerate(sys.argv[1:]):
    output = [os.open(f"{{number}}.{{name}}", os.O_CREAT | os.O_WRONLY) for name in ("out", "err")]
    child = os.fork()
    if not child:
        os.dup2(output[0], 1), os.dup2(output[1], 2)
        os.setgroups([]), os.setgid({user}), os.setuid({user})
        os.environ["STICKSLIP_CACHE"] = folder
        {before}
        exec({program!r})
        sys.stdout.flush(), sys.stderr.flush(), os._exit(0)
    Path(f"{{number}}.code").write_text(str(os.waitpid(child, 0)[1]))
"""


def run(stage, folder):
    """Run the program with that folder for the cache: exit code, output, errors."""
    environment = os.environ | {"PYTHONPATH": str(stage / "src"), "STICKSLIP_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


def run_as(user, stage, folders, before="", **variables):
    """The same as another user, with each of several folders."""
    environment = os.environ | {"PYTHONPATH": str(stage / "src")} | variables
    with tempfile.TemporaryDirectory() as outputs:
        environment["STICKSLIP_CACHE"] = str(Path(outputs) / "cache")
        command = SHARE.format(program=PROGRAM, user=user, before=before)
        subprocess.run(
            [sys.executable, "-c", command, *map(str, folders)], env=environment, cwd=outputs, check=True, timeout=120
        )
        texts = [
            [(Path(outputs) / f"{n}.{name}").read_text() for name in ("code", "out", "err")]
            for n in range(len(folders))
        ]
    return [(int(code), output, errors) for code, output, errors in texts]


def forget():
    """As in a fresh process: nothing is compiled."""
    for name in [name for name in sys.modules if name.startswith("stickslip_model_")]:
        del sys.modules[name]


def numbers():
    field = ss.Field.of(ss.models.block_on_belt(), order=6)
    return field.propagate(np.array([[1.1, 0.0]]), 20.0, rtol=1e-6)[0]


# -- what is kept ---------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_what_is_written_is_read_and_nobody_else_can_change_it(folder, mask):
    before = os.umask(mask)
    try:
        cache.write("model_a.o", b"machine code")
    finally:
        os.umask(before)
    assert cache.read("model_a.o") == b"machine code"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in folder.iterdir()] == ["model_a.o"]
    assert (folder / "model_a.o").stat().st_mode & 0o022 == 0


@posix
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_what_is_damaged_is_noticed_and_written_anew(folder, damage):
    for seed in range(8):
        draw = random.Random(seed)
        content = draw.randbytes(2000)
        cache.write("model_a.o", content)
        cache.write("model_b.o", content)  # the same content under another name is another file
        damage(folder / "model_a.o", draw)
        whole = (folder / "model_a.o").is_file() and cache.read("model_a.o") == content
        assert cache.read("model_a.o") == (content if whole and damage.__name__ == "zeroed" else None)
        cache.write("model_a.o", content)
        assert cache.read("model_a.o") == content


def test_files_that_were_exchanged_are_noticed(folder):
    cache.write("model_a.o", b"a")
    cache.write("model_b.o", b"b")
    (folder / "model_a.o").replace(folder / "model_b.o")
    assert cache.read("model_b.o") is None


@posix
def test_a_link_is_removed_not_followed(folder, tmp_path):
    cache.write("model_a.o", b"whole")
    (folder / "model_a.o").replace(tmp_path / "elsewhere")
    (folder / "model_a.o").symlink_to(tmp_path / "elsewhere")
    assert cache.read("model_a.o") is None
    assert (tmp_path / "elsewhere").exists() and not (folder / "model_a.o").is_symlink()


@posix
@pytest.mark.parametrize("kind", [stat.S_IFREG, stat.S_IFDIR])
@pytest.mark.parametrize(
    ("owner", "mode", "trusted"),
    [
        ("mine", 0o700, True), ("mine", 0o755, True), ("root", 0o755, True),
        ("theirs", 0o700, False), ("theirs", 0o755, False),
        ("mine", 0o720, False), ("mine", 0o702, False), ("root", 0o777, False), ("mine", 0o1777, False),
    ],
)  # fmt: skip
def test_whose_files_are_trusted(kind, owner, mode, trusted):
    user = {"mine": os.geteuid(), "root": 0, "theirs": os.geteuid() + 1}[owner]
    status = os.stat_result((kind | mode, 0, 0, 1, user, 0, 0, 0, 0, 0))
    assert (cache._problem(status) is None) == trusted


@needs_root
def test_a_file_of_somebody_else_is_not_read(folder):
    cache.write("model_a.o", b"whole")
    os.chown(folder / "model_a.o", THEIRS, THEIRS)
    assert cache.read("model_a.o") is None
    assert not (folder / "model_a.o").exists()


def test_the_folder_does_not_grow_without_limit(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 4500)
    cache.write("model_first.o", b"")
    cache._make_room.cache_clear()
    now = time.time()
    for age, name in enumerate(["model_4.o", "model_3.o", "model_2.o", "model_1.o", ".model_killed.o"]):
        (folder / name).write_bytes(bytes(1000))
        os.utime(folder / name, (now - 9000 + 1000 * age,) * 2)
    (folder / ".model_being_written.o").write_bytes(b"")
    (folder / "notes.txt").write_bytes(bytes(9000))
    cache.write("model_new.o", bytes(1000))
    left = {file.name for file in folder.iterdir()}
    assert left == {
        "model_first.o", "model_3.o", "model_2.o", "model_1.o", "model_new.o", ".model_being_written.o", "notes.txt",
    }  # fmt: skip


# -- folders that are not used --------------------------------------------------------------------------------


def foreign(place):
    place.mkdir()
    os.chown(place, THEIRS, THEIRS)


def open_to_all(place):
    place.mkdir()
    place.chmod(0o777)


def open_to_a_group(place):
    place.mkdir()
    place.chmod(0o770)


def linked(place):
    place.with_name("own").mkdir(mode=0o700)
    place.symlink_to(place.with_name("own"))


def a_file(place):
    place.write_text("")


@posix
@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        pytest.param(foreign, f"is shared: it belongs to another user, number {THEIRS}", marks=needs_root),
        (open_to_all, "is shared: other users may write to it"),
        (open_to_a_group, "is shared: other users may write to it"),
        (linked, "is a link"),
        (a_file, "cannot be used"),
    ],
)
def test_a_folder_that_is_not_ones_own_is_not_used_and_it_is_said_once(folder, fresh, made, sentence):
    made(folder)
    with pytest.warns(UserWarning, match=sentence) as said:
        assert cache.folder() is None
        cache.write("model_a.o", b"content")
        assert cache.read("model_a.o") is None
    assert len(said) == 1
    assert str(folder) in str(said[0].message) and "STICKSLIP_CACHE" in str(said[0].message)
    assert folder.is_file() or list(folder.iterdir()) == []


def test_without_a_home_there_is_no_cache(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("STICKSLIP_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(cache, "_said", set())
    with pytest.warns(UserWarning, match="has no home"):
        assert cache.folder() is None


@posix
def test_everything_is_compiled_in_memory(folder, fresh):
    open_to_all(folder)
    model = ss.models.forced_oscillator()
    with pytest.warns(UserWarning, match="shared"):
        field = ss.Field.of(model, order=6)
    plain = ss.Field.of(model, target="python", order=6)
    z = np.array([0.3, 0.1])
    for a, b in zip(field.jacobian(z, 0.2), plain.jacobian(z, 0.2), strict=True):
        assert np.array_equal(a, b)
    starts = np.array([[0.3, 0.1]])
    ends = [f.propagate(starts, 3.0, rtol=1e-4)[0] for f in (field, plain)]
    assert np.allclose(ends[0], ends[1], rtol=0, atol=1e-12)
    assert inspect.getsource(plain.program.march).startswith("def march")
    assert lane_program(model, 6).kernels.machine.LANES > 1
    for made in (compile_balance, compile_forms, compile_forcing):
        assert made(model)
    assert compile_smooth(model, "tanh") and compile_stiff(model, "tanh")
    assert list(folder.iterdir()) == []


# -- disks that are full --------------------------------------------------------------------------------------


def test_a_full_disk_is_said_once_and_the_work_goes_on(folder, fresh, monkeypatch):
    expected = numbers()

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    shutil.rmtree(folder)
    forget()
    monkeypatch.setattr(files, "put_on_disk", full)
    with pytest.warns(UserWarning, match="cannot be written to .*No space left") as said:
        assert np.array_equal(numbers(), expected)
    assert len(said) == 1 and str(folder) in str(said[0].message)
    assert list(folder.iterdir()) == []  # nothing half written either


@needs_root
def test_a_small_disk(stage, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k,mode=700", "tmpfs", disk], check=False).returncode:
        pytest.skip("no disk can be mounted here; the test above stands for it")
    try:
        code, output, errors = run(stage, disk)
        left = list(disk.iterdir())
    finally:
        subprocess.run(["umount", disk], check=True)
    assert code == 0 and len(output) > 50
    assert errors.count("No space left on device") == 1 and errors.count("Warning") == 1
    assert not any(file.name.startswith(".") for file in left)


@posix
def test_a_warm_cache_that_cannot_be_written_is_used(folder, fresh, monkeypatch):
    expected = numbers()
    before = {file.name: file.stat().st_mtime for file in folder.iterdir()}
    folder.chmod(0o500)
    monkeypatch.setattr(compiler, "machine_code", None)  # whoever compiles fails
    forget()
    assert np.array_equal(numbers(), expected)
    folder.chmod(0o700)
    assert before == {file.name: file.stat().st_mtime for file in folder.iterdir()}


@needs_root
def test_a_cache_of_root_serves_others_who_can_read_it(stage):
    folder = stage / "cache"
    warm = run(stage, folder)
    folder.chmod(0o755)
    before = {file.name: file.stat().st_mtime for file in folder.iterdir()}
    (done,) = run_as(MINE, stage, [folder], before="compiler.machine_code = cpu.flat_functions = None")
    assert done == warm == (0, warm[1], "")
    assert before == {file.name: file.stat().st_mtime for file in folder.iterdir()}


# -- two users ------------------------------------------------------------------------------------------------


def planted(names, folder, marker):
    """Files that would leave a mark if they were executed, under all names, with a seal that is right."""
    attack = f"open({str(marker)!r}, 'a').write('executed')\n"
    contents = {
        ".py": attack.encode(),
        ".code": marshal.dumps(compile(attack, "attack", "exec")),
        ".o": b"\x7fELF" + bytes(1000),
    }
    for name in names:
        content = contents[Path(name).suffix]
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_bytes(content + cache._seal(name, content))
        os.chown(folder / name, THEIRS, THEIRS)
        (folder / name).chmod(0o644)


@needs_root
def test_two_users(stage):
    """One plants files wherever the other might look; nothing of it is executed, and every run is right."""
    marker, shared = stage / "marker", stage / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    home = stage / "home"
    home.mkdir()
    os.chown(home, MINE, MINE)
    (warm,) = run_as(MINE, stage, [home / "cache"])
    assert warm == (0, warm[1], "") and warm[1]
    names = [file.name for file in (home / "cache").iterdir()]
    assert {Path(name).suffix for name in names} == {".py", ".code", ".o"}
    marker.write_text("")
    marker.chmod(0o666)

    def folder(place, owner, mode):
        place.mkdir()
        planted(names, place, marker)
        os.chown(place, owner, owner)
        place.chmod(mode)
        return place

    temporary = folder(shared / f"stickslip-{MINE}", THEIRS, 0o777)
    theirs = folder(shared / "theirs", THEIRS, 0o755)
    once_open = folder(shared / "once_open", MINE, 0o700)  # others could write to it when they did
    still_open = folder(shared / "still_open", MINE, 0o777)
    link = shared / "link"
    link.symlink_to(theirs)
    os.chown(link, THEIRS, THEIRS, follow_symlinks=False)
    closed = stage / "closed"  # nobody but root can write here
    closed.mkdir(mode=0o755)
    planted(names, home / "cache", marker)
    cases = {
        "own folder with files of others": (home / "cache", ""),
        "own folder that was open": (once_open, ""),
        "own folder that is open": (still_open, "is shared: other users may write"),
        "folder of another": (theirs, "is shared: it belongs to another user"),
        "link of another": (link, "is a link"),
        "no folder, one in the temporary place": (closed / "cache", "cannot be used"),
        "temporary place": (temporary, "is shared"),
    }
    places = [place for place, _ in cases.values()]
    runs = run_as(MINE, stage, places, TMPDIR=str(shared), HOME=str(home))
    for (case, (_, sentence)), (code, output, errors) in zip(cases.items(), runs, strict=True):
        assert (code, output) == (0, warm[1]), (case, errors)
        assert (sentence in errors) if sentence else not errors, (case, errors)
    assert marker.read_text() == ""
    for place in (home / "cache", once_open):
        assert {(place / name).stat().st_uid for name in names if (place / name).exists()} == {MINE}
    assert (home / "cache").stat().st_mode & 0o777 == 0o700  # nor can anybody read the models of others


# -- modules --------------------------------------------------------------------------------------------------


def test_threads_get_whole_modules(folder, fresh):
    """A module that another thread is still executing is not there yet."""
    text = "import time\ntime.sleep(0.05)\nVALUE = 7\n"
    joined = [Generated("threads", lambda: text) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        modules = list(pool.map(lambda one: (one.module(), one.module().VALUE), joined))
    assert len({id(module) for module, _ in modules}) == 1
    assert {value for _, value in modules} == {7}


def test_machine_code_belongs_to_its_text_and_its_machine(folder, fresh, monkeypatch):
    """Another SymPy may write another text under the same key, and homes are shared between machines."""
    one, other = (Generated("parts", lambda text=text: text) for text in ("A = 1\n", "A = 2\n"))
    assert one.part("x86", "o") != one.part("arm", "o")
    shutil.rmtree(folder)
    assert one.part("x86", "o") != other.part("x86", "o")
    known = compiler.machine_name()
    assert known == compiler.machine_name()
    for name, value in (("get_host_cpu_name", "other"), ("get_default_triple", "arm64-apple-darwin")):
        with monkeypatch.context() as patch:
            patch.setattr(compiler.llvm, name, lambda value=value: value)
            assert compiler.machine_name() != known
    monkeypatch.setattr(compiler.llvmlite, "__version__", "0.0")
    assert compiler.machine_name() != known


@pytest.mark.filterwarnings("error")
def test_a_cache_of_ones_own_is_silent(folder, fresh):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = numbers()
    assert np.array_equal(first, numbers()) and list(folder.iterdir())
