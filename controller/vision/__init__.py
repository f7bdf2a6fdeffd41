"""Camera sources, looks of the pieces, finding and following them, the vision process. Knows no rules."""
