"""Models of documents, judged a second time by plain code."""
