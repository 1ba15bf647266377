"""One level per column: the lattice of full-domain generalizations and the ways to walk it."""
