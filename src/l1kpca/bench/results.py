"""Results on disk: JSON that keeps single runs, and CSV for spreadsheets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from l1kpca.journal import Row
from l1kpca.outputs import replacing

RESULTS = "results.json"
_ABOUT_A_RUN = ("started", "machine", "cores")


def write_results(frame: pd.DataFrame, folder: Path) -> None:
    """Write ``results.json``, facts about each run once and one row a line, and ``results.csv``.

    Parameters
    ----------
    frame : DataFrame
        Tidy rows.
    folder : Path
        An existing folder.
    """
    rows = [_without_gaps(row) for row in frame.to_dict("records")]
    runs: list[Row] = []
    for row in rows:
        about = {name: row.pop(name) for name in list(row) if _is_about_a_run(name)}
        if about:
            if about not in runs:
                runs.append(about)
            row["run"] = runs.index(about)
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    text = f'{{"runs": {json.dumps(runs, indent=1)},\n"rows": [\n{lines}\n]}}\n'
    with replacing(folder / RESULTS, overwrite=True) as temporary:
        temporary.write_text(text, encoding="utf-8")
    with replacing(folder / "results.csv", overwrite=True) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_results(path: Path) -> pd.DataFrame:
    """Read tidy rows back.

    Parameters
    ----------
    path : Path
        A file that `write_results` wrote, or the folder that holds it.
    """
    path = path / RESULTS if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there; l1kpca bench --out DIR writes it")
    held = json.loads(path.read_text(encoding="utf-8"))
    rows = [{**row, **held["runs"][row["run"]]} if "run" in row else row for row in held["rows"]]
    return pd.DataFrame(rows).drop(columns="run", errors="ignore")


def _is_about_a_run(name: str) -> bool:
    return name.startswith("version_") or name in _ABOUT_A_RUN


def _without_gaps(row: dict[Any, Any]) -> Row:
    """A row of a frame without its missing cells, as plain values."""
    return {
        str(name): value.item() if hasattr(value, "item") else value
        for name, value in row.items()
        if isinstance(value, list) or not pd.isna(value)
    }
