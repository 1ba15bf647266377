"""Boxes and cells: records recoded group by group."""
