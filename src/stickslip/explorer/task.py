"""A job as a worker has it: what is asked, of which model, and where answers go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stickslip.explorer.defaults import period_of, view_of
from stickslip.explorer.view import Reader, Refused, table
from stickslip.model.system import Model

Reply = tuple[dict[str, Any], dict[str, Any]]
"""Fields of a header, and arrays."""


@dataclass(eq=False)
class Task:
    """A job: the request, the reader that makes its model, and how its frames are sent."""

    request: Mapping[str, Any]
    reader: Reader
    emit: Callable[[dict[str, Any], dict[str, Any]], None]
    is_stopped: Callable[[], bool] = field(default=lambda: False)

    @property
    def asked(self) -> dict[str, Any]:
        """The view as it came."""
        found = table(self.request, "view")
        if "model" not in found:
            raise Refused("the view names no model", "model")
        return found

    @cached_property
    def base(self) -> Model:
        """The model without the changes of the view."""
        return self.reader.base(self.asked)

    @cached_property
    def model(self) -> Model:
        """The model with its parameters and start."""
        return self.reader.model(self.asked)

    @cached_property
    def view(self) -> dict[str, Any]:
        """The whole view; what it does not say is as the model suggests."""
        whole = {"motion", "diagram", "map", "section", "basins"} <= self.asked.keys()
        return self.asked if whole else view_of(self.base, self.asked)

    @cached_property
    def period(self) -> float | None:
        """The period of the excitation."""
        return period_of(self.model)

    def send(self, arrays: Mapping[str, Any] | None = None, **fields: Any) -> None:
        """Send a frame that is not the last."""
        self.emit(dict(fields), dict(arrays or {}))
