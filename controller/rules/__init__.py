"""Plays by any rulebook: a pure function (state, event) → (state, ruling). No clocks, files, threads or pixels."""
