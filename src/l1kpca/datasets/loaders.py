"""The six outlier detection data sets of the paper's experiments, by name."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from l1kpca.files import read_arrays

DATA_VARIABLE = "L1KPCA_DATA"

# Rows of scikit-learn's data that ODDS drew, with replacement (41 comes twice), in file order.
_WBC_MALIGNANT = np.array(
    [41, 369, 414, 22, 239, 162, 214, 236, 91, 468, 105, 9, 536, 28, 182, 30, 26, 41, 108, 0, 501]
)


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about one data set, without its values."""

    name: str
    n_samples: int
    n_features: int
    n_outliers: int
    description: str  #: Where the values come from and what an outlier is
    sha256: str  #: Of the pinned ``.mat`` file
    #: Of the GitHub repository ``yzhao062/pyod`` that holds that file; not every one has all files
    commit: str = "34f7996effac700a5166d882d5e94c6e6078fae3"
    built_in: bool = False  #: Whether `load` needs no file

    @property
    def path(self) -> str:
        """Path of the pinned file below the base address."""
        return f"{self.commit}/notebooks/data/{self.name}.mat"


_ENTRIES = json.loads(Path(__file__).with_name("catalog.json").read_text(encoding="utf-8"))
_CATALOG = {entry["name"]: DatasetInfo(**entry) for entry in _ENTRIES}


def names() -> list[str]:
    """Names of the data sets, which `load`, `fetch` and `info` take.

    Returns
    -------
    names : list of str
        In the order of the paper's tables.
    """
    return list(_CATALOG)


def info(name: str) -> DatasetInfo:
    """Size, origin and checksum of a data set, without loading it.

    Parameters
    ----------
    name : str
        One of `names`; any other is a ``ValueError``.

    Returns
    -------
    info : DatasetInfo
    """
    if name not in _CATALOG:
        known = ", ".join(_CATALOG)
        raise ValueError(f"name={name!r} is not a known data set; choose one of: {known}.")
    return _CATALOG[name]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with known outliers."""

    X: NDArray[np.float64]  #: (n_samples, n_features), unscaled and in the order of the source
    y: NDArray[np.int8]  #: Labels: 1 = outlier, 0 = inlier
    name: str
    feature_names: tuple[str, ...]  #: ``x0, x1, ...`` where the source has none
    description: str  #: Where the values come from and what an outlier is
    source: str  #: The file that was read, or ``"scikit-learn"`` for built-in data.


def load(
    name: str, data_dir: str | os.PathLike[str] | None = None, *, return_X_y: bool = False
) -> Any:
    """Load one of the six outlier detection data sets.

    ``wbc`` is built in. The others are looked for as ``<name>.npz`` or ``<name>.mat`` (arrays ``X``
    and ``y``) in `data_dir`, in the directory named by the environment variable ``L1KPCA_DATA``,
    and in the user's cache, in this order. A file of another size is refused.

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

    Examples
    --------
    >>> from l1kpca import datasets
    >>> data = datasets.load("wbc")
    >>> data.X.shape, int(data.y.sum()), data.feature_names[0]
    ((378, 30), 21, 'mean radius')
    """
    facts = info(name)
    data = _build_wbc(facts) if facts.built_in else _read(facts, _places(data_dir))
    return (data.X, data.y) if return_X_y else data


def available(data_dir: str | os.PathLike[str] | None = None) -> list[str]:
    """Names of the data sets that `load` would find now.

    Parameters
    ----------
    data_dir : path-like, optional
        A directory to look in first.

    Returns
    -------
    names : list of str
        In the order of `names`.
    """
    places = _places(data_dir)
    return [name for name, facts in _CATALOG.items() if facts.built_in or _find(name, places)]


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
        wrong = f"data_dir={os.fspath(data_dir)!r} is not a directory"
        raise FileNotFoundError(f"{wrong}; give one that holds <name>.npz or <name>.mat files.")
    given = (data_dir, os.environ.get(DATA_VARIABLE) or None)
    return [*(Path(place) for place in given if place is not None), default_cache_dir()]


def _find(name: str, places: list[Path]) -> Path | None:
    candidates = (place / f"{name}{suffix}" for place in places for suffix in (".npz", ".mat"))
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
    arrays = read_arrays(path)
    X, y = (np.asarray(arrays.get(name, ())) for name in ("X", "y"))
    y = y.ravel()  # MATLAB stores a vector as a matrix
    numeric = np.issubdtype(X.dtype, np.number) and X.ndim == 2 and len(X) == len(y) > 0
    if not (numeric and np.isfinite(X).all() and np.isin(y, (0, 1)).all()):
        raise ValueError(
            f"{path} must hold X, a matrix of finite numbers, and y, one label for each row:"
            f" 1 = outlier, 0 = inlier; X has shape {X.shape} and dtype {X.dtype}, y has {len(y)}"
            " entries."
        )
    found, known = (*X.shape, int(y.sum())), (facts.n_samples, facts.n_features, facts.n_outliers)
    if found != known:
        raise ValueError(
            f"{path} is not the {facts.name} data set: it has {found[0]} rows, {found[1]} columns "
            f"and {found[2]} outliers instead of {known[0]}, {known[1]} and {known[2]}; "
            f"datasets.fetch({facts.name!r}) downloads the right file."
        )
    X, columns = np.ascontiguousarray(X, dtype=np.float64), tuple(f"x{j}" for j in range(found[1]))
    return Dataset(X, y.astype(np.int8), facts.name, columns, facts.description, str(path))


def _build_wbc(facts: DatasetInfo) -> Dataset:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 (slow, and needed here alone)

    raw = load_breast_cancer()
    low, high = raw.data.min(axis=0), raw.data.max(axis=0)
    scaled = (raw.data - low) / (high - low)  # over all 569 rows, before any is dropped
    benign = np.flatnonzero(raw.target == 1)
    X = scaled[np.concatenate([benign, _WBC_MALIGNANT])]
    y = (np.arange(len(X)) >= len(benign)).astype(np.int8)
    columns = tuple(map(str, raw.feature_names))
    return Dataset(X, y, facts.name, columns, facts.description, "scikit-learn")
