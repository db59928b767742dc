"""Many trajectories: sweeps, maps, basins, exponents."""
