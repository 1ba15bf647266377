"""Plain second judgement of requirements on views."""
