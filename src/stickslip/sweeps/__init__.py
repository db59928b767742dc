"""Sweeps: one model at many parameter values, each motion observed after its transient."""
