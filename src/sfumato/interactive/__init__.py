"""Questions instead of tables: a holder keeps the records and answers, under audit or with noise that is paid for."""
