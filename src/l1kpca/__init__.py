"""Robust, nonlinear principal components and outlier detection by L1-norm kernel PCA."""

from l1kpca import datasets
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.estimators.outliers.detector import KernelPCAOutlierDetector

__version__ = "0.1.0"
__all__ = ["KernelPCAOutlierDetector", "L1KernelPCA", "__version__", "datasets"]
