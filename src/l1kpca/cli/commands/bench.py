"""l1kpca bench."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.errors import InputError, library_errors_explained
from l1kpca.cli.folders import run_folder, run_to_page
from l1kpca.cli.terminal import Terminal

Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="A part to measure; can be given several times."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Everything small, to see that it works.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure again what was measured before.")]
Budget = Annotated[
    float | None,
    typer.Option("--budget", help="Seconds from which a competitor is cut off; by default 8."),
]
Minutes = Annotated[
    float | None,
    typer.Option("--minutes", help="About how long the whole run may take; by default 33."),
]


def bench(
    only: Only = None,
    data_dir: opt.DataDir = None,
    out: opt.RunFolder = Path("bench"),
    quick: Quick = False,
    fresh: Fresh = False,
    budget: Budget = None,
    minutes: Minutes = None,
    force: opt.Force = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Measure speed and memory against the peers and write a page with targets and plots.

    A run that was stopped goes on where it stopped when the same command is given again.
    """
    with library_errors_explained("bench"):
        # These need matplotlib and jinja2: missed now, not after half an hour.
        from l1kpca.bench import DEFAULT_BUDGET, DEFAULT_MINUTES, PARTS, Settings, run
        from l1kpca.cli import benching

        settings = Settings(
            quick,
            DEFAULT_BUDGET if budget is None else budget,
            data_dir,
            fresh,
            DEFAULT_MINUTES if minutes is None else minutes,
        )
    names = _names(only, list(PARTS))
    folder = run_folder(out, overwrite=force)
    work = partial(run, names, folder, settings)
    terminal = Terminal(quiet, as_json)
    run_to_page("bench", work, benching.write, benching.show, folder, terminal)


def _names(only: list[str] | None, known: list[str]) -> list[str]:
    for name in only or ():
        if name not in known:
            raise InputError(f"--only {name}: not a part; give one of {', '.join(known)}.")
    return [name for name in known if not only or name in only]
