"""How each kind of release makes groups of its written parts; one file for each."""
