"""One builder per file: how values of a column become more general."""
