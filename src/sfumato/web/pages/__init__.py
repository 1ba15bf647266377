"""The eight steps, one page each."""
