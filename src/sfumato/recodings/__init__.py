"""The published form of a column: cuts, levels, intervals, suppressed values; saved and applied again."""
