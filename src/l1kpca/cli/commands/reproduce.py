"""l1kpca reproduce."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.errors import library_errors_explained
from l1kpca.cli.folders import run_folder, run_to_page
from l1kpca.cli.terminal import Terminal


class Part(StrEnum):
    """What to run."""

    ROBUSTNESS = "robustness"
    TOYS = "toys"
    OUTLIERS = "outliers"
    RUNTIME = "runtime"
    BEYOND = "beyond"
    ALL = "all"


def reproduce(
    what: Annotated[Part, typer.Argument(help="An experiment, or all.", show_default=False)],
    data_dir: opt.DataDir = None,
    out: opt.RunFolder = Path("reproduction"),
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version of the same, in a minute or two.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="Seconds after which a slow fit is cut off; by default 60."),
    ] = None,
    force: opt.Force = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run the paper's experiments again and write a page with ours beside the paper's.

    A run that was stopped goes on where it stopped when the same command is given again.
    """
    with library_errors_explained("reproduce"):
        # These need matplotlib and jinja2: missed now, not after an hour.
        from l1kpca.cli import reproducing
        from l1kpca.experiments import DEFAULT_BUDGET, EXPERIMENTS, Settings, run

        settings = Settings(quick, DEFAULT_BUDGET if budget is None else budget, data_dir)
    folder = run_folder(out, overwrite=force)
    names = list(EXPERIMENTS) if what is Part.ALL else [what.value]
    work = partial(run, names, folder, settings)
    terminal = Terminal(quiet, as_json)
    run_to_page("reproduce", work, reproducing.write, reproducing.show, folder, terminal)
