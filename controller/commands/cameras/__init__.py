"""Cameras by their modes: what one is asked for, what is known of it, which grade it reaches, what `init` writes."""
