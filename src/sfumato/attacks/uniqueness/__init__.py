"""Who stands out: sets of columns that single people out, and estimates for the population."""
