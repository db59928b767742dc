"""The site: it is built without a warning, asks the network for nothing, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import stickslip as ss

ROOT = Path(__file__).parents[1]
pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]


class Page(HTMLParser):
    """What a page loads, what it links to, and the places in it that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("next", "prev", "index", "search"):
            self.loads.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    out = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--quiet", "docs", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_no_page_asks_the_network_for_anything(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 100
    for path, page in pages.items():
        assert not [each for each in page.loads if urlsplit(each).netloc], path
    for path in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")), path


def test_a_search_reads_no_page(site: Path) -> None:
    """A browser does not let a page on the disk read another one."""
    options = (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")
    assert re.search(r"SHOW_SEARCH_SUMMARY: false\b", options)


def test_what_pages_load_and_link_to_is_there(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for target in (*page.loads, *page.links):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert file.exists(), f"{path.relative_to(site)} leads to {target}"
            if parts.fragment and file in pages:
                assert unquote(parts.fragment) in pages[file].places, f"{path.relative_to(site)} leads to {target}"


def test_every_public_name_has_a_page(pages: dict[Path, Page]) -> None:
    places = set().union(*(page.places for page in pages.values()))
    for name in ss.__all__:
        thing = getattr(ss, name)
        if name != "__version__" and not hasattr(thing, "__path__") and type(thing).__name__ != "module":
            assert {f"stickslip.{name}", f"stickslip.errors.{name}"} & places, name


def test_formulas_are_drawn_by_the_script_beside_the_pages(site: Path, pages: dict[Path, Page]) -> None:
    with_formulas = [path for path in pages if 'class="math' in path.read_text(encoding="utf-8")]
    for path in with_formulas:
        assert [each for each in pages[path].loads if "mathjax/tex-svg-full.js" in each], path
    assert (site / "_static" / "mathjax" / "tex-svg-full.js").stat().st_size > 10**6
