"""Files as people have them come out right, through Python and the command line alike."""

import json

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli.app import run
from l1kpca.tables.sources import read_table
from l1kpca.tables.table import Reading
from tables.corpus import CASES

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def written(case, folder):
    path = folder / case.name
    path.write_bytes(case.content)
    return str(path)


def assert_columns(frame, columns):
    assert frame.columns.tolist() == list(columns)
    for name, cells in columns.items():
        expected = pd.Series(cells)
        found = frame[name]
        assert found.isna().tolist() == expected.isna().tolist(), name
        present = found[found.notna()].tolist()
        assert present == expected[expected.notna()].tolist(), name
        kinds = {type(cell) for cell in present}
        assert len(kinds) == 1, name


@every_case
def test_python(case, tmp_path):
    table = read_table(written(case, tmp_path), Reading(**case.said))
    assert_columns(table.frame, case.columns)
    for words in case.notes:
        assert any(words in note for note in table.notes), table.notes
    if not case.notes:
        assert not table.notes or np.all(["comment" in note for note in table.notes])


@every_case
def test_rows_come_in_batches_of_one_kind(case, tmp_path):
    path = written(case, tmp_path)
    whole = read_table(path, Reading(**case.said))
    sampled = read_table(path, Reading(**case.said), most=5, seed=1)
    assert (len(sampled.frame), sampled.n_rows) == (5, len(whole.frame))
    batches = list(sampled.batches())
    assert {tuple(batch.dtypes) for batch in batches} == {tuple(whole.frame.dtypes)}
    pd.testing.assert_frame_equal(pd.concat(batches, ignore_index=True), whole.frame)
    assert sampled.notes == whole.notes


@every_case
def test_the_command_line_gives_the_same(case, tmp_path, capsys):
    path, out = written(case, tmp_path), tmp_path / "out.parquet"
    said = dict(case.said)
    options = ["--no-header"] if said.pop("header", None) is False else []
    options += ["--na", ",".join(said.pop("missing"))] if "missing" in said else []
    for name, value in said.items():
        options += [f"--{name}", value]
    status = run(["detect", path, "--out", str(out), "--json", "--top", "1", *options])
    shown = capsys.readouterr()
    assert status == 0, shown.err
    table = read_table(path, Reading(**case.said))
    found = pd.read_parquet(out)
    assert found.columns.tolist() == [*table.frame.columns, "score", "rank", "flag"]
    pd.testing.assert_frame_equal(found.iloc[:, :-3], table.frame, check_dtype=False)
    assert sorted(found["rank"]) == list(range(1, len(found) + 1))
    notes = json.loads(shown.out)["notes"]
    assert set(table.notes) <= set(notes)
    for column in set(table.frame.columns) - {table.id_column}:
        assert column in " ".join(notes)
