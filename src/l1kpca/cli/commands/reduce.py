"""l1kpca reduce."""

from collections.abc import Callable
from typing import Any

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import Terminal


def reduce(
    context: typer.Context, data: opt.Data, components: opt.RequiredComponents,
    kernel: opt.Kernel = None, gamma: opt.ReducingGamma = None, scale: opt.Scale = True,
    out: opt.Out = None, label: opt.Label = None, id_column: opt.Id = None,
    ignore: opt.Ignore = None, only: opt.Only = None, header: opt.HeaderLine = None,
    encoding: opt.Encoding = None, separator: opt.Separator = None,
    decimal: opt.Decimal = None, thousands: opt.Thousands = None,
    na: opt.MissingWords = None, seed: opt.Seed = 0, n_jobs: opt.Jobs = None,
    memory_limit: opt.MemoryLimit = None, cluster: opt.Cluster = None, force: opt.Force = False,
    spreadsheet_safe: opt.SpreadsheetSafe = False, as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:  # fmt: skip
    """Replace the columns of a table by a few robust components."""
    import numpy as np

    from l1kpca import L1KernelPCA, tuning
    from l1kpca.cli.detection import SAMPLE_ROWS, changed, connected, each, learn
    from l1kpca.tables.sources import read_table

    terminal = Terminal(quiet, as_json, {"out": out}, force, spreadsheet_safe)
    terminal.check(data)
    spread = cluster is not None and context.with_resource(connected(cluster))
    own = L1KernelPCA(
        components, kernel="rbf", gamma="median", random_state=seed, n_jobs=n_jobs,
        memory_limit=memory_limit, verbose=int(terminal.is_watched),
    )  # fmt: skip
    pca = changed(own, kernel=kernel, gamma=gamma)
    reading = opt.given_reading(context)
    with terminal.progress("reading rows") as progress:
        table = read_table(data, reading, most=SAMPLE_ROWS, seed=seed, progress=progress)
    if len(table.frame) > tuning.EXACT_ROWS:
        pca.set_params(gram="nystroem")
        size, landmarks = tuning.EXACT_ROWS, tuning.LANDMARKS
        terminal.note([f"more than {size} rows: components are found by {landmarks} landmarks"])
    encoded = learn(table, terminal)
    encoder, X = encoded.encoder, encoded.X
    with terminal.work(table.source):
        scaled = robust_scaling(X, scale=scale)
        pca.fit(scaled(X))
    with terminal.work(table.source, "reducing rows") as progress:
        parts = each(_reduced, (encoder, scaled, pca), table.batches(progress), spread=spread)
        scores = np.concatenate([part for _, part in parts])
    shares, steps = pca.explained_variance_ratio_.tolist(), pca.n_steps_.tolist()
    names = [f"component{place}" for place in range(1, len(shares) + 1)]
    terminal.write_table(table, dict(zip(names, scores.T, strict=True)))
    found = [*zip(names, shares, steps, strict=True)]
    rows = [{"component": n, "variance#": f"{v:.1%}", "steps#": str(s)} for n, v, s in found]
    terminal.table(f"Components of {table.source}", rows)
    listed = [{"name": n, "variance_share": v, "n_iterations": s} for n, v, s in found]
    plain = {"source": table.source, "n_rows": table.n_rows, "columns": encoder.columns_}
    terminal.finish({**plain, "components": listed})


def robust_scaling(X: Any, *, scale: bool = True) -> Callable[[Any], Any]:
    """Columns at median 0 and quartile distance 1; a missing number becomes the median.

    Where the quartiles agree up to rounding, the unit is kept.  Unlike scikit-learn's RobustScaler,
    this compares with the size of the column, so that its unit makes no difference.
    """
    import numpy as np

    half = X / 2  # differences of halves never overflow
    low, median, high = np.nanpercentile(half, [25, 50, 75], axis=0)
    spread = high - low
    rounding = 10 * np.finfo(half.dtype).eps * np.nanmax(np.abs(half), axis=0)
    spread = np.where(spread > rounding, spread, 0.5)

    def scaled(rows: Any) -> Any:
        known = np.where(np.isnan(rows), median, rows / 2)
        return (known - median) / spread if scale else known * 2

    return scaled


def _reduced(model: Any, frame: Any) -> Any:
    """Scores of rows, by an encoder, a scaling and a kernel PCA."""
    encoder, scaled, pca = model
    return pca.transform(scaled(encoder.encode(frame).X))
