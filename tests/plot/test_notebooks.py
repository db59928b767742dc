"""Notebooks executed in a real kernel: every picture appears, and so do the plots of the user."""

import nbformat
import pytest
from nbclient import NotebookClient

RUN = "import stickslip as ss\nrun = ss.simulate(ss.models.block_on_belt(), t=30)"
OWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
NINE = [f"ss.plot.{name}(run);" for name in ("phase", "history", "friction", "modes")] + [
    "ss.plot.characteristic(ss.Coulomb(0.4, 0.3));",
    "ss.plot.multipliers([1.0, 0.5]);",
    "ss.plot.phase(run, window=(10, 20));",
    "ss.plot.history(run, 'x.block');",
    "ss.plot.machine(ss.models.block_on_belt());",
]


def executed(cells: list[str]) -> list[int]:
    """How many images each cell shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=200, kernel_name="python3").execute()
    return [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells]


@pytest.mark.nightly
def test_all_pictures_appear_with_plots_of_the_user_between_them():
    between = [cell for picture in NINE for cell in (picture, "plt.plot([3, 1]);")]
    assert executed([RUN, NINE[0], OWN, *between]) == [0, 1, 1, *[1] * len(between)]


@pytest.mark.nightly
def test_the_plots_of_the_user_come_first():
    assert executed([RUN, OWN, "ss.plot.phase(run);", "plt.plot([1, 2]);"]) == [0, 1, 1, 1]


def test_two_pictures_in_one_cell_and_one_in_axes_of_the_user():
    both = "ss.plot.phase(run); ss.plot.friction(run);"
    given = "figure, ax = plt.subplots()\nss.plot.phase(run, ax=ax);"
    assert executed([RUN, both, "import matplotlib.pyplot as plt", given]) == [0, 2, 0, 1]


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("ss.plot.phase(run);", marks=pytest.mark.nightly),
        pytest.param("ss.plot.history(run);", marks=pytest.mark.nightly),
        pytest.param("import matplotlib.pyplot as plt; plt.plot([1]);", marks=pytest.mark.nightly),
    ],
)
def test_nothing_but_the_backend_changes_the_parameters_of_matplotlib(first):
    """What the first picture leaves behind is what the first plot of a notebook leaves behind, the last of these."""
    told = "changed = {k: v for k, v in matplotlib.rcParams.items() if before[k] != v}"
    made = f"import matplotlib; before = dict(matplotlib.rcParams); {first} {told}"
    executed([RUN, made, "assert changed == {'interactive': True}, changed"])


@pytest.mark.nightly
def test_a_notebook_that_is_not_interactive_stays_so():
    assert executed([RUN, OWN, "plt.ioff();", "ss.plot.phase(run);", "plt.show();"]) == [0, 1, 0, 0, 1]
