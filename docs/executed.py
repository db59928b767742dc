"""Pages whose code is run: by the tests, which compare what is printed, and by Sphinx, which shows the pictures.

In a page, in the order in which they stand:

- ```python is run, all blocks of a page in one scope and one folder;
- ```console: its lines that begin with `$ stickslip` are run as commands;
- ```toml or ```csv whose first line is a comment with the name of a file, `# slide.toml`, is written to that file;
- ```output after a block is what the block prints. A number agrees within one unit of its last digit; `…` stands for
  any words, and a line `…` for any lines.

What is not to be run is a {code-block}. Pictures that a block saves are shown from `computed/PAGE/`, where PAGE is the
path of the page below docs with dashes, without its ending: `![caption](/computed/studies-brake/flutter.svg)`. A page
whose front matter says `nightly: true` takes long, and is run by `make nightly`.

As an extension of Sphinx it runs the pages whose text or whose library has changed since, before they are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
COMPUTED = HERE / "computed"
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+−]?(?:\d+(?:,\d{3})+|\d+)?\.?\d+(?:e[-+]?\d+)?")


class Block(NamedTuple):
    """A block of a page: its language, its text, and the line where it begins."""

    language: str
    text: str
    line: int


class Differs(AssertionError):
    """A page that says something else than its code."""


def blocks(page: Path) -> list[Block]:
    """The blocks of a page.

    >>> [each.language for each in blocks(HERE / "papers.md")][:2]
    ['', 'python']
    """
    text = page.read_text(encoding="utf-8")
    return [Block(found[2].strip(), found[3], text.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(text)]


def is_nightly(page: Path) -> bool:
    """Whether a page takes long."""
    return bool(re.match(r"---\n(?:.*\n)*?nightly: true\n(?:.*\n)*?---\n", page.read_text(encoding="utf-8")))


def name_of(page: Path) -> str:
    """The name of a page in `computed/`."""
    return "-".join(page.relative_to(HERE).with_suffix("").parts)


def run(page: Path, folder: Path) -> dict[str, Any]:
    """Run a page in a folder, compare what it prints with what it says, and return what its Python has made."""
    scope: dict[str, Any] = {"__name__": "page"}
    printed = ""
    with contextlib.chdir(folder):
        for block in blocks(page):
            if block.language == "output":
                _compare(block, printed, page)
            elif block.language == "python":
                with contextlib.redirect_stdout(io.StringIO()) as caught:
                    # Lines are those of the page, so that an error says where it is.
                    exec(compile("\n" * block.line + block.text, str(page), "exec", dont_inherit=True), scope)
                printed = caught.getvalue()
            elif block.language == "console":
                printed = "".join(_command(line, page) for line in block.text.splitlines() if line.startswith("$ "))
            elif block.language in ("toml", "csv") and (name := re.match(r"# (\S+\.\w+)\n", block.text)):
                Path(name[1]).write_text(block.text, encoding="utf-8")
    return scope


def _command(line: str, page: Path) -> str:
    """What a command prints; commands that are not ours are for the reader alone."""
    words = shlex.split(line[2:], comments=True)
    if words[:1] != ["stickslip"]:
        return ""
    from typer.testing import CliRunner

    from stickslip.cli import app

    result = CliRunner().invoke(app, words[1:])
    if result.exit_code:
        raise Differs(f"{page.name}: {line}\n{result.output}")
    return result.output


def _compare(block: Block, printed: str, page: Path) -> None:
    left = iter(printed.splitlines())
    wanted = block.text.splitlines()
    for number, line in enumerate(wanted):
        if line.strip() == "…":
            rest = wanted[number + 1 :]
            left = _skipped(left, rest[0] if rest else None)
            continue
        found = next(left, None)
        if found is None or not agrees(line, found):
            raise Differs(f"{page.name}, line {block.line + number + 1}: it says\n  {line}\nand prints\n  {found}")
    more = next(left, None)
    if more is not None:
        raise Differs(f"{page.name}, line {block.line}: it prints also\n  {more}")


def _skipped(lines: Iterator[str], until: str | None) -> Iterator[str]:
    """The lines from the one on that agrees with `until`."""
    kept = list(lines)
    for number, line in enumerate(kept):
        if until is not None and agrees(until, line):
            return iter(kept[number:])
    return iter(())


def agrees(said: str, printed: str) -> bool:
    """Whether a line is what was printed: its words, and its numbers to the digits that it shows.

    >>> agrees("period 12.00103", "period 12.0010312948"), agrees("period 12.00103", "period 12.00105")
    (True, False)
    >>> agrees("The run … time.", "The run reached the end time."), agrees("7 flips", "8 flips")
    (True, False)
    """
    words = [".*?" if part == "…" else _literal(part) for part in re.split("(…)", " ".join(said.split()))]
    found = re.fullmatch("".join(words), " ".join(printed.split()))
    numbers = [each for part in said.split("…") for each in NUMBER.findall(part)]
    return found is not None and all(map(_near, numbers, found.groups()))


def _literal(text: str) -> str:
    """A pattern for words, with a group for each number."""
    pieces, end = [], 0
    for number in NUMBER.finditer(text):
        pieces += [re.escape(text[end : number.start()]), f"({NUMBER.pattern})"]
        end = number.end()
    return "".join([*pieces, re.escape(text[end:])])


def _near(said: str, printed: str) -> bool:
    """Within one unit of the last digit that is said; whole numbers are as they are."""
    said, printed = (each.replace("−", "-").replace(",", "") for each in (said, printed))
    if re.fullmatch(r"[-+]?\d+", said):
        return float(said) == float(printed)
    digits, _, power = said.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(float(said) - float(printed)) <= unit * (1 + 1e-9)


def pages() -> list[Path]:
    """The pages with code that is run."""
    return sorted(
        page for page in HERE.rglob("*.md") if {each.language for each in blocks(page)} & {"python", "console"}
    )


def _seal(page: Path) -> str:
    """What a page and the library are now: with the same, the pictures would be the same."""
    import stickslip

    digest = hashlib.sha256(page.read_bytes() + Path(__file__).read_bytes())
    for source in sorted(Path(stickslip.__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def compute(page: Path) -> None:
    """Run a page for its pictures, unless they are there."""
    folder = COMPUTED / name_of(page)
    mark = folder / ".done"
    seal = _seal(page)
    if mark.exists() and mark.read_text() == seal:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(page, folder)
    import matplotlib.pyplot as plt

    plt.close("all")
    mark.write_text(seal)


def _before_reading(app: Any) -> None:
    os.environ["MPLBACKEND"] = "agg"
    for page in pages():
        if f"/computed/{name_of(page)}/" in page.read_text(encoding="utf-8"):
            compute(page)


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("builder-inited", _before_reading)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:  # python docs/executed.py docs/studies/brake.md: run pages, and see
        compute(Path(name).resolve())
        print(f"{name}: right")
