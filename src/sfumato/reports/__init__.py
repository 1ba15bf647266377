"""Results as text and as one self-contained HTML file."""
