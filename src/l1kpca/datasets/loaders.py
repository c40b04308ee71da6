"""The six outlier detection data sets of the paper's experiments, by name."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from l1kpca.datasets.catalog import DatasetInfo, info, names
from l1kpca.files import read_arrays

DATA_VARIABLE = "L1KPCA_DATA"
Contents = tuple[NDArray[np.float64], NDArray[np.int8], tuple[str, ...], str]
"""Rows, labels, names of the columns, and the source."""

# Rows of scikit-learn's data that ODDS drew, with replacement (41 comes twice), in file order.
_WBC_MALIGNANT = np.array(
    [41, 369, 414, 22, 239, 162, 214, 236, 91, 468, 105, 9, 536, 28, 182, 30, 26, 41, 108, 0, 501]
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with known outliers."""

    X: NDArray[np.float64]
    """(n_samples, n_features), unscaled and in the order of the source."""
    y: NDArray[np.int8]
    """Labels: 1 = outlier, 0 = inlier."""
    name: str
    feature_names: tuple[str, ...]
    """``x0, x1, ...`` where the source has none."""
    description: str
    """Where the values come from and what an outlier is."""
    source: str
    """The file that was read, or ``"scikit-learn"`` for built-in data."""


def load(
    name: str, data_dir: str | os.PathLike[str] | None = None, *, return_X_y: bool = False
) -> Any:
    """Load one of the six outlier detection data sets.

    ``wbc`` is built in: it is rebuilt from scikit-learn's breast cancer data and never read from
    a file. The other five are looked for as ``<name>.npz`` or ``<name>.mat`` (arrays ``X`` and
    ``y``) in `data_dir`, in the directory named by the environment variable ``L1KPCA_DATA``, and
    in the user's cache, in this order. A file whose size differs from the known one is refused.

    Parameters
    ----------
    name : str
        One of `names`.
    data_dir : path-like, optional
        A directory to look in first.
    return_X_y : bool, default=False
        Return only the pair ``(X, y)``.

    Returns
    -------
    data : Dataset, or (X, y)
        Rows, labels and where they come from.

    Examples
    --------
    >>> from l1kpca import datasets
    >>> data = datasets.load("wbc")
    >>> data.X.shape, int(data.y.sum()), data.feature_names[0]
    ((378, 30), 21, 'mean radius')
    >>> X, y = datasets.load("wbc", return_X_y=True)
    """
    facts = info(name)
    X, y, columns, source = _build_wbc() if facts.built_in else _read(facts, _places(data_dir))
    return (X, y) if return_X_y else Dataset(X, y, name, columns, facts.description, source)


def available(data_dir: str | os.PathLike[str] | None = None) -> list[str]:
    """Names of the data sets that `load` would find now.

    Parameters
    ----------
    data_dir : path-like, optional
        A directory to look in first, as for `load`.

    Returns
    -------
    names : list of str
        Built-in data sets and those with a file, in the order of `names`.
    """
    places = _places(data_dir)
    return [name for name in names() if info(name).built_in or _find(name, places)]


def default_cache_dir() -> Path:
    r"""The user's cache directory of this package, where `fetch` puts files.

    Returns
    -------
    path : Path
        ``$XDG_CACHE_HOME/l1kpca`` or ``~/.cache/l1kpca`` on Linux, ``~/Library/Caches/l1kpca`` on
        macOS, ``%LOCALAPPDATA%\l1kpca\l1kpca\Cache`` on Windows. It need not exist.
    """
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", str(home / "AppData" / "Local"))
        return Path(local) / "l1kpca" / "l1kpca" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "l1kpca"
    return Path(os.environ.get("XDG_CACHE_HOME", "").strip() or home / ".cache") / "l1kpca"


def _places(data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """Where to look, in this order."""
    if data_dir is not None and not Path(data_dir).is_dir():
        raise FileNotFoundError(
            f"data_dir={os.fspath(data_dir)!r} is not a directory; "
            "give one that holds <name>.npz or <name>.mat files."
        )
    given = (data_dir, os.environ.get(DATA_VARIABLE) or None)
    return [*(Path(place) for place in given if place is not None), default_cache_dir()]


def _find(name: str, places: list[Path]) -> Path | None:
    candidates = (place / f"{name}{suffix}" for place in places for suffix in (".npz", ".mat"))
    return next((path for path in candidates if path.is_file()), None)


def _read(facts: DatasetInfo, places: list[Path]) -> Contents:
    path = _find(facts.name, places)
    if path is None:
        raise FileNotFoundError(
            f"No {facts.name}.npz or {facts.name}.mat in {', '.join(map(str, places))}. "
            "Get it in one of three ways: pass data_dir, a directory that holds the file; "
            f"set the environment variable {DATA_VARIABLE} to such a directory; or download it "
            f"with datasets.fetch({facts.name!r}) (command line: l1kpca datasets fetch)."
        )
    X, y = _read_labelled(path)
    found, known = (*X.shape, int(y.sum())), (facts.n_samples, facts.n_features, facts.n_outliers)
    if found != known:
        raise ValueError(
            f"{path} is not the {facts.name} data set: it has {found[0]} rows, {found[1]} columns "
            f"and {found[2]} outliers instead of {known[0]}, {known[1]} and {known[2]}; "
            f"datasets.fetch({facts.name!r}) downloads the right file."
        )
    return X, y, tuple(f"x{column}" for column in range(X.shape[1])), str(path)


def _read_labelled(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """The rows ``X`` and the 0/1 labels ``y`` of a file."""
    arrays = read_arrays(path)
    missing = [key for key in ("X", "y") if key not in arrays]
    if missing:
        raise ValueError(
            f"{path} has no array {' and no array '.join(missing)}; "
            "it must hold X (rows) and y (1 = outlier, 0 = inlier)."
        )
    X, y = arrays["X"], np.asarray(arrays["y"]).ravel()  # MATLAB stores a vector as a matrix
    if not (np.issubdtype(X.dtype, np.number) and X.ndim == 2 and len(X) == len(y)):
        raise ValueError(
            f"{path} has X of shape {X.shape} and dtype {X.dtype} with {len(y)} labels in y; "
            "X must be a numeric matrix with one label for each row."
        )
    if not np.isfinite(X).all():
        raise ValueError(f"{path} has missing or infinite values in X; all must be finite.")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"{path} has labels other than 0 and 1 in y; 1 = outlier, 0 = inlier.")
    return np.ascontiguousarray(X, dtype=np.float64), y.astype(np.int8)


def _build_wbc() -> Contents:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 (slow, and needed here alone)

    raw = load_breast_cancer()
    low, high = raw.data.min(axis=0), raw.data.max(axis=0)
    scaled = (raw.data - low) / (high - low)  # over all 569 rows, before any is dropped
    benign = np.flatnonzero(raw.target == 1)
    X = scaled[np.concatenate([benign, _WBC_MALIGNANT])]
    y = (np.arange(len(X)) >= len(benign)).astype(np.int8)
    return X, y, tuple(map(str, raw.feature_names)), "scikit-learn"
