"""A small distribution that brings things of its own."""
