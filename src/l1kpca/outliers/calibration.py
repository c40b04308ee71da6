"""Reference rows and the promises that they allow: p-values, false discovery rate, drift."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from l1kpca._typing import Array
from l1kpca.checks import check_seed
from l1kpca.estimators.advice import warn_user
from l1kpca.outliers import false_flags
from l1kpca.outliers.drift import Drift, look_for_drift
from l1kpca.outliers.false_flags import benjamini_hochberg
from l1kpca.outliers.parameters import is_precomputed
from l1kpca.outliers.rules import is_number
from l1kpca.outliers.tables import in_partitions
from l1kpca.tables.encoder import Encoded

OUTLIER, ORDINARY, UNKNOWN = 1, 0, -1
_ASKED = 20  # reference rows that somebody may be asked to look at


@dataclass(frozen=True, eq=False)
class Calibration:
    """Reference rows, by how abnormal they are.

    Attributes
    ----------
    abnormality : ndarray of shape (n_reference,)
        Of the reference rows.
    labels : ndarray of shape (n_reference,), int
        1 for confirmed outliers, which are not compared with; 0 ordinary, -1 unknown.
    rows : ndarray of shape (n_reference,), int
        Their places in the table that was given.
    n_split : int
        Rows of the table that ``fit`` has held them out of; 0 if they are a table of their own.
    """

    abnormality: Array
    labels: Array
    rows: Array
    n_split: int = 0

    @property
    def compared(self) -> Array:
        """Abnormality of the rows that new ones are compared with, in increasing order."""
        return np.sort(self.abnormality[self.labels != OUTLIER])

    @property
    def suspected(self) -> int:
        """Estimated number of outliers among the rows compared with: those that stand apart."""
        return false_flags.standing_apart(self.compared)

    def suspects(self, n_rows: int = _ASKED) -> Array:
        """Places of the most abnormal reference rows whose label is unknown, worst first."""
        order = np.argsort(-self.abnormality, kind="stable")
        return self.rows[order[self.labels[order] == UNKNOWN][:n_rows]]

    def p_values(self, abnormality: Array) -> Array:
        """(1 + number of reference rows that are as abnormal) / (n + 1)."""
        return _p_values(self.compared, abnormality)

    def advice(self, abnormality: Array, fdr: float) -> str:
        """What keeps rows from being flagged, and what to do about it; empty if nothing does."""
        reference, m = self.compared, len(abnormality)
        n, suspected = len(reference), self.suspected
        p = _p_values(reference, abnormality)
        without = _p_values(reference[: n - suspected], abnormality)
        found = int(benjamini_hochberg(p, fdr).sum())
        lost = int(benjamini_hochberg(without, fdr).sum()) - found
        beyond, wanted = int((p <= 1 / (n + 1)).sum()), _ceil(m / (n + 1) / fdr)
        if wanted > m:
            return too_few("fdr", fdr, n)
        said = []
        if lost > 0:
            said.append(
                f"an estimated {lost} more rows could be flagged: the most abnormal of {n}"
                f" reference rows, {suspected} in all, may be outliers; look at them, and give the"
                " labels of those that are"
            )
        if beyond and not found:
            rows = "row is" if beyond == 1 else "rows are"
            said.append(
                f"{beyond} {rows} beyond every reference row; at fdr={fdr:g} it takes {wanted} such"
                f" rows, or at least {_ceil(m / beyond / fdr - 1)} reference rows instead of {n}"
            )
        return ". ".join(said)


class Calibrated:
    """The methods of a detector that compare rows with reference rows."""

    def _fit_and_calibrate(self: Any, X: Any) -> Any:
        """Fit, and calibrate with the share ``calibration`` of the rows, drawn at random.

        Nothing may be learned from those that are held out: an encoded table is encoded anew.
        """
        check_level("calibration", self.calibration)
        if is_precomputed(self.pca):
            raise ValueError(
                f"calibration={self.calibration} cannot be used with kernel='precomputed': fit with"
                " the kernel matrix of some rows, and calibrate with the kernels of the others"
            )
        X = X.table if isinstance(X, Encoded) else X
        n_rows, rng = _num_samples(X), check_seed(self.random_state)
        count = min(max(1, round(self.calibration * n_rows)), n_rows - 1)
        held = np.sort(rng.choice(n_rows, count, replace=False))
        self._fit(_safe_indexing(X, np.delete(np.arange(n_rows), held)))
        self.calibrate(_safe_indexing(X, held))
        self.calibration_ = replace(self.calibration_, rows=held, n_split=n_rows)
        return X

    def calibrate(self, X: Any, y: Any = None) -> Self:
        """Keep how abnormal reference rows are: ordinary rows that ``fit`` has not seen.

        Parameters
        ----------
        X : array-like of shape (n_reference, n_features)
            Reference rows.  Outliers among them cost power, not the promise.  Of the table that
            ``fit`` split, only the rows that it held out are kept.
        y : array-like of shape (n_reference,), default=None
            What is known of them: 1 outlier, 0 ordinary, -1 unknown.  Outliers are left out.

        Returns
        -------
        self : object
        """
        abnormality = self._abnormality(X)
        rows, n_split = np.arange(len(abnormality)), 0
        labels = _checked_labels(y, len(rows))
        before: Calibration | None = getattr(self, "calibration_", None)
        if before is not None and before.n_split == len(rows):
            again = np.allclose(abnormality[before.rows], before.abnormality, rtol=1e-6)
            rows, n_split = (before.rows, before.n_split) if again else (rows, 0)
        if (labels[rows] == OUTLIER).all():
            raise ValueError("y leaves no reference row: at least one must not be an outlier")
        self.calibration_ = Calibration(abnormality[rows], labels[rows], rows, n_split)
        return self

    @in_partitions
    def p_values(self, X: Any) -> Array:
        """How rare rows as abnormal as these are among reference rows.

        A row's p-value depends on the row and the reference alone.  Of ordinary rows, at most a
        share a has a p-value of a or less.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.

        Returns
        -------
        p : ndarray of shape (n_samples,)
            (1 + number of reference rows that are as abnormal) / (n_reference + 1).
        """
        return self._calibration().p_values(self._abnormality(X))

    def select(self, X: Any, fdr: float = 0.1) -> Array:
        """Flag rows such that on average at most a share ``fdr`` of the flags is false.

        Whether a row is flagged depends on the other rows of X, too.  A warning says what keeps
        rows from being flagged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.
        fdr : float, default=0.1
            The false discovery rate.

        Returns
        -------
        flagged : ndarray of shape (n_samples,), bool
        """
        check_level("fdr", fdr)
        calibration, abnormality = self._calibration(), self._abnormality(X)
        advice = calibration.advice(abnormality, fdr)
        if advice:
            warn_user(advice)
        return benjamini_hochberg(calibration.p_values(abnormality), fdr)

    def most_false(self, X: Any, confidence: float = 0.95) -> Array:
        """How many flags are false at most, wherever the line is drawn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that ``fit`` has not seen.
        confidence : float, default=0.95
            With this chance, the bounds hold for all lines at once: choose one after looking.

        Returns
        -------
        most : ndarray of shape (n_samples,), int
            If this row and all more abnormal ones are flagged, at most this many are ordinary.
        """
        check_level("confidence", confidence)
        compared = self._calibration().compared
        return false_flags.most_false(compared, self._abnormality(X), confidence)

    def estimated_false_share(self, X: Any) -> Array:
        """Estimate the share of false flags without reference rows.

        A curve for ordinary rows is fitted to the middle of all scores.  A ValueError says that
        their tail is too heavy for an estimate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows of a table; those of the fit are welcome.

        Returns
        -------
        share : ndarray of shape (n_samples,)
            Of false flags, if this row and all more abnormal ones are flagged.
        """
        return false_flags.estimated_false_share(self._abnormality(X))

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
        return look_for_drift(self._calibration().compared, self._abnormality(X), level, after)

    def _calibration(self) -> Calibration:
        check_is_fitted(self)
        if not hasattr(self, "calibration_"):
            raise ValueError("there are no reference rows to compare with: call calibrate first")
        return self.calibration_

    def _abnormality(self, X: Any) -> Array:
        return -self.score_samples(X)  # type: ignore[attr-defined]


def check_level(name: str, value: Any) -> None:
    """Refuse anything but a number between 0 and 1."""
    if not is_number(value) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number between 0 and 1")


def too_few(name: str, level: float, n_reference: int) -> str:
    """Why nothing can be flagged at a level; empty if something can."""
    wanted = _ceil(1 / level - 1)
    return (
        f"no row can be flagged at {name}={level:g}: {n_reference} reference rows are too few, it"
        f" takes at least {wanted}"
        if n_reference < wanted
        else ""
    )


def _ceil(value: float) -> int:
    return int(np.ceil(value - 1e-9))


def _p_values(reference: Array, abnormality: Array) -> Array:
    (reference, abnormality), n = false_flags.rounded(reference, abnormality), len(reference)
    return (1 + n - np.searchsorted(reference, abnormality, side="left")) / (n + 1)


def _checked_labels(y: Any, n_rows: int) -> Array:
    labels = np.full(n_rows, UNKNOWN) if y is None else np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y has shape {labels.shape}, but X has {n_rows} rows: give one label each"
        )
    odd = [value for value in labels.tolist() if value not in (OUTLIER, ORDINARY, UNKNOWN)]
    if odd:
        raise ValueError(f"y must hold 1 (outlier), 0 (ordinary) or -1 (unknown), found {odd[0]!r}")
    return labels.astype(np.int64)
