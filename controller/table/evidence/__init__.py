"""Evidence of strokes: pictures and measurements, kept beside the work and drawn over."""
