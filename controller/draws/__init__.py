"""Who plays whom: from an event's entries to its fixtures, round by round, and its standings.

Pure: what comes in are tables that were read from files, what goes out are matches and rows. Every lot comes from the
event's seed. Must not know a file, a clock or the broker; of the program it knows `controller.events` alone, and
nothing of `controller.draws.checking`, which proves what is made here.
"""
