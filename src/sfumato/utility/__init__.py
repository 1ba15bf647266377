"""What the release is still good for."""
