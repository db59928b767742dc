"""Leine, van Campen, de Kraker, van den Steen (1998): stick-slip vibrations induced by alternate friction models."""
