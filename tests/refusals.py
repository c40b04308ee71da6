"""Errors that are stated to the letter."""

import re

import pytest


def refuses(text, error=ValueError):
    """Expect the error with this text, the whole of it."""
    return pytest.raises(error, match=rf"\A{re.escape(text)}\Z")
