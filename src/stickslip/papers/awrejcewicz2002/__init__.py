"""Awrejcewicz, Olejnik (2002): self-excited chaotic oscillations with two degrees of freedom, by Hénon's method."""
