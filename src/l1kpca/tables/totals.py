"""Rows that are totals of other rows."""

import re

import narwhals as nw
import numpy as np

from l1kpca.tables.encoder import Encoded

_TOTAL = re.compile(
    r"(?:grand|overall|sub|column)?[ -]?(?:totals?|sums?|summe|zwischensumme|(?:ins)?gesamt|totale)"
    r"[ :]*[\d./-]*",
    re.IGNORECASE,
)
_FEWEST_SUMMED = 6  # rows; fewer match by chance
_SUM_ROUNDING = 0.005  # of a sum, which may be written with fewer digits than its terms
_MOST_TOTALS = 0.05  # of the rows; "total" in more of them is a level like any other


def totals_among(encoded: Encoded) -> list[str]:
    """A sentence on rows called totals, or on a last row that sums up all others."""
    n, found, word = len(encoded), np.empty(0, dtype=np.intp), ""
    table = nw.from_native(encoded.table, eager_only=True, pass_through=True)
    for series in table.iter_columns() if isinstance(table, nw.DataFrame) else ():
        if series.dtype not in (nw.String, nw.Categorical):
            continue
        cells = series.to_list()
        words = {cell for cell in {*cells} - {None} if _TOTAL.fullmatch(str(cell).strip())}
        called = np.flatnonzero([cell in words for cell in cells])
        if len(found) < len(called) <= max(1, _MOST_TOTALS * n):
            found, word = called, f" ({cells[called[0]]!r})"
    if not len(found) and _sums_up(encoded):
        found = np.array([n - 1])
    if not len(found):
        return []
    some = "1 row looks" if len(found) == 1 else f"{len(found)} rows look"
    said = f"{some} like totals of other rows, the first is row {found[0] + 1} of {n}{word}"
    return [f"{said}: judged like any row; take it out of the table if it is none"]


def _sums_up(encoded: Encoded) -> bool:
    _, part, what = np.array(encoded.encoder.features_, dtype=object).reshape(-1, 3).T
    X = encoded.X[:, (what == "value") & (part == "")]
    if len(X) < _FEWEST_SUMMED or X.shape[1] < 2:
        return False
    last, others = X[-1], np.nan_to_num(X[:-1])
    known = np.isfinite(last)
    above = (last > others.max(axis=0)) & known
    with np.errstate(over="ignore"):  # sums that overflow are refused later, with a sentence
        sums = others.sum(axis=0)
    alike = np.isclose(last[known], sums[known], rtol=_SUM_ROUNDING, atol=0)
    return bool(above.sum() > 1 and alike.all())
