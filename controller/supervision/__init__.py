"""Threads that cannot die quietly. Knows nothing of a table: whoever runs one says what may go on how slowly."""
