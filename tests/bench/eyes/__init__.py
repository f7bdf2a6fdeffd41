"""The parts of `bench_eyes`: each yields its own figures and can be run alone."""
