"""Procedures with a promise of their own: noise, draws, sanitized points."""
