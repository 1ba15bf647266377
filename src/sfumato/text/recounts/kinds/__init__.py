"""Documents as they are written, read by plain code."""
