"""How the site is built: `make docs`. No page asks the network for anything."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))  # executed.py

os.environ["MPLBACKEND"] = "agg"

from sphinx.ext import autosummary  # noqa: E402
from sphinx_gallery.scrapers import figure_rst  # noqa: E402

import stickslip  # noqa: E402

project = "stickslip"
author = "stickslip developers"
copyright = "2026 stickslip developers, MIT License"
version = release = stickslip.__version__

extensions = [
    "executed",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "computed/examples", "**/README.txt"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # functions among the settings of the gallery, which cannot be pickled

# Pages are Markdown, docstrings reStructuredText in the form of numpydoc.
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
default_role = "py:obj"
autosummary_generate = True
# The first sentence of a docstring does not end at these.
autosummary.WELL_KNOWN_ABBREVIATIONS += ("Sec.", "Secs.", "Eq.", "Eqs.", "Fig.", "Figs.")
autodoc_typehints = "none"  # numpydoc's sections have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Formulas are drawn by the script beside the pages; its menu would load more scripts.
mathjax_path = "mathjax/tex-svg-full.js"
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "furo"
highlight_language = "text"  # blocks without a language are what a terminal shows
pygments_dark_style = "github-dark"
html_title = f"stickslip {release}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sphinx = False
html_show_search_summary = False  # pages that are opened from the disk may not read each other
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db8f5", "color-brand-content": "#7db8f5"},
}

# The examples write their pictures where they are run, so copies of them are run, in a folder that git ignores.
EXAMPLES = HERE / "computed" / "examples"
shutil.rmtree(EXAMPLES, ignore_errors=True)
EXAMPLES.mkdir(parents=True)
for script in sorted((ROOT / "examples").glob("*.py")):
    shutil.copy2(script, EXAMPLES)
(EXAMPLES / "GALLERY_HEADER.rst").write_text(
    "Gallery\n=======\n\nScripts of at most forty lines, each of which solves a task from the model to the picture.\n"
    "They lie in the folder ``examples`` of the project, and may be downloaded here.\n"
)


def written_pictures(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """The pictures that a script has written, for the gallery, which looks for open ones by itself."""
    paths: Iterator[str] = iter(variables["image_path_iterator"])
    taken = []
    for picture in sorted(EXAMPLES.glob("*.png"), key=lambda each: each.stat().st_mtime):
        taken.append(next(paths))
        shutil.move(picture, taken[-1])
    return figure_rst(taken, settings["src_dir"])


sphinx_gallery_conf = {
    "image_scrapers": (written_pictures,),
    "examples_dirs": str(EXAMPLES),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "capture_repr": (),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
}

FIRST = {
    "start": ["ten-minutes"],
    "tutorials": ["belt", "brake", "drill-string", "measured", "controller"],
    "theory": ["modes", "events", "saltation", "signatures", "sliding-bifurcations", "methods"],
    "studies": ["drill-string", "brake", "burridge-knopoff", "hunting-stage", "lugre", "methods-and-bifurcations"],
}
"""The order in which the pages of a folder are to be read; others follow by name."""


def list_pages(app: Any, document: str, source: list[str]) -> None:
    """The `*` in the contents of an index stands for the pages beside it. A glob of Sphinx has no order of its own."""
    folder = document.removesuffix("/index")
    if folder in FIRST:
        there = {each.stem for each in (HERE / folder).glob("*.md")} - {"index"}
        names = [name for name in FIRST[folder] if name in there]
        names += sorted(there - set(names))
        source[0] = source[0].replace(":glob:\n", "").replace("\n*\n", "\n" + "\n".join(names) + "\n")


def escape_bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """|v| in a docstring is an absolute value, not a substitution of reStructuredText."""
    example = False
    for number, line in enumerate(lines):
        example = (example and line.strip() != "") or line.lstrip().startswith(">>>")
        if not example:
            lines[number] = re.sub(r"(?<!\\)\|", r"\|", line)


def is_foreign(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Members that a Dataset of xarray or an exception of Python brings are described there."""
    home = getattr(getattr(thing, "fget", None) or getattr(thing, "func", None) or thing, "__module__", None)
    return True if home is not None and not str(home).startswith("stickslip") else None


def file_names() -> dict[str, str]:
    """Names that differ in capitals alone, `basins` and `Basins`, in files that every disk can tell apart."""
    modules = ["", "errors.", "identify.", "models.", "observe.", "plot.", "series."]
    names = []
    for module in modules:
        scope = getattr(stickslip, module[:-1]) if module else stickslip
        names += [f"stickslip.{module}{name}" for name in scope.__all__]
    small = {name for name in names if name == name.lower()}
    return {name: f"{name}-class" for name in names if name not in small and name.lower() in small}


autosummary_filename_map = file_names()


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("source-read", list_pages)
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    app.connect("autodoc-skip-member", is_foreign)
