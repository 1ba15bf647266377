"""Plain second judgement of the models of graphs: the standard library alone."""
