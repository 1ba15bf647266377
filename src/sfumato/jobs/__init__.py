"""A verb in a worker process: a book of jobs that survives a restart, events, cancelling, leases with a fencing token."""
