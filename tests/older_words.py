"""Messages of other packages in the words of their newest versions.

Tests state messages to the letter. Some are those of scikit-learn, NumPy or typer, which say the
same in other words in older versions that are allowed too.
"""

import re

_OLDER = {
    # NumPy 1; the newest has it both ways, so both sides of a comparison are to be put in its words
    r"string to float: '(\w+)'": r"string to float: np.str_('\1')",
    # pandas 2
    r"'pandas\.core\.series\.Series'": "'pandas.Series'",
    # scikit-learn 1.6
    r"with dim (\d+)\. (\w+) expected <= (\d+)\.": (
        r"with dim \1, while dim <= \3 is required by \2."
    ),
    # typer and click
    r"No such command 'explode'\. Add": "No such command 'explode'. Did you mean 'reproduce'? Add",
    r"Missing argument 'DATA'\.": "Missing argument 'data'.",
    r"'--seed': -\d+ is not in the range 0<=x<=\d+\.": (
        "'--seed': Input should be greater than or equal to 0."
    ),
    r"'--seed': \d+ is not in the range 0<=x<=(\d+)\.": (
        r"'--seed': Input should be less than or equal to \1."
    ),
}  # fmt: skip


def in_newest_words(text):
    """The same message as the newest versions say it."""
    for older, newest in _OLDER.items():
        text = re.sub(older, newest, text)
    return text
