"""A process of a crew: `python -m stickslip.papers.worker OUT [quick]`.

It reads keys and names of items from stdin, a line for each, recomputes them, and answers with lines of JSON: warnings,
and in the end that the item is done, or why it is not.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from stickslip.papers.catalogue import paper
from stickslip.papers.keeping import Failed, attempt


def main() -> None:
    """Recompute what is asked for until there is nothing more."""
    out, quick = Path(sys.argv[1]), "quick" in sys.argv[2:]
    warnings.showwarning = lambda message, *where, **more: _tell(warning=str(message))
    for line in sys.stdin:
        key, name = line.split()
        (item,) = paper(key).choose([name])
        found = attempt(item, out, quick)
        if isinstance(found, Failed):
            _tell(failed=found.sentence, is_write=found.is_write)
        else:
            _tell(done=True)


def _tell(**told: Any) -> None:
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
