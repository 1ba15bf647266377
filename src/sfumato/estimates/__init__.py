"""Statistics that two rooms use: uniqueness in a population, bounds of shares, moments of points."""
