"""What is usual in the columns, what is odd about the first rows, and the kinds of trouble."""

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from l1kpca.report.document import packed, range_text, short, shown_value, within
from l1kpca.report.ranking import Cases, Summary, cells_of
from l1kpca.tables.kinds import NOT_READ
from l1kpca.tables.written import DAY

_USUAL = (0.05, 0.5, 0.95)  # the usual range holds 90% of the rows
_MOST_EXPLAINED, _OPERATIONS, _STEPS_OF_EXPLAIN = 300, 5e9, 8
_FEWEST_LOOKED = 2000  # so that a line drawn below that of the program has its kinds, too
_MOST_LOOKED, _MOST_CELLS, _MOST_CHARTED_CELLS = 20_000, 2_000_000, 250_000
_MOST_COLUMNS, _MOST_CHARTED, _MOST_KINDS, _MOST_LEVELS, _N_BINS = 40, 100, 5, 8, 24
_N_BLAMED = 6  # columns of a row that can be its kind of trouble
_FAR = 5  # a value far out counts as much as five that are just out
_HEAT, _BYTES = (25, 30), 700_000
_NONE, _UNREAD, _NO_BIN = 0xFFFF, 0x4000, 0xFF
_TOGETHER = "No single value stands out, but the values of the row do not go together"
_OTHERS = "Other columns have unusual values"


def _looked(summary: Summary, order: np.ndarray) -> Any:
    """Explain as many rows as is cheap, and look at the cells of as many as a page can hold."""
    cases, detector = summary.cases, summary.cases.detector
    n_features, known = len(cases.column_of), summary.contributions[: len(order)]
    # An explanation of a row scores eight rows for each column.
    cost = _STEPS_OF_EXPLAIN * n_features * len(detector.pca_.X_fit_) * (n_features + 10)
    more = order[len(known) : int(min(_MOST_EXPLAINED, _OPERATIONS // cost))]
    if len(more):
        known = np.concatenate([known, np.asarray(detector.explain(cases.X[more]))])
    twice = 2 * int(summary.cases.judged.flagged[order].sum())
    wanted = min(max(_FEWEST_LOOKED, twice), _MOST_LOOKED, _MOST_CELLS // n_features)
    return known, *cells_of(cases, order[: max(len(known), wanted)])


def reasons(summary: Summary, order: np.ndarray) -> dict[str, Any]:
    """Facts about the columns, the first rows, and the kinds of trouble.

    Of each row, ``details`` has the places in ``columns``, the cells, the contributions (None if
    the row is not explained), what all other columns contribute, and what the cells that stand out
    should have been.
    """
    cases, n_flagged = summary.cases, int(summary.cases.judged.flagged[order].sum())
    known, residual, expected, wrong, not_read = _looked(summary, order)
    shares = _shares(known, residual)
    blame = shares[:n_flagged].sum(axis=0) / max(len(shares[:n_flagged]), 1)
    columns, ranges, features, levels = _columns(summary, blame)
    details = list(within(_details(cases, order, known, residual, expected, not_read), _BYTES))
    most = np.argsort(-blame, kind="stable")[:_MOST_CHARTED]
    named = sorted({*most.tolist()}.union(*map(itemgetter(0), details)))
    for row in details:
        row[0] = np.searchsorted(named, row[0]).tolist()
    rows = np.asarray(cases.X[order[: len(shares)]])[:, features]
    sample = np.asarray(cases.sample)[:, features]
    charted, bins = order[: min(len(shares), _MOST_CHARTED_CELLS // len(most))], []
    for j in most.tolist():
        if j in levels:
            cells = np.asarray(cases.cells[cases.columns[j]], dtype=object)[charted]
            bins.append(_bars(columns[j], levels[j], cells))
        else:
            bins.append(_chart(columns[j], ranges[:, j], sample[:, j], rows[: len(charted), j]))
    codes = _codes(~np.isin(most, list(levels)), most, ranges, rows, shares, not_read[:, most] > "")
    hot = np.sort(most[: _HEAT[1]])
    trouble = {
        "columns": np.searchsorted(named, most).tolist(), "codes": packed(codes, "u2"),
        "cells": packed(wrong.sum(axis=1).cumsum(), "u4"), "bins": packed(np.transpose(bins), "u1"),
        "blame": packed(np.rint(255 * shares[: len(charted), most]), "u1"),
    }  # fmt: skip
    heat = np.round(residual[: _HEAT[0]][:, hot], 1).tolist()
    return {
        "n_explained": min(len(known), len(details)), "n_cells": int(wrong[:n_flagged].sum()),
        "kinds": _kinds(columns[most].tolist(), codes[:n_flagged]),
        "trouble": trouble, "details": details, "columns": columns[named].tolist(),
        "heat": {"columns": np.searchsorted(named, hot).tolist(), "residual": heat},
    }  # fmt: skip


def _shares(known: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """How much each column is to blame for a row: by residuals where the row is not explained."""
    shares = np.maximum(np.concatenate([known, residual[len(known) :] ** 2]), 0)
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _columns(
    summary: Summary, blame: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, Counter[str]]]:
    """What is usual in each column; ends and middle of its range; its first feature; its levels."""
    cases, kinds = summary.cases, getattr(summary.cases.detector.encoder_, "kinds_", {})
    sample = np.asarray(summary.cases.sample)
    features = np.searchsorted(cases.column_of, np.arange(len(cases.columns)))
    ranges = np.nanquantile(sample, _USUAL, axis=0)[:, features]
    found, levels = [], {}
    for j, name in enumerate(cases.columns):
        kind, (low, median, high) = kinds.get(name, "number"), ranges[:, j].tolist()
        column = {"name": shown_value(name), "kind": kind}
        if kind == "number":
            column |= {"low": short(low), "median": short(median), "high": short(high)}
            column["usual"] = range_text(low, high)
        elif kind == "date":
            days = (np.array([low, high]) * DAY).astype("datetime64[s]").astype("datetime64[D]")
            column |= {"usual": f"{days[0]} to {days[1]}", "share": None}
        else:
            levels[j] = Counter(map(shown_value, cases.sample_cells[name]))
            usual, count = levels[j].most_common(1)[0]
            column |= {"usual": usual, "share": short(count / levels[j].total())}
        missing = np.isnan(sample[:, cases.column_of == j]).all(axis=1).mean()
        found.append(column | {"missing": short(missing), "blame": short(blame[j])})
    return np.array(found, dtype=object), ranges, features, levels


def _chart(column: dict[str, Any], usual: np.ndarray, sample: Any, rows: Any) -> np.ndarray:
    """How often values occur in a sample, which goes into ``column``; and the bins of some rows."""
    start, _, end = usual.tolist()
    low, high = max(np.nanmin(sample), 2 * start - end), min(np.nanmax(sample), 2 * end - start)
    column["ends"] = range_text(low, high).split(" to ") if column["kind"] == "number" else None
    edges = np.linspace(low, high if high > low else low + 1, _N_BINS + 1)[1:-1]
    values = np.append(sample, rows)
    bins = np.where(np.isnan(values), _NO_BIN, np.searchsorted(edges, values, side="right"))
    every, some = np.split(bins, [len(sample)])
    column["counts"] = np.bincount(every[every < _NO_BIN], minlength=_N_BINS).tolist()
    return np.asarray(some)


def _bars(column: dict[str, Any], counts: Counter[str], rows: Any) -> np.ndarray:
    """The same of a column of text, whose levels were counted."""
    levels = dict(counts.most_common(_MOST_LEVELS))
    if len(counts) > len(levels):
        levels["other"] = counts.total() - sum(levels.values())
    column |= {"levels": list(levels), "counts": list(levels.values())}
    place = {level: k for k, level in enumerate(levels)}
    return np.array([place.get(shown_value(cell), len(levels) - 1) for cell in rows], dtype=int)


def _details(
    cases: Cases, order: np.ndarray, known: np.ndarray, residual: np.ndarray, expected: np.ndarray,
    not_read: np.ndarray,
) -> Iterator[list[Any]]:  # fmt: skip
    """What ``details`` has of each row; a row that is not explained lists its oddest cells."""
    cells = list(map(cases.cells.__getitem__, cases.columns))
    for place, row in enumerate(order[: len(residual)].tolist()):
        explains = place < len(known)
        weight = known[place] if explains else residual[place]
        listed = np.argsort(-np.abs(weight), kind="stable")[:_MOST_COLUMNS].tolist()
        read, pushes, usual = [], [], []
        for j in listed:
            cell, why = cells[j][row], not_read[place, j]
            read.append(f"{str(cell)!r}: {why}" if why else short(cell))
            pushes.append(short(weight[j], 5))
            usual.append(short(expected[place, j], 3))
        rest = short(weight.sum() - weight[listed].sum(), 5)
        yield [listed, read, *((pushes, rest) if explains else (None, None)), usual]


def _codes(
    ranged: np.ndarray, most: np.ndarray, ranges: np.ndarray, rows: np.ndarray, shares: np.ndarray,
    not_read: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """What may be the kind of trouble of each row, as numbers that the page sorts rows by.

    4 (place + 1) + 2 (above the usual range) + (far from it), for the place of a column among the
    charted ones; 0 if no column is to blame.  Without a range, all values are above it.  0x4000 is
    added if the cell cannot be read.
    """
    order = np.argsort(np.argsort(-shares, axis=1, kind="stable"), axis=1)
    blamed = (order < _N_BLAMED) & (shares > 1 / (shares.shape[1] + 1))
    (low, _, high), values = ranges[:, most], rows[:, most]
    beyond = np.where(ranged, np.maximum(values - high, low - values), 1)
    above, far = ~ranged | (values > high), ranged & (beyond > high - low)
    codes = 4 * np.arange(1, len(most) + 1) + 2 * above + far + _UNREAD * not_read
    codes = np.where(blamed[:, most] & (beyond > 0), codes, _NONE)
    nothing = (codes == _NONE).all(axis=1) & ~np.delete(blamed, most, axis=1).any(axis=1)
    padded = np.pad(codes, ((0, 0), (0, _N_BLAMED)), constant_values=_NONE)
    codes = np.sort(padded, axis=1)[:, :_N_BLAMED]
    codes[nothing, 0] = 0
    return codes


def _kinds(charted: list[dict[str, Any]], codes: np.ndarray) -> list[dict[str, Any]]:
    """Flagged rows by the few reasons that cover most; ``kindsOf`` of the page does the same."""
    found, left = list[dict[str, Any]](), np.arange(len(codes))
    while len(left):
        here = codes[left]
        given = here[here != _NONE]
        covered = np.bincount(given // 2, np.where(given % 2, _FAR, 1), minlength=1)
        best = int(covered.argmax())
        if len(found) == _MOST_KINDS or not covered[best]:
            break
        chosen = (here // 2 == best).any(axis=1)
        says, name = _TOGETHER, None
        if best:
            column = charted[best % (_UNREAD // 2) // 2 - 1]
            name, usual = column["name"], column["usual"]
            far = "far " if 2 * (here[chosen] == 2 * best + 1).sum() > chosen.sum() else ""
            words = ("before", "after") if column["kind"] == "date" else ("below", "above")
            says = f"{name} is {far}{words[best % 2]} the usual {usual}"
            if best >= _UNREAD // 2:
                says = f"{name} is {NOT_READ[column['kind']]}"
            if column.get("share") is not None:
                says = f"{name} does not fit the rest of the row (usually {usual})"
        rows = left[chosen].tolist()
        found.append({"says": says, "column": name, "n_rows": len(rows), "rows": rows})
        left = left[~chosen]
    found.sort(key=itemgetter("n_rows"), reverse=True)
    if len(left):
        rows = left.tolist()
        found.append({"says": _OTHERS, "column": None, "n_rows": len(rows), "rows": rows})
    return found
