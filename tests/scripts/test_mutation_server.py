"""Which changes loaded functions can be given, and which need the package loaded anew."""

import pytest

from scripts.mutation_server import changes

TEXT = """
LIMIT = 3

class Box:
    size: int = 1

    def far(self, x, least=0):
        return [y for y in x if y > least]

def near(x):
    def within(y):
        return y < x + 1
    return within
"""


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("LIMIT", "LIMIT", []),
        ("y > least", "y >= least", ["far", "<listcomp>"]),
        ("x + 1", "x - 1", ["near", "within"]),
        ("return within", "return not within", ["near"]),
        ("LIMIT = 3", "LIMIT = 4", None),
        ("LIMIT = 3", "LIMIT = True", None),
        ("size: int = 1", "size: int = 2", None),
        ("least=0", "least=1", None),
    ],
)
def test_what_a_change_touches(before, after, names):
    pairs = changes(*(compile(text, "m", "exec") for text in (TEXT, TEXT.replace(before, after))))
    # Since Python 3.12 a list comprehension is part of its function.
    found = None if pairs is None else [old.co_name for old, _ in pairs]
    assert found == names or (found == ["far"] and names == ["far", "<listcomp>"])
