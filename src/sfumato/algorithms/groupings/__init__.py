"""Records put into groups that are published in another form than masked values."""
