"""What protocols are made of: ciphers, masks, comparisons and counts in which nobody shows a number."""
