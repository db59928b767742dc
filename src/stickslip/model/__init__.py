"""Nouns of mechanics: parts, friction laws, systems, the library of classic models, model files.

Nothing here computes motion, and nothing here imports a numerical library.
"""
