"""For your tests and ours: data strategies and the common checks that every thing inherits."""
