"""The policy: from data, kernel and memory to one way of holding K."""

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from l1kpca.gram.base import DataGram
from l1kpca.gram.builders import BUILDERS, GramBuilder, Resources
from l1kpca.kernels import Kernel


@dataclass(frozen=True)
class GramChoice:
    """What was chosen and why; the fitted estimator shows it as ``gram_``."""

    name: str
    reason: str
    n_samples: int
    bytes_held: int
    lost_share: float = 0.0

    def __str__(self) -> str:
        """Say it in one sentence."""
        lost = f", misses {self.lost_share:.2%} of trace K" if self.lost_share else ""
        return f"{self.name} ({self.bytes_held / 1e6:.1f} MB{lost}): {self.reason}"


def choose(
    gram: str | GramBuilder,
    X: Any,
    kernel: Kernel,
    resources: Resources,
    cluster: GramBuilder | None = None,
) -> tuple[DataGram, GramChoice]:
    """Hold the Gram matrix of the rows of ``X``, by the first rule that applies.

    1. A builder object, or a name other than ``"auto"``: as asked.
    2. Linear kernel, and X sparse or with fewer columns than rows: ``factor``; K is never formed.
    3. The rows came as a Dask array: ``dask``, through the builder ``cluster``.
    4. K fits into the memory limit: ``dense``.
    5. Otherwise: ``blocked``.

    Returns
    -------
    gram : DataGram
        Not centered.
    choice : GramChoice
        The name and the reason.
    """
    name: str | GramBuilder
    name, reason = gram, "asked for"
    if gram == "auto":
        name, reason = _automatic(X, kernel, resources, cluster)
    builder = BUILDERS[name] if isinstance(name, str) else name
    built, held, lost = builder.build(X, kernel, resources)
    label = name if isinstance(name, str) else type(name).__name__.lower()
    return built, GramChoice(label, reason, X.shape[0], held, lost)


def _automatic(
    X: Any, kernel: Kernel, resources: Resources, cluster: GramBuilder | None
) -> tuple[str | GramBuilder, str]:
    n_samples, n_features = X.shape
    if kernel.function == "linear" and (sparse.issparse(X) or n_features < n_samples):
        return "factor", "the linear kernel needs only X"
    if cluster is not None:
        return cluster, "X is a Dask array"
    needed = n_samples**2 * X.dtype.itemsize
    if needed <= resources.memory:
        return (
            "dense",
            f"K takes {needed / 1e6:.1f} MB of the {resources.memory / 1e6:.1f} MB allowed",
        )
    return (
        "blocked",
        f"K would take {needed / 1e6:.1f} MB, {resources.memory / 1e6:.1f} MB are allowed",
    )
