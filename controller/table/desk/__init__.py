"""The one place where everything that happens comes in: ruled, written down, then published."""
