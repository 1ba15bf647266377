"""A toy shape: one list of words for each person."""
