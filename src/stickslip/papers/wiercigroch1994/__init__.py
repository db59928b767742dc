"""Wiercigroch (1994): a numerical study of stick-slip phenomenon."""
