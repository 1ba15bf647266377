"""Plain second judgement of requirements on baskets."""
