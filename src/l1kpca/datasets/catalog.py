"""What is known of each data set before a single byte is read: size, origin, pinned checksum."""

from dataclasses import dataclass

_PYOD = "34f7996effac700a5166d882d5e94c6e6078fae3"
# breastw.mat left the tree later, so it is pinned at an older commit of the same repository.
_PYOD_BREASTW = "ef6d5e8dc828615f498286c1d6a22cbd02fd4cd2"


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about one data set, without its values."""

    name: str
    n_samples: int
    n_features: int
    n_outliers: int
    description: str
    """Where the values come from and what an outlier is."""
    commit: str
    """Of the GitHub repository ``yzhao062/pyod`` that holds the pinned file."""
    sha256: str
    """Of that ``.mat`` file."""
    built_in: bool = False
    """Whether `load` needs no file."""

    @property
    def path(self) -> str:
        """Path of the pinned file below the base address."""
        return f"{self.commit}/notebooks/data/{self.name}.mat"


_CATALOG = {entry.name: entry for entry in (
    DatasetInfo(
        "wbc", 378, 30, 21,
        "ODDS WBC: UCI Breast Cancer Wisconsin (Diagnostic), columns scaled to [0, 1], "
        "outlier = one of 21 malignant cases",
        _PYOD, "afe6b26953cc196b9a480318c903e0edef22529c2f61bd02082438c6e70630a7", built_in=True,
    ),
    DatasetInfo(
        "ionosphere", 351, 33, 126,
        "ODDS Ionosphere: UCI Ionosphere without its all-zero column, outlier = bad",
        _PYOD, "8ac5dfa6f47db4acdfe10615489b7f7dd015d79d5b381ce641e72baca3cfefb0",
    ),
    DatasetInfo(
        "breastw", 683, 9, 239,
        "ODDS BreastW: UCI Breast Cancer Wisconsin (Original), outlier = malignant",
        _PYOD_BREASTW, "a2e3f7c7f61ddde87c4373f0c0539de996227b9659c70b3c227948ebf0c6062b",
    ),
    DatasetInfo(
        "cardio", 1831, 21, 176,
        "ODDS Cardio: UCI Cardiotocography, standardized columns, outlier = pathologic",
        _PYOD, "5e568b6a73711012c481fa6cc984ab9c68e9a4fa44d6aeb3b43efa381c3f695b",
    ),
    DatasetInfo(
        "musk", 3062, 166, 97,
        "ODDS Musk: UCI Musk (version 2), some of its molecules, outlier = two musks",
        _PYOD, "50bbf414caceb66cfe6f6b1eb7c1ff7c6eb1e6d87173f7bb597ba55cd3dc5493",
    ),
    DatasetInfo(
        "mnist", 7603, 100, 700,
        "ODDS Mnist: MNIST digits zero and six, 100 of the pixels, outlier = six",
        _PYOD, "9479e221f236684c09f3e11c7ad124725d34ecd301b9450425e8b113368413a6",
    ),
)}  # fmt: skip


def names() -> list[str]:
    """Names of the data sets, which `load`, `fetch` and `info` take.

    Returns
    -------
    names : list of str
        In the order of the paper's tables.

    Examples
    --------
    >>> from l1kpca import datasets
    >>> datasets.names()
    ['wbc', 'ionosphere', 'breastw', 'cardio', 'musk', 'mnist']
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
        raise ValueError(
            f"name={name!r} is not a known data set; choose one of: {', '.join(_CATALOG)}."
        )
    return _CATALOG[name]
