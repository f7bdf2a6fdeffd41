"""Topics, payloads, the broker's client. Does not know how a ruling comes about."""
