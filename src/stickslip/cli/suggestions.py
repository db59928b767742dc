"""What a shell completes: models, parameters, states, methods."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def models(incomplete: str) -> list[str]:
    """The models of the library, and the model files in the folder that is being typed."""
    from stickslip.model.library import LIBRARY

    folder = Path(incomplete).parent if "/" in incomplete else Path()
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    return _beginning([*LIBRARY, *(str(path) for path in found)], incomplete)


def parameters(model: Any, incomplete: str) -> list[str]:
    """NAME= for every parameter of a model."""
    return _beginning((f"{name}=" for name in _of(model, "parameters")), incomplete)


def parameter_names(model: Any, incomplete: str) -> list[str]:
    """Every parameter of a model."""
    return _beginning(_of(model, "parameters"), incomplete)


def states(model: Any, incomplete: str) -> list[str]:
    """NAME= for every state of a model."""
    return _beginning((f"{name}=" for name in _of(model, "states")), incomplete)


def methods(incomplete: str) -> list[str]:
    """The words for methods."""
    from stickslip.cli.methods import CLASSES

    return _beginning(CLASSES, incomplete)


def papers(incomplete: str) -> list[str]:
    """The keys of the papers."""
    from stickslip.papers.catalogue import catalogue

    return _beginning(catalogue(), incomplete)


def items(key: str, incomplete: str) -> list[str]:
    """The items of a paper."""
    from stickslip.papers.catalogue import catalogue

    return _beginning((item.name for item in catalogue()[key].items) if key in catalogue() else (), incomplete)


def _of(model: Any, what: str) -> Iterable[str]:
    """What a model has; nothing where there is no such model yet: nobody wants an error while typing."""
    from stickslip.cli import arguments

    try:
        return tuple(getattr(arguments.read_model(model or ""), what))
    except (ValueError, OSError):
        return ()


def _beginning(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
