"""Periodic orbits and equilibria: found, judged, kept."""
