"""From a model to its equations, and from equations to readable source. The only place that knows SymPy."""
