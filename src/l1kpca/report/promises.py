"""How many flags are false: what reference rows promise, or an estimate without them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from l1kpca.estimators.advice import warn_user
from l1kpca.outliers import Drift, Judged
from l1kpca.outliers.calibration import check_level
from l1kpca.outliers.drift import look_for_drift
from l1kpca.outliers.false_flags import estimated_false_share, most_false

CONFIDENCE = 0.95
_LEVEL = 0.01
_HALF = 0.5  # estimates above it are too rough for a number


@dataclass(frozen=True, eq=False)
class Promise:
    """What is known of the share of false flags, for every line."""

    n_reference: int = 0
    p_values: np.ndarray | None = None
    most_false: np.ndarray | None = None
    """With 95% confidence, of this row and all more abnormal ones no more are ordinary."""
    estimate: np.ndarray | None = None
    """Without reference rows, the estimated share of false flags among the same rows."""
    drift: Drift | None = None
    says: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Without the numbers of single rows."""
        drift = self.drift and {"found": self.drift.found, "evidence": self.drift.evidence}
        return {"n_reference": self.n_reference, "drift": drift, "says": list(self.says)}


def promised(
    detector: Any, judged: Judged, fdr: float | None = None, alpha: float | None = None
) -> tuple[Judged, float, Promise]:
    """The rows with the flags that were asked for, their cut-off, and what can be said of them.

    ``fdr`` flags such that on average no larger share of the flags is false, ``alpha`` each row for
    itself with this chance of a false flag; without both, the rule flags.
    """
    scores, cutoff = judged.abnormality, -float(detector.offset_)
    calibration = getattr(detector, "calibration_", None)
    if calibration is None:
        if fdr is not None or alpha is not None:
            raise ValueError(
                "a promise about false flags needs reference rows, and there are none: calibrate"
                " first (detect --reference, or the command calibrate)"
            )
        return judged, cutoff, _estimated(judged)
    reference = calibration.compared
    p, drift = calibration.p_values(scores), look_for_drift(reference, scores, _LEVEL)
    most = most_false(reference, scores, CONFIDENCE)
    if fdr is not None or alpha is not None:
        flagged = (
            calibration.select(scores, fdr) if alpha is None else _single(p, len(reference), alpha)
        )
        judged, cutoff = replace(judged, flagged=flagged), _line(scores, flagged)
    count = int(judged.flagged.sum())
    says = [f"Rows were compared with {len(reference):,} reference rows."]
    if fdr is not None:
        says.append(f"On average, at most {fdr:.0%} of the flags of such a selection are false.")
    if alpha is not None:
        says.append(f"An ordinary row is flagged with a chance of at most {alpha:.2g}.")
    if count:
        at_most = int(most[judged.flagged].max())
        says.append(f"With 95% confidence, at most {at_most:,} of the {count:,} flags are false.")
    return judged, cutoff, Promise(len(reference), p, most, None, drift, (*says, str(drift)))


def _single(p: np.ndarray, n_reference: int, alpha: float) -> np.ndarray:
    check_level("alpha", alpha)
    fewest = int(np.ceil(1 / alpha - 1 - 1e-9))
    if n_reference < fewest:
        warn_user(
            f"no row can be flagged at alpha={alpha}: {n_reference} reference rows are too few, it"
            f" takes at least {fewest}"
        )
    return p <= alpha * (1 + 1e-12)


def _line(scores: np.ndarray, flagged: np.ndarray) -> float:
    """Between the flagged rows and the others."""
    if not flagged.any():
        return float(scores.max())
    below = scores[~flagged]
    return float((scores[flagged].min() + (below.max() if len(below) else 0)) / 2)


def _estimated(judged: Judged) -> Promise:
    try:
        share = estimated_false_share(judged.abnormality)
    except ValueError:  # too few rows, or scores with a heavy tail
        return Promise(
            says=("How many of the flags are false cannot be told from the rows alone.",)
        )
    if not judged.flagged.any():
        return Promise(estimate=share)
    last = np.argmin(np.where(judged.flagged, judged.abnormality, np.inf))
    few = f"{share[last]:.0%} of the flagged rows are ordinary."
    most = "the flagged rows do not stand apart, and most of them may be ordinary."
    says = f"By a rough estimate, {few if share[last] <= _HALF else most}"
    return Promise(estimate=share, says=(says,))
