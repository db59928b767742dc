"""Hinrichs, Oestreich, Popp (1998): on the modelling of friction oscillators."""
