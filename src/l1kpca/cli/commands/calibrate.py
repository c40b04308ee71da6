"""l1kpca calibrate."""

from pathlib import Path
from typing import Any

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import InputError, Terminal


def calibrate(
    context: typer.Context, model: opt.ModelFile, reference: opt.ReferenceData,
    labels: opt.Labels = None, top: opt.Top = 20, header: opt.HeaderLine = None,
    encoding: opt.Encoding = None, separator: opt.Separator = None,
    decimal: opt.Decimal = None, thousands: opt.Thousands = None,
    na: opt.MissingWords = None, trust: opt.Trust = None, as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:  # fmt: skip
    """Give a saved model reference rows to compare with; the file is replaced."""
    from l1kpca.cli.commands.detect import cells_of
    from l1kpca.cli.commands.score import load_model, read_like
    from l1kpca.report.ranking import suspects

    terminal = Terminal(quiet, as_json, {"model": model})
    fitted = load_model(model, trust or [])
    table = read_like(fitted, reference, opt.given_reading(context), terminal)
    cases = fitted.judge(table, table.n_rows, terminal)
    detector = fitted.detector
    y = None if labels is None else _read_labels(labels, len(cases.X))
    with terminal.work(table.source, "scoring rows"):
        kept = detector.calibrate(cases.X, y).calibration_
        rows = suspects(cases, top)
    fitted.save(model, overwrite=True)
    n, n_left_out, suspected = len(kept.compared), int((kept.labels == 1).sum()), kept.suspected
    terminal.table("The most suspicious reference rows", cells_of(rows))
    left_out = f"{n_left_out} confirmed outliers were left out"
    terminal.say(f"New rows are compared with {n} reference rows; {left_out}.")
    if suspected:
        terminal.say(
            f"An estimated {suspected} of them look like outliers: flags keep their promise, but"
            " fewer rows are flagged. Look at the rows above, and give --labels."
        )
    plain = {"n_reference": n, "n_left_out": n_left_out, "estimated_outliers": suspected}
    plain["suspects"] = [{"row": row["row"], "score": row["score"]} for row in rows]
    terminal.finish(plain)


def _read_labels(path: Path, n_rows: int) -> Any:
    """Labels by the number of the row, unknown for all others."""
    import warnings

    import numpy as np
    import pandas as pd

    wanted = f"--labels {path} must be a .csv file with the columns row (1 to {n_rows}) and label"
    whole = dict.fromkeys(("row", "label"), "Int64")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a number that is cut, a cell too many
            frame = pd.read_csv(path, index_col=False, dtype=whole)
        rows, labels = (frame[name].to_numpy(dtype=np.int64) for name in whole)
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError, Warning) as error:
        raise InputError(f"{wanted}: {type(error).__name__} {error}.") from error
    if not len(rows) or rows.min() < 1 or rows.max() > n_rows or len(np.unique(rows)) < len(rows):
        raise InputError(f"{wanted}; each row once.")
    y = np.full(n_rows, -1)
    y[rows - 1] = labels
    return y
