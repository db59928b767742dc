"""Integration loops on plain numbers: the only place that has them.

A kernel file is a module of its own that imports numpy and math alone, and other kernels. What it knows of a model
comes from `model.py`, or for smoothed friction from `flow.py`: a target puts a generated module in that place
(`targets/modules.py`). From one source they run as plain Python and as machine code.

What lies in memory is a record, declared once with names (`records.py`): `trajectory.py` has that of the march; every
method of the literature has its own, next to its kernel. `targets/lower.py` makes places in flat arrays of the names.
"""
