"""One file for each command: a function, or a group of commands, with the name of its module."""
