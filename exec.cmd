@rem `exec` of a POSIX shell, for npm scripts on Windows: there a command line has no shell to replace.
@%*
