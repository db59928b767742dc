"""What a script that the explorer wrote would call: read, not run."""

import ast

ALLOWED = {"ss", "np", "next", "loads"}
"""What a script may call, by the first name."""


def calls_in(text):
    """The first names of everything that a script calls or imports."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {{"numpy": "np", "stickslip": "ss"}.get(each.name, each.name) for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.Call):
            first = node.func
            while isinstance(first, ast.Attribute | ast.Call):
                first = first.value if isinstance(first, ast.Attribute) else first.func
            found.add(first.id)
    return found
