"""What may be published to whom, and the protocol of publishing."""
