"""Plain second judgement of requirements on several tables."""
