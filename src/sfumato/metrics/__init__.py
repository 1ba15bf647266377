"""One information metric per file."""
