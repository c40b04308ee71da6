"""Pages of figures that are older than the code they measure."""

import subprocess

import pytest

from scripts import stale


@pytest.fixture
def commit(tmp_path, monkeypatch):
    """Commit a file at some second, in a repository of its own."""
    monkeypatch.setattr(stale, "ROOT", tmp_path)

    def git(*words, **environment):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *settings, *words], cwd=tmp_path, check=True, env=environment)

    def commit(path, second, text=""):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text or str(second))
        git("add", path)
        when = f"@{second} +0000"
        git("commit", "-qm", path, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)

    git("init", "-q")
    return commit


def test_pages_older_than_their_code_are_named(commit):
    day = 86_400
    commit("benchmarks/results/promise.json", 1_000 * day)
    commit("docs/scaling.md", 1_000 * day)
    commit("src/l1kpca/outliers/cells.py", 1_003 * day)
    commit("docs/promise.md", 1_004 * day)  # words, not figures
    (line,) = stale.stale_pages()
    assert line.startswith("docs/promise.md was measured 3.0 days before ")
    commit("benchmarks/results/promise.json", 1_005 * day)
    assert not list(stale.stale_pages())


def test_a_page_that_names_the_commits_it_was_measured_at_is_as_old_as_the_oldest(commit):
    day = 86_400
    commit("src/l1kpca/peers.py", 1_000 * day)
    _, first = stale.last_change()
    commit("src/l1kpca/peers.py", 1_002 * day)
    _, second = stale.last_change()
    said = "**All held.** Measured with l1kpca 1.0 at {} (today)."
    commit("docs/reproduction.md", 1_004 * day, said.format(f"{second}, {first}"))
    (line,) = stale.stale_pages()
    assert line.startswith("docs/reproduction.md was measured 2.0 days before ")
    commit("docs/reproduction.md", 1_005 * day, said.format(second))
    assert not list(stale.stale_pages())


def test_every_page_exists():
    assert all((stale.ROOT / "docs" / page).is_file() for page, _ in stale.PAGES)
    parts = {part for parts in stale.PAGES.values() for part in parts}
    assert all((stale.ROOT / "src" / "l1kpca" / part).exists() for part in parts)
