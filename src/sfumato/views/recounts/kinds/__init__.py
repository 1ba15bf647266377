"""Groups of written views."""
