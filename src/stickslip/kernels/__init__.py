"""Integration loops on plain numbers: the only place that has them.

These files run as plain Python, under numba, and on other targets, from one source: a target joins them with the
generated functions of a model into a single module. They import numpy and math alone, and each other.

A trajectory lives in two flat arrays: W (float64) and I (int64). Names in capitals are offsets into them and sizes, all
known when the source is generated; `model.py` lists them. Two arrays and constant offsets compile several times faster,
and run faster, than many arrays with shapes.
"""
