"""What holds for the whole session of tests."""

from __future__ import annotations

import signal

# A shell that starts a job in the background has it ignore SIGINT, and whatever it starts inherits that: no test of
# Ctrl-C could pass, and the demos that it should end would be left running. A handler of our own is not inherited.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
