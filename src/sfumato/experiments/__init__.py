"""The papers' experiments, run again: one per file, the printed figures beside ours."""
