"""One verb per file: resolve ids, call the parts, verify, report."""
