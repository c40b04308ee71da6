"""The command on a small scale, from measurements to the page; no time is asserted."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from l1kpca.bench import PARTS, Settings, read_results
from l1kpca.bench import run as run_bench
from l1kpca.bench.base import Part
from l1kpca.bench.page import make_page
from l1kpca.bench.targets import TARGETS
from l1kpca.cli.app import run
from l1kpca.journal import NOT_RUN, Task
from l1kpca.plots.bench import FIGURES
from l1kpca.report.performance import to_markdown

SCRIPT = Path(__file__).parents[2] / "scripts" / "write_performance.py"


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Everything, small; needs no data set but the one that is built in."""
    folder = tmp_path_factory.mktemp("quick") / "out"
    assert run(["bench", "--quick", "--quiet", "--out", str(folder)]) == 0
    return folder


def test_all_tasks_are_done(quick):
    frame = read_results(quick)
    assert set(frame["status"]) == {"done"}
    known = {task.part for part in PARTS.values() for task in part.plan(Settings(quick=True))}
    assert set(frame["part"]) == known


def test_every_target_and_every_section_has_its_numbers(quick):
    page = make_page(read_results(quick))
    assert page.tally == {"not judged": len(TARGETS)}
    assert [section.title for section in page.sections] == [
        "What each technique brought",
        "Time against n and p",
        "Growth",
        "Memory",
        "Import and first call",
    ]
    assert all(table.lines for section in page.sections for table in section.tables)


def test_the_same_numbers_would_be_judged_in_a_full_run(quick):
    page = make_page(read_results(quick).assign(size="full"))
    assert set(page.tally) <= {"met", "not met"}
    text = to_markdown(page, {})
    for judged in page.judged:
        assert (judged.target.reason in text) or judged.met


def test_the_page_shows_all_targets_and_figures(quick):
    text = (quick / "index.html").read_text()
    assert text.count("not judged</td>") == len(TARGETS)
    assert set(re.findall(r'src="figures/(\w+)\.svg"', text)) == set(FIGURES)
    for name in FIGURES:
        assert (quick / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (quick / "figures" / f"{name}.svg").read_text()
    assert "A quick run" in text


def test_a_second_run_measures_nothing(quick, capsys):
    before = (quick / "results.json").read_bytes()
    assert run(["bench", "--quick", "--only", "grid", "--out", str(quick), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (quick / "results.json").read_bytes() == before
    assert len(told["targets"]) == len(TARGETS)
    assert {target["verdict"] for target in told["targets"]} == {"not judged"}


def test_the_page_of_the_documentation_is_made_of_the_rows(quick, tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, quick, "--docs", tmp_path, "--keep", tmp_path / "speed.json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert f"with {len(FIGURES)} figures" in done.stdout
    assert (tmp_path / "speed.json").read_bytes() == (quick / "results.json").read_bytes()
    text = (tmp_path / "performance.md").read_text()
    pictures = re.findall(r"\]\(([^)]+)\)", text)
    assert len(pictures) == len(FIGURES)
    assert all((tmp_path / picture).is_file() for picture in pictures)
    block = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append(line)
        elif block:
            assert len({len(re.findall(r"(?<!\\)\|", entry)) for entry in block}) == 1
            block = []


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
def test_an_incomplete_run_has_a_page(share, quick):
    frame = read_results(quick)
    # A task is measured as a whole or not at all.
    columns = ["part", "kernel", "dtype", "n", "n_components", "case", "technique"]
    where = frame[columns].astype(object).fillna("")
    task = (where != where.shift()).any(axis=1).cumsum()
    status = frame["status"].where(task < task[int(share * len(frame))], NOT_RUN)
    page = make_page(frame.assign(status=status))
    assert "# Performance" in to_markdown(page, {})
    assert any("This run is not complete" in note for note in page.notes)


def counted(calls, stop_at=None):
    def plan(settings):
        return [Task("bench", "counted", {"place": place}) for place in range(3)]

    def measure(task, context):
        if task.parameters["place"] == stop_at:
            raise KeyboardInterrupt
        calls.append((task.parameters["place"], context.allowance > 0))
        return [{"method": "x", "seconds": 1.0}]

    return Part("counted", plan, measure)


def test_a_stopped_run_goes_on_and_a_fresh_one_begins_anew(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setitem(PARTS, "counted", counted(calls, stop_at=1))
    with pytest.raises(KeyboardInterrupt):
        run_bench(["counted"], tmp_path, Settings(quick=True))
    monkeypatch.setitem(PARTS, "counted", counted(calls))
    run_bench(["counted"], tmp_path, Settings(quick=True))
    assert calls == [(0, True), (1, True), (2, True)]
    run_bench(["counted"], tmp_path, Settings(quick=True, fresh=True))
    assert [place for place, _ in calls] == [0, 1, 2, 0, 1, 2]


def test_an_interrupted_command_leaves_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(PARTS, "counted", counted([], stop_at=1))
    assert run(["bench", "--quick", "--only", "counted", "--out", str(tmp_path)]) == 130
    assert "l1kpca: interrupted;" in capsys.readouterr().err
    assert "This run is not complete" in (tmp_path / "index.html").read_text()


def test_a_part_that_fails_is_named(tmp_path, monkeypatch):
    def measure(task, context):
        raise ValueError("no such thing")

    monkeypatch.setitem(PARTS, "counted", Part("counted", counted([]).plan, measure))
    frame = run_bench(["counted"], tmp_path, Settings(quick=True))
    (note,) = [note for note in make_page(frame).notes if note.startswith("Tasks that failed")]
    assert note == "Tasks that failed: 3. ValueError: no such thing"


def test_a_data_set_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("l1kpca.datasets.available", lambda data_dir: [])
    frame = run_bench(["musk"], tmp_path, Settings(quick=True))
    assert any("left out: wbc." in note for note in make_page(frame).notes)


def test_files_of_others_are_not_overwritten(tmp_path, capsys):
    (tmp_path / "results.json").write_text("mine")
    assert run(["bench", "--quick", "--only", "linear", "--out", str(tmp_path)]) == 2
    assert "results.json exists and is not overwritten" in capsys.readouterr().err
    assert (tmp_path / "results.json").read_text() == "mine"
    assert (
        run(["bench", "--quick", "-q", "--only", "linear", "--out", str(tmp_path), "--force"]) == 0
    )
    assert "rows" in json.loads((tmp_path / "results.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "everything"], "--only everything: not a part; give one of loading, mnist,"),
        (["--budget", "0"], "bench: budget=0.0 must be positive; give seconds, such as 8."),
        (["--minutes", "-1"], "bench: minutes=-1.0 must be positive; give minutes, such as 33."),
        (["--quick", "--data-dir", "no/such"], "data_dir='no/such' is not a directory"),
    ],
)
def test_bad_input(arguments, sentence, tmp_path, capsys):
    assert run(["bench", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert sentence in capsys.readouterr().err
