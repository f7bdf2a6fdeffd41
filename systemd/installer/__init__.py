"""Puts Carrom Umpire on a machine, brings it up to date, and takes it off again without a trace.

Runs before anything is installed: the standard library, and of the program only what needs no more (`controller.mqtt`'s
broker files). `layout` says what should be there (pure), `machine` is the only part that touches the machine, `record`
remembers what was made, `failures` says in a line why a command failed (pure), `steps` brings them together.
"""
