"""Plain second judgements of requirements on a series: from written texts alone, with the standard library."""
