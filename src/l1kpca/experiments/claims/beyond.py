"""What the paper proves, on real runs, and what it does not say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from l1kpca.experiments.verdicts import HELD, NOT_HELD, Claim, Finding, by_share, require

_NAME = "beyond"
_ROUNDING = 1e-9


def part(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The finished rows of one study."""
    return require(rows[(rows["part"] == name) & (rows["status"] == "done")], name)


def growth_exponent(sizes: pd.Series, steps: pd.Series) -> float:
    """The slope of log(steps) against log(rows).

    Examples
    --------
    >>> n = pd.Series([100.0, 200.0, 400.0])
    >>> round(growth_exponent(n, 3 * n**0.5), 6)
    0.5
    """
    return float(np.polyfit(np.log(sizes), np.log(steps), 1)[0])


def _rate(rows: pd.DataFrame) -> Finding:
    steps = part(rows, "rate")
    steps = steps.dropna(subset=["bound"])
    broken = int((steps["gap"] > steps["bound"] + _ROUNDING).sum())
    ratios = steps["ratio"].dropna()
    largest = float(steps["rho"][steps["rho"] < 1 - _ROUNDING].max())
    return Finding(
        HELD if broken == 0 else NOT_HELD,
        f"the bound is broken at {broken} of {len(steps)} steps; in the median step the gap shrinks"
        f" to {ratios.median():.2f} of itself, while the largest rho met is {largest:.5f}",
    )


def _few_steps(rows: pd.DataFrame) -> Finding:
    runs = part(rows, "iterations")
    exponents = {
        kernel: growth_exponent(group["n_samples"], group["n_iter"].clip(lower=1))
        for kernel, group in runs.groupby("kernel")
    }
    verdict, _ = by_share([value < 0.5 for value in exponents.values()], partly=0.5)
    shown = ", ".join(f"{kernel} {value:.2f}" for kernel, value in exponents.items())
    return Finding(
        verdict,
        f"steps grow as a power of the rows with exponent {shown}; at most"
        f" {int(runs['n_iter'].max())} steps up to {int(runs['n_samples'].max())} rows",
    )


CLAIMS = (
    Claim(
        _NAME,
        "Theorem 2: the gap to the end point shrinks at least by the factor rho(c) at each step.",
        "Held if the bound is kept, up to rounding, at every step of the first three components.",
        _rate,
    ),
    Claim(
        _NAME,
        "The number of steps does not explode with the number of rows (the point of Theorem 2).",
        "Held if the fitted exponent of steps against rows is below one half for both kernels,"
        " partly if for one.",
        _few_steps,
    ),
)
