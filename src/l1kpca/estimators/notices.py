"""Warnings that point at the line of the user, however deep in the library they arise."""

import inspect
import warnings

_NOT_THE_USER = ("l1kpca", "sklearn")


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the first line on the way up that is neither ours nor scikit-learn's."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None and _package(frame.f_globals) in _NOT_THE_USER:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, category, stacklevel=depth)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
