"""The figures: `make bench` runs every `bench_*.py` here and prints what was measured, reached or not."""
