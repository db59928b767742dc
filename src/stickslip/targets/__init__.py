"""How the joined source of model and kernels is run: compiled for the CPU, or as plain Python."""
