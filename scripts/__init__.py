"""Scripts of the workshop: what the Makefile calls. Not part of the installed package."""
