"""Whose record, and whose value: attacks that link what is known with what is published."""
