"""The command on a small scale, from rows to page."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from l1kpca.cli.app import run
from l1kpca.experiments import EXPERIMENTS, read_results
from l1kpca.experiments.claims import ALL_CLAIMS
from l1kpca.experiments.page import make_page
from l1kpca.plots.experiments import FIGURES
from l1kpca.report.reproduction import to_markdown

SCRIPT = Path(__file__).parents[2] / "scripts" / "write_reproduction.py"


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Everything, small; needs no data set but the one that is built in."""
    folder = tmp_path_factory.mktemp("quick") / "out"
    assert run(["reproduce", "all", "--quick", "--quiet", "--out", str(folder)]) == 0
    return folder


def test_all_tasks_are_done(quick):
    frame = read_results(quick)
    assert set(frame["status"]) == {"done"}
    assert set(frame["experiment"]) == set(EXPERIMENTS)


def test_the_page_has_every_claim_and_every_figure(quick):
    text = (quick / "index.html").read_text()
    for claim in ALL_CLAIMS:
        assert claim.statement.split("(")[0].split("'")[0].strip() in text
    shown = set(re.findall(r'src="figures/(\w+)\.svg"', text))
    assert shown == set(FIGURES)
    for name in FIGURES:
        assert (quick / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (quick / "figures" / f"{name}.svg").read_text()
    assert "A quick run" in text


def test_every_figure_of_the_page_can_be_drawn(quick):
    page = make_page(read_results(quick))
    named = {figure.name for judged in page.sections for figure in judged.section.figures}
    assert named == set(FIGURES)


def test_a_second_run_changes_no_row_and_keeps_the_other_experiments(quick, capsys):
    before = (quick / "results.csv").read_bytes()
    assert run(["reproduce", "toys", "--quick", "--out", str(quick), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (quick / "results.csv").read_bytes() == before
    assert sum(told["tally"].values()) == len(ALL_CLAIMS)
    assert {v["verdict"] for v in told["verdicts"]} <= set(told["tally"])


@pytest.mark.parametrize("share", [0.01, 0.5, 0.97, 0.995])
def test_an_incomplete_run_says_so(share, quick):
    frame = read_results(quick)
    status = frame["status"].where(frame.index < share * len(frame), "not run")
    page = make_page(frame.assign(status=status))
    assert any("This run is not complete" in note for note in page.notes)
    assert len(page.sections) >= 1


def test_the_page_of_the_documentation_is_made_of_the_rows(quick, tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, quick, "--docs", tmp_path],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert f"with {len(FIGURES)} figures" in done.stdout
    text = (tmp_path / "reproduction.md").read_text()
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / target).is_file()
    assert "**did not hold**" in text or "**held**" in text


def test_bars_in_cells_do_not_break_the_table(quick):
    page = make_page(read_results(quick))
    block = []
    for line in [*to_markdown(page, {}).splitlines(), ""]:
        if line.startswith("|"):
            block.append(line)
        elif block:
            assert len({len(re.findall(r"(?<!\\)\|", entry)) for entry in block}) == 1
            block = []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["all", "--budget", "0"], "reproduce: budget=0.0 must be positive; give seconds"),
        (["everything"], "'everything' is not one of"),
        (["toys", "--quick", "--data-dir", "no/such"], "data_dir='no/such' is not a directory"),
    ],
)
def test_bad_input(arguments, sentence, tmp_path, capsys):
    status = run(["reproduce", *arguments, "--out", str(tmp_path / "out")])
    assert status == 2
    assert sentence in capsys.readouterr().err


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["reproduce", "toys", "--out", str(tmp_path / "file")]) == 2
    assert "give a folder that can be made" in capsys.readouterr().err
