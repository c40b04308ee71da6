"""Outlier detection with any kernel PCA of the library."""
