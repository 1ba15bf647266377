"""Attacks on the sensitive values of groups: possible worlds and what they make likely."""
