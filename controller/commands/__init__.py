"""One file a command of `carrom`: arguments in, the packages' work, lines and an exit code out."""
