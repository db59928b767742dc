"""Orbits and equilibria followed along parameters, with their bifurcations."""
