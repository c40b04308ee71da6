"""Reference rows and the promises that they allow: p-values, false discovery rate, drift."""

from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw
import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from l1kpca._typing import Array
from l1kpca.checks import check_seed, warn_user
from l1kpca.outliers import promises
from l1kpca.outliers.door import in_partitions, is_precomputed
from l1kpca.outliers.promises import Drift, benjamini_hochberg, look_for_drift
from l1kpca.outliers.rules import check_level
from l1kpca.tables.encoder import Encoded

OUTLIER, ORDINARY, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Calibration:
    """Reference rows, by how abnormal they are."""

    abnormality: Array
    labels: Array  #: 1 for confirmed outliers, never compared with; 0 ordinary, -1 unknown.
    rows: Array  #: Their places in the table that was given.
    n_split: int = 0  #: Rows of the table that ``fit`` has held them out of, if it has.

    @property
    def compared(self) -> Array:
        """Abnormality of the rows that new ones are compared with, in increasing order."""
        return np.sort(self.abnormality[self.labels != OUTLIER])

    @property
    def suspected(self) -> int:
        """Estimated number of outliers among the rows compared with: those that stand apart."""
        return promises.standing_apart(self.compared)

    def suspects(self, n_rows: int = 20) -> Array:
        """Places of the most abnormal reference rows whose label is unknown, worst first."""
        order = np.argsort(-self.abnormality, kind="stable")
        return self.rows[order[self.labels[order] == UNKNOWN][:n_rows]]

    def p_values(self, abnormality: Array, n_left_out: int = 0) -> Array:
        """What the detector gives; the most abnormal reference rows can be left out."""
        reference, abnormality = promises.rounded(self.compared, abnormality)
        n = len(reference) - n_left_out
        return (1 + n - np.searchsorted(reference[:n], abnormality, side="left")) / (n + 1)

    def advice(self, abnormality: Array, fdr: float) -> str:
        """What keeps rows from being flagged, and what to do about it; empty if nothing does."""
        n, m, suspected = len(self.compared), len(abnormality), self.suspected
        p, without = self.p_values(abnormality), self.p_values(abnormality, suspected)
        found = int(benjamini_hochberg(p, fdr).sum())
        lost = int(benjamini_hochberg(without, fdr).sum()) - found
        beyond, wanted = int((p <= 1 / (n + 1)).sum()), _ceil(m / (n + 1) / fdr)
        if wanted > m:
            return too_few("fdr", fdr, n)
        said = []
        if lost > 0:
            why = f"the most abnormal of {n} reference rows, {suspected} in all, may be outliers"
            way_out = "look at them, and give the labels of those that are"
            said.append(f"an estimated {lost} more rows could be flagged: {why}; {way_out}")
        if beyond and not found:
            rows = "row is" if beyond == 1 else "rows are"
            many = f"at least {_ceil(m / beyond / fdr - 1)} reference rows instead of {n}"
            takes = f"at fdr={fdr:g} it takes {wanted} such rows, or {many}"
            said.append(f"{beyond} {rows} beyond every reference row; {takes}")
        return ". ".join(said)


class Calibrated:
    """The methods of a detector that compare rows with reference rows."""

    def _fit_and_calibrate(self: Any, X: Any) -> Any:
        """Fit, and calibrate with the share ``calibration`` of the rows, drawn at random."""
        check_level("calibration", self.calibration)
        if is_precomputed(self.pca):
            refused = f"calibration={self.calibration} cannot be used with kernel='precomputed'"
            way_out = "fit with the kernel matrix of some rows, and calibrate with the kernels of"
            raise ValueError(f"{refused}: {way_out} the others")
        X = X.table if isinstance(X, Encoded) else X  # held-out rows teach the encoder nothing
        n_rows, rng = _num_samples(X), check_seed(self.random_state)
        count = min(max(1, round(self.calibration * n_rows)), n_rows - 1)
        held = np.sort(rng.choice(n_rows, count, replace=False))
        self._fit(_rows_of(X, np.delete(np.arange(n_rows), held)))
        self.calibrate(_rows_of(X, held))
        self.calibration_ = replace(self.calibration_, rows=held, n_split=n_rows)
        return X

    def calibrate(self, X: Any, y: Any = None) -> Self:
        """Keep how abnormal reference rows are: ordinary rows that ``fit`` has not seen.

        Parameters
        ----------
        X : array-like of shape (n_reference, n_features)
            Outliers among them cost power, not the promise.  Of the table that ``fit`` split, only
            the rows that it held out are kept.
        y : array-like of shape (n_reference,), default=None
            What is known of them: 1 outlier, 0 ordinary, -1 unknown.  Outliers are left out.

        Returns
        -------
        self : object
        """
        abnormality: Array = -self.score_samples(X)  # type: ignore[attr-defined]
        rows, n_split = np.arange(len(abnormality)), 0
        labels = np.full(len(rows), UNKNOWN) if y is None else np.asarray(y)
        if labels.shape != rows.shape:
            given = f"y has shape {labels.shape}, but X has {len(rows)} rows"
            raise ValueError(f"{given}: give one label each")
        if odd := [v for v in labels.tolist() if v not in (OUTLIER, ORDINARY, UNKNOWN)]:
            allowed = "y must hold 1 (outlier), 0 (ordinary) or -1 (unknown)"
            raise ValueError(f"{allowed}, found {odd[0]!r}")
        labels = labels.astype(np.int64)
        before: Any = getattr(self, "calibration_", None)
        same = before is not None and before.n_split == len(rows)
        if same and np.allclose(abnormality[before.rows], before.abnormality, rtol=1e-6):
            rows, n_split = before.rows, before.n_split
        if (labels[rows] == OUTLIER).all():
            raise ValueError("y leaves no reference row: at least one must not be an outlier")
        self.calibration_ = Calibration(abnormality[rows], labels[rows], rows, n_split)
        return self

    @in_partitions
    def p_values(self, X: Any) -> Array:
        """How rare rows as abnormal as these are among reference rows.

        A row's p-value depends on that row, which ``fit`` must not have seen, and on the reference
        alone.  Of ordinary rows, at most a share a has a p-value of a or less.

        Returns
        -------
        p : ndarray of shape (n_samples,)
            (1 + number of reference rows that are as abnormal) / (n_reference + 1).
        """
        calibration, abnormality = self._compared(X)
        return calibration.p_values(abnormality)

    def select(self, X: Any, fdr: float = 0.1) -> Array:
        """Flag rows such that on average at most a share ``fdr`` of the flags is false.

        The other rows of X count, too.  A warning says what keeps rows from being flagged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.
        fdr : float, default=0.1

        Returns
        -------
        flagged : ndarray of shape (n_samples,), bool
        """
        check_level("fdr", fdr)
        calibration, abnormality = self._compared(X)
        if advice := calibration.advice(abnormality, fdr):
            warn_user(advice)
        return benjamini_hochberg(calibration.p_values(abnormality), fdr)

    def most_false(self, X: Any, confidence: float = 0.95) -> Array:
        """How many flags are false at most, wherever the line is drawn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.
        confidence : float, default=0.95
            The chance that the bounds hold for all lines at once: choose one after looking.

        Returns
        -------
        most : ndarray of shape (n_samples,), int
            If this row and all more abnormal ones are flagged, at most this many are ordinary.
        """
        check_level("confidence", confidence)
        calibration, abnormality = self._compared(X)
        return promises.most_false(calibration.compared, abnormality, confidence)

    def estimated_false_share(self, X: Any) -> Array:
        """Estimate the share of false flags without reference rows.

        It is refused if the scores have a heavy tail.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows of a table; those of the fit are welcome.

        Returns
        -------
        share : ndarray of shape (n_samples,)
            Of false flags, if this row and all more abnormal ones are flagged.
        """
        return promises.estimated_false_share(-self.score_samples(X))  # type: ignore[attr-defined]

    def drift(self, X: Any, level: float = 0.01, after: Drift | None = None) -> Drift:
        """Test whether a batch still fits the reference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.
        level : float, default=0.01
            Chance of a false alarm; over all batches, if each is tested ``after`` the one before.
        after : Drift, default=None
            What was found for the batch before.

        Returns
        -------
        drift : Drift
            ``found`` is the answer, ``str(drift)`` a sentence.
        """
        check_level("level", level)
        calibration, abnormality = self._compared(X)
        return look_for_drift(calibration.compared, abnormality, level, after)

    def _compared(self: Any, X: Any) -> tuple[Calibration, Array]:
        """The reference rows, and the abnormality of new ones."""
        check_is_fitted(self)
        if not hasattr(self, "calibration_"):
            raise ValueError("there are no reference rows to compare with: call calibrate first")
        return self.calibration_, -self.score_samples(X)


def too_few(name: str, level: float, n_reference: int) -> str:
    """Why nothing can be flagged at a level; empty if something can."""
    wanted = _ceil(1 / level - 1)
    few = f"no row can be flagged at {name}={level:g}: {n_reference} reference rows are too few"
    return f"{few}, it takes at least {wanted}" if n_reference < wanted else ""


def _rows_of(X: Any, rows: Array) -> Any:
    """Some rows of a matrix or table; scikit-learn 1.6 takes none from those of pyarrow."""
    return X.take(rows) if nw.dependencies.is_pyarrow_table(X) else _safe_indexing(X, rows)


def _ceil(value: float) -> int:
    return int(np.ceil(value - 1e-9))
