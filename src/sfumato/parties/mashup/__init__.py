"""The joint search as one holder of some columns sees it: its steps and those of others, what is said, checked and audited."""
