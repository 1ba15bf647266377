"""Where rows live: Polars in memory, DuckDB beyond it, behind one contract; sources and writers of every format."""
