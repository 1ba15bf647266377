"""Numba functions on plain arrays: no classes, no column names, each with a numpy twin in the tests."""
