"""What lists bring of this kind."""
