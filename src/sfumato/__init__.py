"""Turn personal data into data that can be published, and prove that it may be."""
