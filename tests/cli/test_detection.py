"""Detection from a table to files: each row is projected and explained once; rules of one's own."""

import sys

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector
from l1kpca.gram.projection import Projection

OWN_RULE = '''
from dataclasses import dataclass
import numpy as np
from l1kpca.outliers import FittedRule, Rule

@dataclass(frozen=True)
class First(Rule):
    """The first component alone."""

    power: float = 2.0

    def fit(self, rows, pca):
        first = rows.scores[:, 0]
        return FittedFirst(
            components=np.array([0]),
            center=np.array([np.median(first)]),
            scale=np.array([first.std()]),
        )

@dataclass(frozen=True, eq=False, kw_only=True)
class FittedFirst(FittedRule):
    def abnormality(self, rows):
        return self.standardized(rows)[:, 0] ** 2

@dataclass(frozen=True)
class Needy(First):
    def __init__(self, power):
        pass

def function():
    pass

class Broken(First):
    def __post_init__(self):
        raise ArithmeticError("never")
'''


def test_a_column_may_be_called_like_a_default(cli_json, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,auto\n" + "".join(f"{i % 7},{i % 5},{i // 39}\n" for i in range(40)))
    assert cli_json("detect", path, "--label", "auto")["agreement"]["n_outliers"] == 1


@pytest.fixture
def own_rule(tmp_path, monkeypatch):
    """A module in the current folder."""
    (tmp_path / "my_rules.py").write_text(OWN_RULE)
    (tmp_path / "broken_rules.py").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("my_rules", None)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_every_row_is_projected_once_and_explained_once(cli, csv_file, tmp_path, monkeypatch, rule):
    projected, explained = [], []
    project, explain = Projection.__call__, KernelPCAOutlierDetector.explain

    def counting_project(self, X, *arguments):
        projected.append((self, len(X)))
        return project(self, X, *arguments)

    def counting_explain(self, X):
        explained.extend(X.table.index)
        with monkeypatch.context() as inner:
            inner.setattr(Projection, "__call__", project)
            return explain(self, X)

    monkeypatch.setattr(Projection, "__call__", counting_project)
    monkeypatch.setattr(KernelPCAOutlierDetector, "explain", counting_explain)
    files = ["--out", tmp_path / "s.csv", "--report", tmp_path / "r.html"]
    assert cli("detect", csv_file, "--rule", rule, *files, "-q").status == 0
    # Once by the detector, once by the classical one beside it; the paper's rule adds one far row.
    (first, n_first), (second, n_second) = [found for found in projected if found[1] > 1]
    assert first is not second
    assert n_first == n_second == 100
    assert len(explained) == len(set(explained)) >= 20


def test_a_rule_of_ones_own(cli_json, cli, csv_file, tmp_path, own_rule):
    out = tmp_path / "s.parquet"
    options = ["--rule", "my_rules:First", "--id", "case", "--ignore", "bad"]
    found = cli_json("detect", csv_file, *options, "--out", out, "--report", tmp_path / "r.html")
    assert found["settings"]["rule"] == "First(variance_kept=0.8, power=2.0)"
    scores = pd.read_parquet(out)
    assert (scores["flag"] == (scores["score"] > found["cutoff"])).all()
    assert cli("detect", csv_file, *options).status == 0


def test_a_model_with_a_rule_of_ones_own(cli, cli_json, csv_file, tmp_path, own_rule):
    model = tmp_path / "m.skops"
    trust = ["--trust", "my_rules:First", "--trust", "my_rules:FittedFirst"]
    options = ["--rule", "my_rules:First", "--id", "case"]
    found = cli_json("detect", csv_file, *options, "--save", model)
    sys.modules.pop("my_rules")
    done = cli("score", model, csv_file)
    assert (done.status, done.stdout) == (2, "")
    assert "not trusted (my_rules:First, my_rules:FittedFirst); if they are your own" in done.stderr
    assert "--trust module:Class" in done.stderr
    assert "my_rules" not in sys.modules
    scored = cli_json("score", model, csv_file, *trust)
    assert [row["score"] for row in scored["top"]] == [row["score"] for row in found["top"]]


def test_classes_that_cannot_be_trusted(cli, csv_file, tmp_path, own_rule):
    done = cli("score", tmp_path / "m.skops", csv_file, "--trust", "my_rules:Second")
    assert (done.status, done.stdout) == (2, "")
    assert "--trust my_rules:Second cannot be imported (" in done.stderr


BAD_RULES = {
    "best": "rule='best' must be one of [",
    "my_rules:Second": "--rule my_rules:Second cannot be imported (module 'my_rules' has no",
    "no_rules:First": "--rule no_rules:First cannot be imported (No module named 'no_rules');",
    ":First": "--rule :First cannot be imported (",
    "my_rules:": "--rule my_rules: cannot be imported (",
    "my_rules:function": "--rule my_rules:function is not a class; write it as package.module:",
    "my_rules:Needy": "--rule my_rules:Needy: Needy() fails (",
    "my_rules:Broken": "--rule my_rules:Broken: Broken() fails (never); give every field a",
    "broken_rules:First": "--rule broken_rules:First cannot be imported (name 'nothing' is not",
    "fractions:Fraction": "'robust', 'novelty', 'paper'], or a rule object.",
}


@pytest.mark.parametrize(("rule", "message"), BAD_RULES.items(), ids=BAD_RULES)
def test_rules_that_cannot_be_used(cli, csv_file, own_rule, rule, message):
    done = cli("detect", csv_file, "--rule", rule, "-q")
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("options", [["--contamination", "0"], ["--rule", "novelty"]])
def test_clean_rows_and_new_ones(cli, cli_json, csv_file, tmp_path, options):
    model = tmp_path / "model.skops"
    found = cli_json("detect", csv_file, "--id", "case", "--save", model, *options)
    assert found["settings"]["rule"] == "novelty"
    assert found["n_flagged"] <= 2
    new = pd.read_csv(csv_file)
    numbers = [name for name in new.select_dtypes(float) if name != "case"]
    new.loc[:2, numbers] += 50 * new[numbers].std()
    new.to_csv(tmp_path / "new.csv", index=False)
    judged = cli_json("score", model, tmp_path / "new.csv")
    assert {row["row"] for row in judged["top"][:3]} == {1, 2, 3}
    assert judged["n_flagged"] >= 3


def test_the_separator_can_be_said(cli, tmp_path):
    rows = "".join(f"{i % 3},5\t{i * i % 7},{i % 10}\n" for i in range(20))
    (tmp_path / "a.txt").write_text(rows)
    widths = {}
    for mark in ("tab", ","):
        out = tmp_path / f"{len(widths)}.parquet"
        assert cli("detect", tmp_path / "a.txt", "--separator", mark, "--out", out).status == 0
        widths[mark] = pd.read_parquet(out).shape[1] - 3
    assert widths == {"tab": 2, ",": 3}


ONE = np.random.default_rng(3).normal(20, 2, 60).round(2).tolist()
ONE[41] = 90.25
AS_TEXT = {
    "a name": lambda cells: ["temp in C", *cells],
    "no name": lambda cells: cells,
    "a footer": lambda cells: ["temp", *cells, "Source: the roof, 2024"],
    "decimal commas": lambda cells: ["temp", *[cell.replace(".", ",") for cell in cells]],
}


@pytest.mark.parametrize("kind", [*AS_TEXT, "parquet", "npy", "xlsx", "jsonl"])
def test_one_column_of_numbers_is_a_table(cli, tmp_path, kind):
    path, out = tmp_path / f"a.{kind if kind not in AS_TEXT else 'csv'}", tmp_path / "o.parquet"
    frame = pd.DataFrame({"temp": ONE})
    if kind in AS_TEXT:
        path.write_text("\n".join(AS_TEXT[kind]([f"{x:.2f}" for x in ONE])) + "\n")
    elif kind == "npy":
        np.save(path, frame)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_excel(path, index=False) if kind == "xlsx" else frame.to_parquet(path)
    done = cli("detect", path, "--out", out)
    assert done.status == 0, done.stderr
    found = pd.read_parquet(out)
    assert found.shape == (60 + (kind == "a footer"), 4)
    assert found["rank"][41] == 1 + (kind == "a footer")  # which is not a number either


@pytest.mark.parametrize("columns", [["a", "b"], ["a"]])
def test_one_new_row_is_scored(cli, cli_json, tmp_path, columns):
    frame = pd.DataFrame({"a": ONE, "b": ONE[::-1]})[columns]
    frame.to_csv(tmp_path / "a.csv", index=False)
    cli_json("detect", tmp_path / "a.csv", "--save", tmp_path / "m.skops")
    for value, flagged in ((20.5, 0), (200.5, 1)):
        (frame.iloc[:1] * 0 + value).to_csv(tmp_path / "b.csv", index=False)
        found = cli_json("score", tmp_path / "m.skops", tmp_path / "b.csv")
        assert (found["n_rows"], found["n_flagged"]) == (1, flagged)
    (tmp_path / "b.csv").write_text(",".join(columns) + "\n")
    done = cli("score", tmp_path / "m.skops", tmp_path / "b.csv")
    assert done.status == 2
