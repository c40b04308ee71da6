"""The six outlier detection data sets of the paper's experiments, by name."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from l1kpca.datasets.catalog import DatasetInfo, info, names
from l1kpca.datasets.files import SUFFIXES, read_labelled

DATA_VARIABLE = "L1KPCA_DATA"

# Rows of scikit-learn's data that ODDS drew, with replacement (41 comes twice), in file order.
_WBC_MALIGNANT = np.array(
    [41, 369, 414, 22, 239, 162, 214, 236, 91, 468, 105, 9, 536, 28, 182, 30, 26, 41, 108, 0, 501]
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with known outliers.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows, float64, unscaled and in the order of the source.
    y : ndarray of shape (n_samples,)
        int8 labels: 1 = outlier, 0 = inlier.
    name : str
        The name it was loaded by.
    feature_names : tuple of str
        One name for each column; ``x0, x1, ...`` where the source has none.
    description : str
        Where the values come from and what an outlier is.
    source : str
        The file that was read, or ``"scikit-learn"`` for built-in data.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int8]
    name: str
    feature_names: tuple[str, ...]
    description: str
    source: str


@overload
def load(
    name: str, data_dir: str | os.PathLike[str] | None = ..., *, return_X_y: Literal[False] = ...
) -> Dataset: ...
@overload
def load(
    name: str, data_dir: str | os.PathLike[str] | None = ..., *, return_X_y: Literal[True]
) -> tuple[NDArray[np.float64], NDArray[np.int8]]: ...
def load(
    name: str, data_dir: str | os.PathLike[str] | None = None, *, return_X_y: bool = False
) -> Dataset | tuple[NDArray[np.float64], NDArray[np.int8]]:
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
    data : Dataset
        Rows, labels and where they come from.

    Raises
    ------
    ValueError
        If the name is unknown, or the file is unreadable or holds other data.
    FileNotFoundError
        If `data_dir` is no directory, or the data set is in none of the places.

    Examples
    --------
    >>> from l1kpca import datasets
    >>> data = datasets.load("wbc")
    >>> data.X.shape, int(data.y.sum()), data.feature_names[0]
    ((378, 30), 21, 'mean radius')
    >>> X, y = datasets.load("wbc", return_X_y=True)
    """
    facts = info(name)
    data = _build_wbc(facts) if facts.built_in else _read(facts, _places(data_dir))
    return (data.X, data.y) if return_X_y else data


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

    Examples
    --------
    >>> from l1kpca import datasets
    >>> "wbc" in datasets.available()
    True
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

    Examples
    --------
    >>> from l1kpca import datasets
    >>> "l1kpca" in datasets.default_cache_dir().parts
    True
    """
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", str(home / "AppData" / "Local"))
        return Path(local) / "l1kpca" / "l1kpca" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "l1kpca"
    return Path(os.environ.get("XDG_CACHE_HOME", "").strip() or home / ".cache") / "l1kpca"


def _places(data_dir: str | os.PathLike[str] | None) -> list[Path]:
    places = []
    if data_dir is not None:
        if not Path(data_dir).is_dir():
            raise FileNotFoundError(
                f"data_dir={os.fspath(data_dir)!r} is not a directory; "
                "give one that holds <name>.npz or <name>.mat files."
            )
        places.append(Path(data_dir))
    if os.environ.get(DATA_VARIABLE):
        places.append(Path(os.environ[DATA_VARIABLE]))
    return [*places, default_cache_dir()]


def _find(name: str, places: list[Path]) -> Path | None:
    candidates = (place / f"{name}{suffix}" for place in places for suffix in SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def _read(facts: DatasetInfo, places: list[Path]) -> Dataset:
    path = _find(facts.name, places)
    if path is None:
        raise FileNotFoundError(
            f"No {facts.name}.npz or {facts.name}.mat in {', '.join(map(str, places))}. "
            "Get it in one of three ways: pass data_dir, a directory that holds the file; "
            f"set the environment variable {DATA_VARIABLE} to such a directory; or download it "
            f"with datasets.fetch({facts.name!r}) (command line: l1kpca datasets fetch)."
        )
    X, y = read_labelled(path)
    found, known = (*X.shape, int(y.sum())), (facts.n_samples, facts.n_features, facts.n_outliers)
    if found != known:
        raise ValueError(
            f"{path} is not the {facts.name} data set: it has {found[0]} rows, {found[1]} columns "
            f"and {found[2]} outliers instead of {known[0]}, {known[1]} and {known[2]}; "
            f"datasets.fetch({facts.name!r}) downloads the right file."
        )
    columns = tuple(f"x{column}" for column in range(X.shape[1]))
    return Dataset(X, y, facts.name, columns, facts.description, str(path))


def _build_wbc(facts: DatasetInfo) -> Dataset:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 (slow, and needed here alone)

    raw = load_breast_cancer()
    low, high = raw.data.min(axis=0), raw.data.max(axis=0)
    scaled = (raw.data - low) / (high - low)  # over all 569 rows, before any is dropped
    benign = np.flatnonzero(raw.target == 1)
    X = scaled[np.concatenate([benign, _WBC_MALIGNANT])]
    y = np.repeat(np.array([0, 1], dtype=np.int8), [len(benign), len(_WBC_MALIGNANT)])
    columns = tuple(str(column) for column in raw.feature_names)
    return Dataset(X, y, facts.name, columns, facts.description, "scikit-learn")
