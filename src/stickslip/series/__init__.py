"""Analysis of time series: spectra, delay embedding, dimensions and exponents, from runs, tables or arrays.

    import stickslip as ss
    x = ss.series.from_run(run, "x.block", after=200)         # or from_events, from_csv, Series(values, interval)
    print(ss.series.largest_exponent(x))
    ss.plot.divergence(ss.series.largest_exponent(x))

docs/series.md says what each method can and cannot do.
"""

from stickslip.errors import SeriesError
from stickslip.series.data import Series, from_events, from_run
from stickslip.series.dimension import CorrelationDimension, correlation_dimension
from stickslip.series.embedding import Embedding, choose, embed, false_neighbours, mutual_information
from stickslip.series.exponent import LargestExponent, largest_exponent
from stickslip.series.sound import Sound, to_wav
from stickslip.series.spectra import autocorrelation, fundamental, spectrum
from stickslip.series.table import from_csv

__all__ = [
    "CorrelationDimension",
    "Embedding",
    "LargestExponent",
    "Series",
    "SeriesError",
    "Sound",
    "autocorrelation",
    "choose",
    "correlation_dimension",
    "embed",
    "false_neighbours",
    "from_csv",
    "from_events",
    "from_run",
    "fundamental",
    "largest_exponent",
    "mutual_information",
    "spectrum",
    "to_wav",
]


def __dir__() -> list[str]:
    return sorted(__all__)
