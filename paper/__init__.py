"""The paper's figures and tables, run again: one file each, and a page with verdicts.

Run from the root of the repository: ``python -m paper --help``, or ``make paper``.
"""
