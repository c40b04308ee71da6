"""docs/detection.md: its examples run, and its tables are those of the results file."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "detection.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_run(code, capsys):
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out


def test_the_tables_are_those_of_the_results():
    path = ROOT / "benchmarks" / "detection_table.py"
    spec = importlib.util.spec_from_file_location("detection_table", path)
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    text = PAGE.read_text()
    assert table.filled(text, table.tables()) == text
    assert all("nan" not in part for part in table.tables().values())
