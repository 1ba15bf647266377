"""What has left the house: an append-only, chained and signed memory of releases, and of privacy budgets that were spent."""
