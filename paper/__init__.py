"""The paper's figures and tables, run again: one file each (``python -m paper --help``)."""
