"""The facts of a page are those of the detector, and nothing in the data can get out of them."""

import base64
import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, __version__
from l1kpca.outputs import OutputError
from l1kpca.peers import L2KernelPCA
from l1kpca.report import Report, packing, page, report

EVIL = "</script><!--<script>alert('x')</script>\"'&{{ 7 * 7 }}\u2028"


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4))
    X[:4] += 12 * rng.normal(size=(4, 4))
    return X


@pytest.fixture(scope="module")
def detector(X):
    return KernelPCAOutlierDetector(random_state=0).fit(X)


@pytest.fixture(scope="module")
def labels(X):
    return np.arange(len(X)) < 4


@pytest.fixture(scope="module")
def facts(detector, X, labels):
    return report(detector, X, labels=labels, names=[f"n{i}" for i in range(len(X))]).facts


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


def test_rows_are_in_the_order_of_their_scores(facts, detector, X, labels):
    scores = -detector.score_samples(X)
    order = np.argsort(-scores, kind="stable")
    rows = facts["rows"]
    np.testing.assert_array_equal(unpacked(rows["row"], "u4"), order + 1)
    np.testing.assert_allclose(unpacked(rows["score"], "f4"), scores[order], rtol=1e-6)
    assert rows["id"] == [f"n{i}" for i in order]
    assert rows["label"] == "".join(str(int(labels[i])) for i in order)
    assert (facts["n_rows"], facts["n_listed"]) == (80, 80)
    assert facts["n_flagged"] == (detector.predict(X) == -1).sum()
    assert facts["cutoff"] == -detector.offset_


def test_places_are_those_of_the_detector(facts, detector, X):
    rows, order = facts["rows"], unpacked(facts["rows"]["row"], "u4") - 1
    where = detector.outlier_map(X)
    plane = detector.pca_.transform(detector.columns_(X))
    for name, expected in (
        ("score_distance", where.score_distance),
        ("orthogonal_distance", where.orthogonal_distance),
        ("x", plane[:, 0]),
        ("y", plane[:, 1]),
    ):
        np.testing.assert_allclose(
            unpacked(rows[name], "f4"), expected[order], rtol=1e-5, atol=1e-6
        )
    assert facts["map"]["score_cutoff"] == where.score_cutoff
    assert facts["map"]["orthogonal_cutoff"] == where.orthogonal_cutoff


def test_contributions_add_up_to_the_score(facts, detector, X):
    order = unpacked(facts["rows"]["row"], "u4") - 1
    scores, explained = unpacked(facts["rows"]["score"], "f4"), detector.explain(X)
    assert facts["n_explained"] == 80
    for place, (columns, cells, pushes, rest) in enumerate(facts["details"]):
        assert np.isclose(sum(pushes) + rest, scores[place], rtol=1e-4)
        assert sorted(np.abs(pushes), reverse=True) == list(np.abs(pushes))
        names = [facts["columns"][column]["name"] for column in columns]
        index = [int(name[1:]) for name in names]
        np.testing.assert_allclose(pushes, explained[order[place]][index], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(cells, X[order[place]][index], rtol=1e-5)


def test_usual_range_of_columns(facts, X):
    for column in facts["columns"]:
        values = X[:, int(column["name"][1:])]
        expected = np.quantile(values, [0.05, 0.5, 0.95])
        found = [column["low"], column["median"], column["high"]]
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_classical_ranks_are_those_of_a_detector_with_l2_components(X, labels, rule):
    """With all rows in the sample, only the components differ."""
    robust = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    pca = robust.pca_
    twin = KernelPCAOutlierDetector(
        L2KernelPCA(pca.n_components_, kernel="rbf", gamma=pca.gamma_, center=pca.center),
        rule=rule,
    ).fit(X)
    facts = report(robust, X, labels=labels).facts
    order = unpacked(facts["rows"]["row"], "u4") - 1
    expected = page.ranks(-twin.score_samples(X))[order]
    np.testing.assert_array_equal(unpacked(facts["rows"]["classical"], "u4"), expected)
    assert 0 < facts["comparison"]["agreement"]["average_precision"] <= 1


def test_a_classical_detector_is_not_compared_with_itself(X):
    classical = KernelPCAOutlierDetector(L2KernelPCA(3, kernel="rbf")).fit(X)
    facts = report(classical, X).facts
    assert facts["rows"]["classical"] is None
    assert facts["comparison"] is None
    assert all(part["gap"] is None for part in facts["convergence"])


def test_an_indefinite_kernel_is_compared_without_further_warnings(X):
    pca = L1KernelPCA(5, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semidefinite"):
        detector = KernelPCAOutlierDetector(pca).fit(X)
    classical = unpacked(report(detector, X).facts["rows"]["classical"], "u4")
    assert sorted(classical) == list(range(1, 81))


def test_many_training_rows_are_not_compared():
    X = np.random.default_rng(0).normal(size=(2001, 2))
    detector = KernelPCAOutlierDetector(L1KernelPCA(2)).fit(X)
    assert report(detector, X).facts["rows"]["classical"] is None


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_data_frames_name_the_columns(X, kind):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame = pl.from_pandas(frame) if kind == "polars" else frame
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    facts = report(detector, frame).facts
    assert {column["name"] for column in facts["columns"]} == set("abcd")


def test_convergence_and_gap(facts, detector):
    pca = detector.pca_
    assert len(facts["convergence"]) == pca.n_components_
    first = facts["convergence"][0]
    assert first["steps"] == pca.n_iter_[0]
    np.testing.assert_allclose(first["trace"], pca.objective_trace_[0], rtol=1e-5)
    assert 0 <= first["gap"] < 1


def test_a_certified_model_shows_all_its_gaps(X):
    pca = L1KernelPCA(4, kernel="rbf", certify=True)
    certified = KernelPCAOutlierDetector(pca).fit(X)
    parts = report(certified, X).facts["convergence"]
    np.testing.assert_allclose(
        [part["gap"] for part in parts], certified.pca_.optimality_gap_, rtol=1e-5, atol=1e-12
    )


def test_how_to_reproduce(facts):
    again = facts["reproduce"]
    assert again["code"] == "KernelPCAOutlierDetector(random_state=0)"
    assert again["versions"]["l1kpca"] == __version__
    assert again["command"] is None


def test_facts_survive_json(facts):
    assert json.loads(packing.embedded(facts)) == json.loads(json.dumps(facts))


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
    assert (tag, attributes["sandbox"], others) == ("iframe", "allow-scripts", [])
    assert attributes["srcdoc"] == made.to_html()


@pytest.mark.parametrize("shape", [(3, 1), (7, 2), (50, 1)])
def test_rows_that_are_all_alike_make_a_page(shape):
    X = np.zeros(shape)
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    made = report(detector, X)
    assert isinstance(made, Report)
    assert made.facts["n_flagged"] == 0
    assert "NaN" not in packing.embedded(made.facts)


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
    assert facts["data"] == {
        "n_columns": 3, "n_filled": 1, "n_left_out": 1, "left_out": ["remark"],
    }  # fmt: skip
    color = next(column for column in facts["columns"] if column["name"] == "color")
    assert color["usual"] in ("red", "blue")
    assert 0.5 <= color["share"] < 1
    cells = [cell for row in facts["details"] for cell in row[1]]
    assert cells.count(None) == 1
    assert facts["reproduce"]["command"] == (
        f"l1kpca detect {tmp_path / 'd.csv'} --rule robust --report {target} --quiet"
    )
    assert any("1 missing value was filled in" in note for note in facts["notes"])


def test_many_rows_and_long_ids_stay_below_six_megabytes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120_000, 3))
    detector = KernelPCAOutlierDetector(max_samples=100, random_state=0).fit(X)
    labels = rng.random(len(X)) < 0.01
    made = report(detector, X, labels=labels, names=[f"{'long id':40}{i}" for i in range(len(X))])
    assert len(made.to_html().encode("utf-8")) < 6_000_000
    assert (made.facts["n_rows"], made.facts["n_listed"]) == (120_000, page.MOST_LISTED)
    assert sum(made.facts["histogram"]["counts"]) == 120_000
    assert made.facts["n_flagged"] == (detector.predict(X) == -1).sum()


def test_many_columns_are_cut_to_the_most_responsible():
    X = np.random.default_rng(0).normal(size=(30, 300))
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    facts = report(detector, X, top=2).facts
    columns, cells, pushes, rest = facts["details"][0]
    assert len(columns) == len(cells) == len(pushes) == 40
    assert np.isclose(sum(pushes) + rest, unpacked(facts["rows"]["score"], "f4")[0], rtol=1e-4)


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
