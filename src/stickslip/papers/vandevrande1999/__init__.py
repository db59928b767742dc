"""Van de Vrande, van Campen, de Kraker (1999): stick-slip vibrations by smoothing, shooting and path following."""
