"""The shared words of the house: what is seen, felt, played, asked and ruled.

Plain frozen dataclasses and their JSON form. Knows nothing of any other room; every room may import it.
"""
