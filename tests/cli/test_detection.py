"""Detection from a table to files: each row is projected and explained once; rules of one's own."""

import sys

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
