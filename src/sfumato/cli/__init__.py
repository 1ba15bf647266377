"""The command line: words from the catalogue, arguments from the fields."""
