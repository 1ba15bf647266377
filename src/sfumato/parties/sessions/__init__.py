"""A session from one holder's view: what is shown, sealed and signed, and what it ends with."""
