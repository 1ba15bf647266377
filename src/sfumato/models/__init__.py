"""One privacy model per file."""
