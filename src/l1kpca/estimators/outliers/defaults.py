"""The kernel PCA of each rule when the user names none."""

from l1kpca.estimators.l1_kernel_pca import L1KernelPCA

SAMPLED_ROWS = 1000
_MOST_COMPONENTS = 50


def default_pca(rule: str, variance_kept: float, n_columns: int, seed: int) -> L1KernelPCA:
    """The paper's own for its rule; else a Gaussian as wide as the median distance of rows."""
    if rule == "paper":
        pca = L1KernelPCA(
            kernel="rbf", gamma="paper", solver="fixed_point", start="column", center=False
        )
        pca._most_components = n_columns  # noqa: SLF001
        return pca
    share = float(variance_kept) if variance_kept < 1 else None
    pca = L1KernelPCA(share, kernel="rbf", gamma="median", random_state=seed)
    pca._most_components = min(_MOST_COMPONENTS, n_columns)  # noqa: SLF001
    return pca
