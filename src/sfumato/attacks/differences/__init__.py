"""What two releases tell together."""
