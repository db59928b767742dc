"""Five papers on stick and slip, every figure and table of them recomputed.

    for done in recompute(paper("leine1998").items, Path("papers"), quick=True):
        print(done.item.title, done.rows)

On the command line it is `stickslip paper leine1998`; `stickslip papers` lists what there is.

How to add a paper
------------------
A paper is a folder here with the name of its key, which stands in `ORDER` of `catalogue.py`:

- `__init__.py` with a docstring, nothing else;
- `catalogue.toml`, what there is to recompute, as data: `title`, `authors`, `source`, `doi`, `about` (two sentences),
  and for each figure or table an `[[item]]` with `name` ("fig3", "table1", "return-map"), `title` ("Figure 3"),
  `function` ("module.name" in this folder), `caption` (what is shown, in our words), `says` (what the text says of it),
  `chosen` (which values were chosen, and why, where the paper gives none), and `printed`: every number that the text or
  the table prints, as a string with its digits, {quantity = "e", at = {ε = 1e2}, number = "2.9e-1", note = "…"}. `at`
  are the parameters at which it holds; a word may stand for a number ("chaotic"). A `note` says why, where it is not
  reproduced;
- modules with one short function per item, with the numbers of equations and figures in its docstring:

      def fig3(quick: bool) -> Found:
          run = ss.simulate(ss.models.block_on_belt(), t=60)
          return Found(ss.plot.phase(run), [Value("period", period, accuracy=1e-9)], data=run)

  `picture` is what `ss.plot` returns; for several axes, `left, right = ss.plot.panels(2)`. `values` has one `Value`
  for every printed number, with the same `quantity` and `at` (the runner refuses an item that leaves one out), and more
  where that is worth it. `data` is what is drawn, kept as a NetCDF file. `quick` may take fewer points, and no fewer
  values.

Functions of items use public names alone, `import stickslip as ss`: what takes more than a few lines is a gap, to be
closed there. Values agree where they round to what is printed. `recomputed.py` runs items, `keeping.py` keeps them in
files, `gallery.py` writes the pages; none of them knows any paper.
"""

from stickslip.papers.catalogue import Item, Paper, catalogue, paper
from stickslip.papers.found import Found, Printed, Row, Value
from stickslip.papers.gallery import write_gallery
from stickslip.papers.keeping import Failed, Recomputed
from stickslip.papers.recomputed import recompute

__all__ = [
    "Failed",
    "Found",
    "Item",
    "Paper",
    "Printed",
    "Recomputed",
    "Row",
    "Value",
    "catalogue",
    "paper",
    "recompute",
    "write_gallery",
]
