"""Groups of owners, made from written tables."""
