"""A view may come with the link of anybody, and its script is run by who opens it: no text gets out of its quotes."""

import ast
import json

import pytest
from tests.explorer.scripts import ALLOWED, calls_in

from stickslip.errors import StickslipError
from stickslip.explorer.scripts import script
from stickslip.explorer.task import Task
from stickslip.explorer.view import Reader

BELT = {"model": {"library": "block_on_belt"}, "motion": {"t": 20.0}}
MODEL = """
[mass.block]
m = 1.0
[spring.spring]
between = ["block", "ground"]
k = 1.0
"""
BREACHES = ['"', '\\"', "\n", '"""', "\\", '")\n', "'", "\r", '\\"""', "{x}", "\\\\", '"""\n', "é"]


@pytest.mark.parametrize("breach", BREACHES)
def test_no_text_gets_out_of_its_quotes(breach):
    hostile = f'x{breach}\n__import__("os").system("false")#'
    views = [
        {"section": {"on": "release", "x": "x.block", "y": hostile}, "show": "section"},
        {"diagram": {"quantity": hostile}},
        {"parameters": {hostile: 1.0}},
        {"start": {hostile: 1.0}},
        {"model": {"library": "forced_oscillator", "arguments": {"characteristic": hostile}}},
        {"model": {"library": "forced_oscillator", "arguments": {hostile: 1}}},
        {"model": {"text": f"# {hostile}".replace("\n", " ").replace("\r", " ") + MODEL}},
        {"model": {"text": f"title = {json.dumps(hostile)}" + MODEL}},
    ]
    written = 0
    for parts in views:
        task = Task({"view": {**BELT, **parts}}, Reader(), lambda fields, arrays: None)
        try:
            text = script(task)[0]["script"]
        except StickslipError:
            continue
        written += 1
        assert calls_in(text) <= ALLOWED
        if "text" in parts.get("model", {}):
            assigned = {each.targets[0].id: each.value for each in ast.parse(text).body if isinstance(each, ast.Assign)}
            assert ast.literal_eval(assigned["MODEL"]) == parts["model"]["text"]
    assert written >= 2
