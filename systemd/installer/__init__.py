"""Puts Carrom Umpire on a machine, brings it up to date, and takes it off again without a trace.

Runs before anything is installed: the standard library, and of the program only what needs no more (the files of the
broker, the questions of `carrom init`). `layout` says what should be there (pure), `machine` is the only part that
touches the machine, `record` and `work` write down what is made before it is made, `broker` reads and tries a broker
that is there already, `failures` says in a line why a command failed (pure). `steps` installs, with `versions` for the
program and `own_broker`; `removal` takes off.
"""
