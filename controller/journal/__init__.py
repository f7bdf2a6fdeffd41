"""The append-only record: raw edges in `observed`, the match in `events`. Knows no network."""
