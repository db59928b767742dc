"""Orbits and equilibria: orbit, equilibria, follow."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.commands.options import (
    Eps,
    Eta,
    Forcing,
    OfModel,
    OrbitMethodName,
    OrbitOrModel,
    Parameter,
    Plots,
    Shape,
    plots,
    saved,
)
from stickslip.cli.declare import command


class Search(OfModel):
    """Which orbit is meant: a model (or a saved orbit) with its parameters, and where to look."""

    model: OrbitOrModel
    period: Annotated[
        float | None,
        typer.Option(
            metavar="TIME",
            help="About how long a period is; by default the motion from the start is watched until it repeats.",
        ),
    ] = None
    forcing: Forcing = None
    method: OrbitMethodName = "exact"
    eps: Eps = None
    shape: Shape = None
    eta: Eta = None
    rtol: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Relative tolerance of a step (switch, smoothing).")
    ] = None
    unstable: Annotated[
        bool, typer.Option("--unstable", help="An unstable orbit that the motion passes by will do, as in chaos.")
    ] = False

    @property
    def is_saved(self) -> bool:
        """Whether MODEL is the file of an orbit."""
        return self.model.endswith(".nc")


@command("orbit", "orbits")
class Orbit(Search):
    """Find a periodic orbit, exactly, with its stability.

    Near a start and a period the orbit may be unstable. Several orbits (--all) go to numbered files. Ctrl-C stops; the
    orbits found until then are printed, saved and drawn all the same.
    """

    starts: Annotated[
        int | None, typer.Option("--all", metavar="N", help="All orbits that N random starts lead to.")
    ] = None
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random starts.")] = 0
    plot: Annotated[
        list[Path],
        plots("Draw into this file: phase, history, friction, modes or multipliers, as its name says, else phase."),
    ] = []
    save: Annotated[Path | None, saved("the orbit")] = None


@command("equilibria", "equilibria")
class Equilibria(OfModel):
    """Find where a model rests or slides steadily, with the stability.

    Where contacts stick, masses rest in a whole interval. --start says near which state to look first.
    """

    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write them to one table (.csv), or to a file each (.nc).")
    ] = None


@command("follow", "branches")
class Follow(Search):
    """Follow a periodic orbit or an equilibrium along a parameter and print its bifurcations.

    Ctrl-C stops; the branch until then is printed, saved and drawn all the same.
    """

    parameter: Parameter
    to: Annotated[
        list[float],
        typer.Option(
            "--to",
            metavar="VALUE",
            help="The value to go to; given twice, both ways from the present one.",
            show_default=False,
        ),
    ]
    equilibrium: Annotated[
        bool, typer.Option("--equilibrium", help="Follow the equilibrium (nearest to --start), not an orbit.")
    ] = False
    step: Annotated[float | None, typer.Option(metavar="PART", help="The longest step, as a part of the way.")] = None
    most: Annotated[int, typer.Option(metavar="N", help="The largest number of orbits in one direction.")] = 500
    branches: Annotated[
        bool, typer.Option("--branches", help="Also follow what bifurcates at flips and branch points, once.")
    ] = False
    quantity: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="What to draw: period, multipliers, 'max x.block', 'max |x.block|', x.block for both."
        ),
    ] = None
    plot: Plots = []
    save: Annotated[Path | None, saved("the branch (several are numbered)")] = None
