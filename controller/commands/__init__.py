"""One file a command of `carrom`: arguments in, the rooms' work, lines and an exit code out."""
