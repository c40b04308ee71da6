"""Robust, nonlinear principal components and outlier detection by L1-norm kernel PCA."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from l1kpca import datasets
    from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
    from l1kpca.outliers.detector import KernelPCAOutlierDetector
    from l1kpca.tables.encoder import TableEncoder

__version__ = "0.2.0.dev0"
__all__ = ["KernelPCAOutlierDetector", "L1KernelPCA", "TableEncoder", "__version__", "datasets"]

_HOMES = {
    "KernelPCAOutlierDetector": "l1kpca.outliers.detector",
    "L1KernelPCA": "l1kpca.estimators.l1_kernel_pca",
    "TableEncoder": "l1kpca.tables.encoder",
}


def __getattr__(name: str) -> Any:
    # Imported when first used: `l1kpca --help` does not wait two seconds for scikit-learn.
    if name == "datasets":
        return import_module("l1kpca.datasets")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'l1kpca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
