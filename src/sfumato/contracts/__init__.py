"""What each kind of thing offers, and what it gets for free in return. No concrete things live here."""
