"""The system test (`make test-system`): the installer is run in a virtual machine, and a table is lived through there.

Not part of `make test`: it emulates a whole computer for an hour. What it showed stands in docs/build.md ("Where this
was tried").
"""
