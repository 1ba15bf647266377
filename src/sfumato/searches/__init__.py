"""The few ways to search; each takes requirements and a metric."""
