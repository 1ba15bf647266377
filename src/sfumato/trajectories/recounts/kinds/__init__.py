"""Plain reading of the kinds of releases of paths."""
