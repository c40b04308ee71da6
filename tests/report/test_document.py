"""A page needs nothing else, and nothing in the data can get out of its facts."""

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.files import OutputError
from l1kpca.report import Report, document, report

EVIL = "</script><!--<script>alert('x')</script>\"'&{{ 7 * 7 }}\u2028"


class Parts(HTMLParser):
    """Elements, and the text of the page by the element that it stands in."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.inside, self.scripts = [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data


def test_a_page_holds_the_facts_and_no_more_scripts_than_its_own(detector, X, labels):
    plain = Parts(report(detector, X, labels=labels, names=["n"] * 80).to_html())
    frame = pd.DataFrame(X, columns=[EVIL, "b", "c", "d"])
    hostile = KernelPCAOutlierDetector(random_state=0).fit(frame)
    evil = report(hostile, frame, labels=labels, names=[EVIL + "\ud800"] * 80, source=EVIL)
    parts = Parts(evil.to_html())
    tags = [[tag for tag, _ in one.elements] for one in (plain, parts)]
    assert tags[0] == tags[1]
    assert len(parts.scripts) == 2
    assert json.loads(parts.scripts[0])["rows"]["id"] == evil.facts["rows"]["id"]
    assert plain.scripts[1] == parts.scripts[1]


def test_a_page_needs_nothing_else(detector, X):
    text = report(detector, X).to_html()
    for tag, attributes in Parts(text).elements:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form")
        assert attributes.get("href", "#").startswith(("#", "data:,"))
        assert "src" not in attributes
    assert "default-src 'none'" in text


def test_save_and_show_in_a_notebook(detector, X, tmp_path):
    made = report(detector, X)
    path = made.save(tmp_path / "x.html")
    assert path.read_text(encoding="utf-8") == made.to_html()
    made.save(path)
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        made.save(path, overwrite=False)
    (tag, attributes), *others = Parts(made._repr_html_()).elements
    assert (tag, attributes["sandbox"], others) == ("iframe", "allow-scripts allow-downloads", [])
    assert attributes["srcdoc"] == made.to_html()


@pytest.mark.parametrize("shape", [(3, 1), (7, 2), (50, 1)])
def test_rows_that_are_all_alike_make_a_page(shape):
    X = np.zeros(shape)
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    made = report(detector, X)
    assert isinstance(made, Report)
    assert made.facts["n_flagged"] == 0
    assert "NaN" not in document.embedded(made.facts)


def test_missing_text_and_left_out_columns(program, tmp_path):
    """The command line hands on what a matrix does not show."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    frame["color"] = rng.choice(["red", "blue"], size=60)
    frame["remark"] = [f"text {i}" for i in range(60)]
    frame.loc[5, "a"] = np.nan
    frame.loc[7, "b"] = 50.0
    frame.to_csv(tmp_path / "d.csv", index=False)
    target = tmp_path / "r.html"
    program("detect", tmp_path / "d.csv", "--report", target, "--quiet", "--rule", "robust")
    facts = json.loads(Parts(target.read_text(encoding="utf-8")).scripts[0])
    assert facts["data"] == {"n_columns": 3, "n_left_out": 1, "left_out": ["remark"]}
    assert {column["name"]: column["missing"] for column in facts["columns"]} == {
        "a": pytest.approx(1 / 60), "b": 0, "color": 0,
    }  # fmt: skip
    color = next(column for column in facts["columns"] if column["name"] == "color")
    assert color["usual"] in ("red", "blue")
    assert 0.5 <= color["share"] < 1
    cells = [cell for row in facts["details"] for cell in row[1]]
    assert cells.count(None) == 1
    assert facts["reproduce"]["command"] == (
        f"l1kpca detect {tmp_path / 'd.csv'} --report {target} --quiet --rule robust"
    )
    assert any("1 cell is missing (a: 1)" in note for note in facts["notes"])


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"names": ["a"]}, "names has 1 entries, but X has 80 rows: give one each"),
        ({"labels": [0, 1]}, r"labels has shape \(2,\), but X has 80 rows"),
        ({"labels": np.zeros(80)}, "1 for outliers and 0 for other rows, and both must occur"),
        ({"labels": np.arange(80)}, r"both must occur: found 0, 1, 2, 3, 4, \.\.\."),
    ],
)
def test_labels_and_names_must_fit(detector, X, keywords, message):
    with pytest.raises(ValueError, match=message):
        report(detector, X, **keywords)


def test_what_cannot_be_reported(X):
    with pytest.raises(NotFittedError):
        report(KernelPCAOutlierDetector(), X)
    with pytest.raises(ValueError, match="detector=L1KernelPCA must be a fitted KernelPCAOutlier"):
        report(L1KernelPCA(2).fit(X), X)
    K = X @ X.T
    precomputed = KernelPCAOutlierDetector(L1KernelPCA(2, kernel="precomputed"), rule="paper")
    with pytest.raises(ValueError, match="a report needs the columns of the rows"):
        report(precomputed.fit(K), K)
