"""How many flags are false: what reference rows promise, or an estimate without them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from l1kpca.outliers import Drift, Judged
from l1kpca.outliers.calibration import check_level, too_few
from l1kpca.outliers.drift import look_for_drift
from l1kpca.outliers.false_flags import benjamini_hochberg, estimated_false_share, most_false

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
    says, advice = [f"Rows were compared with {len(reference):,} reference rows."], ""
    flagged = judged.flagged
    if fdr is not None:
        check_level("fdr", fdr)
        flagged, advice = benjamini_hochberg(p, fdr), calibration.advice(scores, fdr)
        says.append(f"On average, at most {fdr:.0%} of the flags of such a selection are false.")
    elif alpha is not None:
        check_level("alpha", alpha)
        flagged, advice = p <= alpha * (1 + 1e-12), too_few("alpha", alpha, len(reference))
        says.append(f"An ordinary row is flagged with a chance of at most {alpha:.2g}.")
    if fdr is not None or alpha is not None:
        judged, cutoff = replace(judged, flagged=flagged), _line(scores, flagged)
    if advice:
        says.append(f"{advice[0].upper()}{advice[1:]}.")
    count = int(flagged.sum())
    if count:
        at_most = int(most[flagged].max())
        false = "is false" if at_most == 1 else "are false"
        says.append(f"With 95% confidence, at most {at_most:,} of the {count:,} flags {false}.")
    elif not advice and fdr is not None:
        says.append("Too few rows stand out from the reference; outliers among it may hide them.")
    return judged, cutoff, Promise(len(reference), p, most, None, drift, (*says, str(drift)))


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
            says=("How many flags are false cannot be estimated without reference rows.",)
        )
    if not judged.flagged.any():
        return Promise(estimate=share)
    last = np.argmin(np.where(judged.flagged, judged.abnormality, np.inf))
    few = f"{share[last]:.0%} of the flagged rows are ordinary."
    most = "the flagged rows do not stand apart, and most of them may be ordinary."
    says = f"By a rough estimate, {few if share[last] <= _HALF else most}"
    return Promise(estimate=share, says=(says,))
