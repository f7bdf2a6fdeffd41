"""Camera sources, looks of the pieces, finding and following them, the eyes' process. Knows no rules."""
