"""Releases of a series as they are written, read by plain code."""
