"""The papers, recomputed: the catalogue, the runner, the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stickslip import files
from stickslip.cli.running import app
from stickslip.errors import WriteError
from stickslip.papers import (
    Failed,
    Item,
    Printed,
    Recomputed,
    Value,
    catalogue,
    keeping,
    paper,
    recompute,
    write_gallery,
)
from stickslip.papers.catalogue import ORDER
from stickslip.papers.found import PARAMETER, Row, rows
from stickslip.papers.gallery import _numbers, _tally
from stickslip.papers.source import coloured, source_of


def figures(*numbers: object) -> set[str]:
    return {f"fig{number}" for number in numbers}


EXPECTED = {
    "leine1998": {*figures(2, 3, 4, 5, 6, 8, 9, 10), "cost"},
    "wiercigroch1994": {*figures(1, 3, 4, 5, 6), "autocorrelation"},
    "vandevrande1999": {*figures("2b", 3, 5, "6b", 7), *(f"table{number}" for number in range(1, 6)), "table3-limit"},
    "hinrichs1998": {
        *figures(*range(3, 11), "12b", "13b", 21, 22, 23, 26, 27, 28, 30, "31b"),
        *("return-map", "exponents", "basins", "embedding"),
    },
    "awrejcewicz2002": {*figures(*range(2, 12)), "table1"},
}
"""Every figure and table that can be recomputed: those of computations, not of drawings and measurements."""


def test_the_papers_are_these():
    assert tuple(EXPECTED) == ORDER and catalogue().keys() <= EXPECTED.keys()


@pytest.mark.parametrize("label", [item.label for each in catalogue().values() for item in each.items])
def test_every_item_is_a_figure_or_table_of_its_paper(label):
    key, name = label.split()
    assert name in EXPECTED[key] or not name.startswith(("fig", "table")), "it is not on the list"


@pytest.mark.parametrize("key", [key for key in catalogue() if len(catalogue()[key].items) > 1])
def test_the_catalogue_of_a_paper_is_whole(key):
    assert EXPECTED[key] <= {item.name for item in catalogue()[key].items}


@pytest.mark.parametrize(
    ("printed", "value", "agrees"),
    [
        ("0.081", 0.0814999, True),
        ("0.081", 0.0815001, False),
        ("2.9e-1", 0.294, True),
        ("2.9e-1", 0.296, False),
        ("1.00e-2", 0.010049, True),
        ("1.00e-2", 0.010051, False),
        ("123", 123, True),
        ("123", 124, False),
        ("123", float("nan"), False),
        ("chaotic", "chaotic", True),
        ("chaotic", "periodic", False),
    ],
)
def test_agreement_is_decided_by_the_printed_digits(printed, value, agrees):
    assert Printed("q", printed).agrees(value) is agrees


def test_a_printed_number_that_is_not_computed_is_refused():
    printed = [Printed("e", "0.1", {"ε": 1e2}), Printed("e", "0.2", {"ε": 1e3})]
    with pytest.raises(LookupError, match="not computed"):
        rows("paper", "item", printed, [Value("e", 0.1, at={"ε": 100})])


@pytest.mark.parametrize("key", catalogue())
def test_every_item_has_words_and_a_function(key):
    names = [item.name for item in catalogue()[key].items]
    assert len(names) == len(set(names))
    for item in catalogue()[key].items:
        assert item.title and item.caption and item.says
        assert item.recompute.__doc__


def test_every_printed_number_is_one():
    """Digits are what stands in the catalogue; no number is taken for a word by a slip."""
    for item in (item for each in catalogue().values() for item in each.items):
        for printed in item.printed:
            assert printed.is_word == (re.fullmatch(r"-?[\d.]+(e-?\d+)?", printed.number) is None), item.label


def test_the_page_counts_what_is_printed():
    """docs/papers.md says how many parameters, numbers and words the catalogues have."""
    printed = [each for paper in catalogue().values() for item in paper.items for each in item.printed]
    results = [each for each in printed if not each.quantity.startswith(PARAMETER)]
    words = sum(each.is_word for each in results)
    page = " ".join((Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8").split())
    counts = f"{len(printed) - len(results)} parameters and {len(results)} results, {len(results) - words} of them"
    assert f"{counts} numbers and {words} words" in page


# -- running -----------------------------------------------------------------------------------------------------------

FIGURE_2 = paper("leine1998").choose(["fig2"])


def test_an_item_that_is_done_is_not_done_again(tmp_path):
    (first,) = recompute(FIGURE_2, tmp_path, quick=True)
    changed = first.file("svg").stat().st_mtime_ns
    (again,) = recompute(FIGURE_2, tmp_path, quick=True)
    assert again == first and first.file("svg").stat().st_mtime_ns == changed
    (full,) = recompute(FIGURE_2, tmp_path, quick=False)
    assert not full.quick and full.file("svg").stat().st_mtime_ns > changed


def test_what_is_whole_is_not_replaced_by_less(tmp_path):
    """--quick is content with what was done in full, which may have taken much longer."""
    (full,) = recompute(FIGURE_2, tmp_path, quick=False)
    made = full.file("json").stat().st_mtime_ns
    (again,) = recompute(FIGURE_2, tmp_path, quick=True)
    assert again == full and not again.quick and full.file("json").stat().st_mtime_ns == made


def test_changed_code_makes_it_anew(tmp_path, monkeypatch):
    (first,) = recompute(FIGURE_2, tmp_path, quick=True)
    changed = first.file("svg").stat().st_mtime_ns
    monkeypatch.setattr(keeping, "code_of", lambda key: "other")
    (again,) = recompute(FIGURE_2, tmp_path, quick=True)
    assert again.rows == first.rows and again.file("svg").stat().st_mtime_ns > changed


@pytest.mark.parametrize("suffix", ["svg", "png", "json"])
def test_what_was_lost_is_made_again(tmp_path, suffix):
    (first,) = recompute(FIGURE_2, tmp_path, quick=True)
    first.file(suffix).unlink()
    assert keeping.kept(FIGURE_2[0], tmp_path) is None
    (again,) = recompute(FIGURE_2, tmp_path, quick=True)
    assert again.file(suffix).is_file()


def test_processes_give_what_one_gives(tmp_path):
    """Two workers, cheap items of two papers; the same rows as in this process, each item once."""
    items = [*FIGURE_2, *paper("awrejcewicz2002").choose(["fig3", "fig4"])]
    told: list[tuple[str, int, int]] = []
    together = recompute(items, tmp_path / "two", quick=True, workers=2, report=lambda *each: told.append(each))
    found = {each.item.label: each for each in together}
    alone = {each.item.label: each for each in recompute(items, tmp_path / "one", quick=True)}
    assert {label: each.rows for label, each in found.items()} == {label: each.rows for label, each in alone.items()}
    assert told[-1][1:] == (3, 3) and all(each.file("png").is_file() for each in found.values())


BROKEN = Item("leine1998", "figx", "Figure X", "", "", "friction.nothing")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_fails_does_not_stop_the_others(tmp_path, workers, monkeypatch):
    """In this process a function that is missing; in others an item that they do not know."""
    items = [BROKEN, *FIGURE_2, *paper("awrejcewicz2002").choose(["fig4"])]
    found = list(recompute(items, tmp_path, quick=True, workers=workers))
    (failed,) = [each for each in found if isinstance(each, Failed)]
    assert failed.item is BROKEN and failed.sentence
    assert sorted(each.item.label for each in found if isinstance(each, Recomputed)) == [
        "awrejcewicz2002 fig4",
        "leine1998 fig2",
    ]


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    (first,) = recompute(FIGURE_2, tmp_path, quick=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def full(path: Path) -> None:
        if path.suffix == ".png":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "put_on_disk", full)
    with pytest.raises(WriteError, match=r"leine1998 fig2 is not kept: .* No space left on device"):
        list(recompute(FIGURE_2, tmp_path, quick=False))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert keeping.kept(FIGURE_2[0], tmp_path) == first


def test_what_a_killed_process_left_is_swept_up(tmp_path):
    left = tmp_path / "leine1998" / ".unfinished-abc"
    left.mkdir(parents=True)
    (left / "fig2.svg").write_text("half")
    list(recompute(FIGURE_2, tmp_path, quick=True))
    assert not left.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_ctrl_c_keeps_what_is_done(tmp_path):
    """A whole paper by two processes; when the first items are there, Ctrl-C: they stay, whole, and have their page."""
    command = [sys.executable, "-m", "stickslip", "paper", "hinrichs1998", "--quick", "--out", "out", "--json", "-"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 120
        while not list(tmp_path.glob("out/*/*.json")) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1.0)  # the first one has been told, too
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (3, "")
    kept = {path.stem for path in tmp_path.glob("out/hinrichs1998/*.json")}
    assert {row["item"] for row in json.loads(out)} <= kept and 1 <= len(kept) < 22
    assert not list(tmp_path.glob("out/*/.unfinished-*"))
    assert check_links(tmp_path / "out") > 3


# -- the gallery -------------------------------------------------------------------------------------------------------


class Links(HTMLParser):
    """What a page refers to, what can be referred to on it, and whether its elements are closed."""

    VOID = ("meta", "img", "br", "source", "link")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.alternatives: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.targets += [found[name] for name in ("href", "src", "srcset") if name in found]
        self.names |= {found["id"]} if "id" in found else set()
        if tag == "img":
            self.alternatives.append(found["alt"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_links(folder: Path) -> int:
    """Check that all that pages refer to is in the folder; how many references there are."""
    pages = {path.name: Links(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}
    count = 0
    for name, page in pages.items():
        assert page.open == [] and all(page.alternatives)
        for target in page.targets:
            if target.startswith("https://doi.org/"):
                continue  # a link to the network; nothing of the page comes from there
            assert "://" not in target and not target.startswith("/")
            place, _, mark = target.partition("#")
            assert (folder / (place or name)).is_file(), target
            assert not mark or mark in pages[place or name].names, target
            count += 1
    return count


@pytest.fixture(scope="module")
def gallery(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("gallery")
    items = [*FIGURE_2, *paper("awrejcewicz2002").choose(["fig3", "fig6"])]
    list(recompute(items, out, quick=True))
    return write_gallery(out).parent


def test_links_and_pictures_of_the_gallery_exist(gallery):
    assert check_links(gallery) > 20
    assert {path.name for path in gallery.glob("*.html")} == {"index.html", "leine1998.html", "awrejcewicz2002.html"}


def test_a_page_shows_the_words_the_numbers_and_the_code(gallery):
    page = (gallery / "awrejcewicz2002.html").read_text(encoding="utf-8")
    (item,) = paper("awrejcewicz2002").choose(["fig6"])
    assert item.caption in page and "0.99289<" in page and "agrees" in page
    assert 'def</span> <span class="d">sign' in page and "ss.plot.panels" in page
    assert "Not recomputed in this folder" in page  # the other items


def test_parameters_that_are_not_printed_are_not_counted():
    """Those that are printed are folded as long as they are all as printed."""
    given = [Row("p", "i", f"parameter {name}", {}, 1.0, 0.0) for name in "ab"]
    same, other = replace(given[0], printed=1.0, printed_digits=1, agrees=True), given[1]
    assert "<details><summary>Parameters: 1 of 1 as printed" in _numbers([same, other])
    off = replace(other, printed=2.0, printed_digits=1, agrees=False)
    assert "<details open><summary>Parameters: 1 of 2 as printed" in _numbers([same, off])


def test_numbers_words_and_parameters_are_counted_apart():
    """Parameters that are as printed say nothing of results: the bar is that of numbers and words."""
    parameter = Row("p", "i", "parameter a", {}, 1.0, 0.0, 1.0, 1, True)
    number, word = (
        replace(parameter, quantity="e", agrees=False),
        replace(parameter, quantity="motion", printed="chaotic"),
    )
    page = _tally([parameter, parameter, number, word], "1 of 1 items")
    assert "As printed: 0 of 1 numbers, 1 of 1 words, 2 of 2 parameters. 1 of 1 items." in page
    assert "width:50.0%" in page and "width" not in _tally([parameter], "1 of 1 items")


def test_pages_need_no_network_and_no_scripts(gallery):
    for path in gallery.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<script|@import|url\(|<link", text)
        assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_pages_on_a_full_disk_stay_as_they_are(gallery, monkeypatch):
    before = {path: path.read_bytes() for path in gallery.glob("*.html")}

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "put_on_disk", full)
    with pytest.raises(WriteError, match="No space left on device"):
        write_gallery(gallery)
    assert {path: path.read_bytes() for path in gallery.glob("*.html")} == before
    assert not [path for path in gallery.iterdir() if path.name.startswith(".") and path.suffix == ".html"]


@pytest.mark.parametrize("key", catalogue())
def test_coloured_source_is_the_source(key):
    """Without the marks and with the signs that were escaped it is what stands in the file."""
    from html import unescape

    for item in catalogue()[key].items:
        source = source_of(item)
        assert unescape(re.sub(r"<[^>]+>", "", coloured(source))) == source.rstrip()
        compile(source, item.label, "exec")
        assert f"def {item.function.partition('.')[2]}(" in source


# -- the command line --------------------------------------------------------------------------------------------------


def run(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(each) for each in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_papers_are_listed():
    code, out, _ = run("papers")
    assert code == 0 and all(key in out for key in catalogue()) and "fig12b" in out


@pytest.mark.parametrize("arguments", [("--quick",), ("--out", "gallery"), ("--quick", "--json", "-")])
def test_a_list_is_not_taken_for_a_gallery(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("papers", *arguments)
    assert code == 1 and "go with --all" in err and err.count("\n") == 1 and not out
    assert list(tmp_path.iterdir()) == []


def test_rows_as_json(tmp_path: Path):
    code, out, _ = run("paper", "leine1998", "fig2", "--quick", "--out", tmp_path, "--json", "-")
    assert code == 0
    rows = json.loads(out)
    assert {row["agrees"] for row in rows} == {True} and list(rows[0]) == [
        *("paper", "item", "quantity", "parameters", "value", "accuracy"),
        *("printed", "printed_digits", "agrees", "note"),
    ]
    run("paper", "leine1998", "fig2", "--quick", "--out", tmp_path, "--json", tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text()) == json.loads(out)
    assert (tmp_path / "leine1998.html").is_file() and (tmp_path / "index.html").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path):
    """`--json /dev/null` by root would leave a file there, in which everybody's output piles up."""
    pipe = tmp_path / "rows.json"
    os.mkfifo(pipe)
    code, out, err = run("paper", "leine1998", "fig2", "--quick", "--out", tmp_path / "out", "--json", pipe)
    assert code == 1 and not out and pipe.is_fifo() and not (tmp_path / "out").exists()
    assert err.startswith("error: cannot write '") and err.endswith(": that is a device or a pipe, not a file\n")
    with pytest.raises(WriteError, match="a device or a pipe"), files.output_file(pipe):
        pass
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def test_a_failure_is_a_line_and_an_exit_code(tmp_path, monkeypatch):
    from stickslip.papers.leine1998 import friction

    def broken(quick: bool) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(friction, "fig2", broken)
    code, out, err = run("paper", "leine1998", "fig2", "--quick", "--out", tmp_path, "--json", "-")
    assert (code, json.loads(out)) == (3, []) and err == "error: leine1998 fig2: RuntimeError: no such luck\n"


def test_a_folder_in_use(tmp_path):
    with files.held(tmp_path / ".stickslip-papers"):
        code, _, err = run("paper", "leine1998", "fig2", "--out", tmp_path)
    assert code == 1 and "is in use by process" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("leine98",), "there is no paper 'leine98' (did you mean 'leine1998'?)"),
        (("leine1998", "fg2"), "leine1998 has no item 'fg2' (did you mean 'fig2'?)"),
        (("leine1998", "fig2", "--json", "/nowhere/rows.json"), "there is no folder '/nowhere'"),
        (("leine1998", "fig2", "--out", "/dev/null/x"), "cannot write into '/dev/null/x': Not a directory"),
        (("leine1998", "fig2", "--out", "/proc/x"), "cannot write into '/proc/x'"),
    ],
)
def test_bad_input_is_one_line(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("paper", *arguments)
    assert code == 1 and sentence in err and err.count("\n") == 1 and not out
    assert list(tmp_path.iterdir()) == []
