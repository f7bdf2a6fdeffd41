"""Where frames come from: cameras, streams and recordings behind one small protocol. Knows nothing of carrom."""
