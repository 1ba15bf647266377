"""What goes in, as plain values: schema and roles, trees, coded and compressed tables."""
