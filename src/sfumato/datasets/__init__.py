"""The tables of the papers, deterministic generators, and loaders for public data."""
