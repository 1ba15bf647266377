"""Algorithms that empty single cells and leave every other value as it is."""
