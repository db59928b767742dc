"""Generated text as a whole."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import hashlib
import stickslip as ss
from stickslip.symbolic.equal_parts import series_source
from stickslip.symbolic.equations import derive
from stickslip.symbolic.lanes import lane_source
from stickslip.symbolic.source import Source
text = ""
for model in (ss.models.forced_oscillator("III"), ss.models.two_blocks()):
    equations = derive(model)
    text += lane_source(equations, 8) + Source(equations, 8).module()
text += series_source(derive(ss.models.chain(12)), 8)
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_the_text_is_always_the_same():
    """Whatever Python's hashes are: else the last bits of results would change from one cache to another."""
    found = set()
    for seed in ("0", "2", "5"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
