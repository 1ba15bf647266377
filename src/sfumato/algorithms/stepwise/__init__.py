"""One refinement or generalization at a time, the best valid one first."""
