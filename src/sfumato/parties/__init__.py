"""Several holders, one release: protocols in which each keeps its rows, and nobody learns more than what is published."""
