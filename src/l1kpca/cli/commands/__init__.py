"""One file for each command: parse the options, call one function, show what it returns."""
