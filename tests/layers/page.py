"""The order of layers as docs/architecture.md prints it: the one place where it is written down."""

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


class Layer(NamedTuple):
    """A file or a folder of the package; its group; whether it is of the straight line from a model to a command."""

    group: str
    name: str
    straight: bool


def layers(text: str) -> list[Layer]:
    """The rows of the table, from left to right; a group is named in the first of its rows.

    >>> layers("| | layer | what |\\n|---|---|---|\\n| ground | `files.py` | paths |\\n| | **`model/`** | parts |")
    [Layer(group='ground', name='files.py', straight=False), Layer(group='ground', name='model/', straight=True)]
    """
    found: list[Layer] = []
    for group, bold, name in re.findall(r"(?m)^\|([^|`*]*)\| (\**)`([\w/]+(?:\.py|/))`\2 \|.*\|$", text):
        found.append(Layer(group.strip() or found[-1].group, name, bool(bold)))
    return found


def limits(text: str) -> dict[str, frozenset[str]]:
    """The layers that know less than their place allows, with all that they know.

    >>> limits("- `kernels/` knows nothing: it is joined.\\n- `plot/` knows only `model/`: data.")
    {'kernels/': frozenset(), 'plot/': frozenset({'model/'})}
    """
    found = re.findall(r"(?m)^- `([\w/.]+)` knows (nothing|only [^:]*): ", text)
    return {name: frozenset(re.findall(r"`([^`]+)`", known)) for name, known in found}


def exceptions(text: str) -> list[tuple[str, str]]:
    """The imports to the right, or in a circle, that the page names.

    >>> exceptions("- `model/a.py` → `symbolic/b.py`: a model shows its equations")
    [('model/a.py', 'symbolic/b.py')]
    """
    return re.findall(r"(?m)^- `([\w/]+\.py)` → `([\w/]+\.py)`: ", text)
