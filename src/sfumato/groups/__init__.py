"""Sizes and histograms of groups of records that look alike, as arrays; models and metrics read only these."""
