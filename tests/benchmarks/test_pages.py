"""Pages are made of result files; scripts work on a small scale. No time is asserted."""

import json
import re
from argparse import Namespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks import (
    detection,
    detection_cases,
    optimality,
    peers,
    results,
    scale,
    speed_page,
)
from benchmarks.speed_cases import CELLS, DEFAULT
from l1kpca import L1KernelPCA
from paper.methods import standardized

DETECTION = (results.DOCS / "detection.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", DETECTION, flags=re.DOTALL)


@pytest.fixture
def only_page(tmp_path, monkeypatch):
    """A page written anew from the published results, without touching it."""

    def folder_of(quick, published):
        return tmp_path if published == results.DOCS else published

    monkeypatch.setattr(results, "folder_of", folder_of)
    monkeypatch.setattr(speed_page, "folder_of", folder_of)

    def written(name, page, makers):
        given = Namespace(quick=False, page=True, only=None)
        results.publish(name, page, {}, makers, given)
        return (tmp_path / page).read_text()

    return written


def assert_whole(text):
    """Every line of a table has as many cells as the others."""
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1
    assert not re.search(r"\bnan\b", text)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_of_the_page_on_detection_run(code, capsys):
    exec(compile(code, "detection.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_page_on_detection_is_that_of_the_results(only_page, tmp_path):
    makers = detection.makers(tmp_path)
    assert only_page("detection", "detection.md", makers) == DETECTION
    assert (tmp_path / "images" / "ranks_contaminated.png").stat().st_size > 5000
    assert_whole(DETECTION)


def test_the_page_on_performance_is_that_of_the_results(only_page, tmp_path):
    text = only_page("speed", "performance.md", speed_page.makers(quick=False))
    assert text == (results.DOCS / "performance.md").read_text()
    assert_whole(text)
    for path in re.findall(r"\]\((images/[^)]+)\)", text):
        assert (tmp_path / path).read_bytes()[:4] == b"\x89PNG"
    times = (tmp_path / "performance.csv").read_text()
    assert times == (results.DOCS / "performance.csv").read_text()


def test_cells_are_drawn_against_rows_and_components(tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr(speed_page, "save", lambda draw, path: drawn.update({path.stem: draw()}))
    cells = {name: {DEFAULT: [1.0], "scikit-learn arpack": [2.0]} for name in CELLS}
    speed_page.pictures(tmp_path, cells)
    ends = {"time_n": {500, 1000, 2000, 5000, 10_000}, "time_p": {2, 10, 50, 100}}
    for name, places in ends.items():
        lines = [line for axes in drawn[name].axes for line in axes.lines]
        assert len(lines) == 4  # two panels of two curves
        assert {place for line in lines for place in line.get_xdata()} == places


def test_the_page_on_scaling_can_be_written(only_page):
    text = only_page("scale", "scaling.md", scale.MAKERS)
    assert_whole(text)
    largest = json.loads((results.RESULTS / "scale.json").read_text())["exact-80k"]["result"]
    assert f"| 80,000 | {results.duration(largest['wall time'])} |" in text


def test_the_times_of_workers_are_compared():
    names = ["5M", "10M", "20M", "10M-1", "dask_ml-10M"]
    seconds = [10, 20, 40, 30, 80]
    cases = {
        f"workers-{name}": {"rows": s * 500_000, "workers": 2, "wall time": s, "peak memory": 1e9,
                            "partitions": 40, "steps": 10, "bytes moved": 1e6}
        for name, s in zip(names, seconds, strict=True)
    }  # fmt: skip
    cases["workers-tasks"] = cases["workers-5M"] | {"partitions": 100, "wall time": 5}
    text = scale.cluster(cases)
    assert_whole(text)
    assert "power 1.00 of n; two workers are 1.50 times as fast as one" in text
    assert "0.2 times as long as `dask_ml`" in text
    # 40 s / 10 steps - 40 partitions x 5 ms = 3.8 s for 20 million rows on two workers.
    assert "a = 380 ns for a row and b = 5.0 ms for a partition" in text
    # 10 steps of 3.8 s and 0.38 s for rows, and 10 s for 2000 partitions.
    assert "in 2,000 partitions would take 2.3 min on 100 workers and 104 s on 1000" in text


def test_a_part_that_lacks_results_stays(only_page, capsys):
    text = only_page("speed", "performance.md", {"targets": lambda results: results["absent"]})
    assert text == (results.DOCS / "performance.md").read_text()
    assert "targets: stays as it is, since 'absent' was not measured" in capsys.readouterr().out


def test_a_page_without_marks_is_refused():
    with pytest.raises(SystemExit, match=r"docs/index\.md has no marks <!-- targets -->"):
        results.fill("index.md", {"targets": ""})


def test_formats_of_a_table():
    rows = [{"a": 1, "b": [1, 0.5], "c": None}, {"a": "one", "b": [2, 0.25], "c": 3.0}]
    text = results.rows_table(rows, {"a": "{}", "b": "{} ({:.0%})", "c": results.duration})
    assert text.splitlines()[2:] == ["| 1 | 1 (50%) | - |", "| one | 2 (25%) | 3.0 s |"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(results.duration(9.96), "10.0 s"), (results.duration(600), "10.0 min"),
     (results.duration(7200), "2.0 h"), (results.duration(864_000), "10.0 days"),
     (results.size(512), "512 B"), (results.size(2.5e9), "2.5 GB"), (results.size(8e14), "800 TB"),
     (results.count(1234567), "1,234,567")],
)  # fmt: skip
def test_numbers_as_words(value, text):
    assert value == text


def test_growth_is_the_exponent():
    assert results.growth([10, 20, 40], [3.0, 12.0, 48.0]) == pytest.approx(2)


def test_solvers_are_held_against_a_bound():
    found = optimality.gaps("wbc", "linear", budget=0.05)
    assert all(gap >= 0 for gap in found["best"])
    assert all(r >= g for r, g in zip(found["relaxed"], found["best"], strict=True))
    exact = optimality.small_instances(8, 3)
    assert exact["sdp"] == [3, pytest.approx(0, abs=1e-12)]


def test_components_are_deflated_as_in_one_fit(monkeypatch):
    """Component by component, K or the rows with the earlier ones taken out."""
    settings = {"solver": "polished", "start": "column"}
    monkeypatch.setattr(optimality, "SOLVERS", {optimality.BEST: settings})
    seen = []
    monkeypatch.setattr(
        optimality, "bound", lambda model, budget=None: seen.append(model) or (1, 0)
    )
    X, _ = standardized("wbc")
    for kernel, own in (("linear", {}), ("Gaussian", {"kernel": "rbf", "gamma": "paper"})):
        seen.clear()
        optimality.gaps("wbc", kernel, budget=None)
        model = L1KernelPCA(5, random_state=0, **settings, **own).fit(X)
        objective = [model.objective_[0] for model in seen[::2]]
        assert_allclose(objective, model.objective_, rtol=1e-6)


def test_centers_are_compared():
    assert set(optimality.detection("wbc", "linear")) == {
        "data", "kernel", *optimality.CENTERS, "time, median / mean",
    }  # fmt: skip


def test_a_peer_and_its_oracle_are_timed(capsys):
    assert len(peers.accuracy("L2KernelPCA", quick=True)["wbc"]) == 2
    runs = peers.speed("L2KernelPCA", 1, quick=True)["runs"]
    assert {side: len(seconds) for side, seconds in runs.items()} == {"seconds": 1, "plain": 1}


@pytest.mark.filterwarnings("ignore")
def test_detectors_are_scored_on_rows_that_they_have_not_seen():
    X, y = np.arange(20.0)[:, np.newaxis], np.arange(20) >= 16
    train, rest, labels = detection_cases.halves(X, y)
    assert len(train) == 8
    assert labels.sum() == 4
    assert not set(train.ravel()) & set(rest.ravel())
    found = {name: detection_cases.abnormality(name, train, rest, 0) for name in ("l1kpca", "KNN")}
    for scores in found.values():
        assert scores[labels].min() > np.median(scores[~labels])
    assert max(detection_cases.planted(n=3000)) <= 10


def test_fits_of_the_page_on_scaling():
    blocked, landmarks = scale.fit(300, scale.BOUNDED), scale.fit(300, landmarks=20)
    assert blocked["share of trace K missed"] == 0 < landmarks["share of trace K missed"]
    assert scale.one_pass(200, "float64") > 0
    exact, *approximate = scale.landmarks_on_mnist([40], "wbc")
    assert approximate[0]["objective"] == pytest.approx(exact["objective"], rel=0.05)
