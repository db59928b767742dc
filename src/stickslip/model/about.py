"""`About`: where a model comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stickslip.model.listing import Listing


@dataclass(frozen=True)
class About(metaclass=Listing):
    """Where a model comes from, and what is known exactly about it.

    Parameters
    ----------
    name : str, default ""
        The name of the model.
    title : str, default ""
        The model in words, for headlines.
    source : str, default ""
        Where it is published.
    known : mapping of str to float, optional
        What is known exactly, by name: a period, an amplitude. Nothing by default.

    See Also
    --------
    System : has it as `system.about`.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.models.block_on_belt().about.known["period"]
    12.00103129483
    """

    name: str = ""
    title: str = ""
    source: str = ""
    known: Mapping[str, float] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """The model in words, for a headline."""
        return self.title or self.name or "a model"
