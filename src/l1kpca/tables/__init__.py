"""From a file or a DataFrame to numbers, and back; nothing in here computes with them.

`sources` reads a `table`, an `encoder` turns its columns into numbers, `output` writes it again.
"""
