"""What may be told to whom, and the protocol by which it is told."""
