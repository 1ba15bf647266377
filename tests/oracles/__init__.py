"""Naive twins: slow, short, and written from the definitions alone, so that fast code has something to be compared with."""
