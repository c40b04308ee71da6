"""The progress bar: what is done, how far the pass is, and when it will end."""

import numpy as np
import pytest

from l1kpca import L1KernelPCA
from l1kpca.components.deflation import Deflation
from l1kpca.estimators import progress
from l1kpca.estimators.progress import ProgressBar


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def last_line(capsys):
    return capsys.readouterr().err.split("\r")[-1].strip()


def test_before_the_first_component_the_time_left_is_a_lower_bound(clock, capsys):
    bar = ProgressBar("fit")
    found = bar.over(iter([]), 10)

    def components():
        bar.hear(0.0)
        clock.now += 5
        bar.hear(0.25)
        yield "first"

    found = bar.over(components(), 10)
    next(found)
    lines = [line.strip() for line in capsys.readouterr().err.split("\r")]
    assert (
        "fit [........................] 0/10 components, this pass 25%, more than 3 min left"
        in lines
    )
    found.close()


def test_then_the_time_left_goes_by_the_components_so_far(clock, capsys):
    bar = ProgressBar("fit")

    def components():
        for _ in range(4):
            bar.hear(0.5)
            clock.now += 30
            yield "component"

    found = bar.over(components(), 4)
    next(found)
    assert last_line(capsys) == "fit [######..................] 1/4 components, 90 s left"
    next(found)
    assert last_line(capsys) == "fit [############............] 2/4 components, 60 s left"
    clock.now += 10
    bar.hear(1.0)
    assert last_line(capsys) == "fit [############............] 2/4 components, 50 s left"
    assert len(list(found)) == 2
    assert last_line(capsys) == "fit [########################] 4/4 components, 0 s left"


def test_components_from_a_checkpoint_do_not_count(clock, capsys):
    bar = ProgressBar("fit")

    def components():
        yield "saved"
        yield "saved"
        bar.hear(1.0)
        clock.now += 60
        yield "found"

    found = bar.over(components(), 4)
    next(found), next(found)
    assert last_line(capsys) == "fit [############............] 2/4 components"
    next(found)
    assert last_line(capsys) == "fit [##################......] 3/4 components, 60 s left"
    found.close()


def test_nobody_knows_how_many_come(clock, capsys):
    bar = ProgressBar("fit")
    assert list(bar.over(iter("ab"), None)) == ["a", "b"]
    assert last_line(capsys) == "fit 2 components"


def test_an_interrupted_bar_ends_its_line(clock, capsys):
    found = ProgressBar("fit").over(iter("ab"), 2)
    next(found)
    found.close()
    assert capsys.readouterr().err.endswith("\n")


@pytest.mark.parametrize("gram", ["dense", "blocked", "nystroem"])
def test_a_fit_shows_it_and_transform_does_not(make_rows, capsys, gram):
    X = make_rows(400)
    pca = L1KernelPCA(3, kernel="rbf", gram=gram, verbose=1).fit(X)
    assert "3/3 components" in capsys.readouterr().err
    pca.transform(X)
    assert capsys.readouterr().err == ""


def test_it_is_silent_by_default_and_changes_nothing(make_rows, capsys):
    X = make_rows(200)
    quiet = L1KernelPCA(3, kernel="rbf").fit(X)
    assert capsys.readouterr().err == ""
    loud = L1KernelPCA(3, kernel="rbf", verbose=1).fit(X)
    np.testing.assert_array_equal(loud.dual_components_, quiet.dual_components_)


@pytest.mark.parametrize("verbose", [0, 1])
def test_a_search_is_closed_before_its_components_are_kept(monkeypatch, verbose):
    """It holds vectors of all rows, which nobody needs once there is enough variance."""
    components, keep, events = Deflation.components, L1KernelPCA._keep, []

    def search(solver, gram, limit):
        try:
            yield from components(solver, gram, limit)
            events.append("exhausted")
        finally:
            events.append("closed")

    def note_and_keep(*given):
        events.append("kept")
        return keep(*given)

    monkeypatch.setattr(Deflation, "components", search)
    monkeypatch.setattr(L1KernelPCA, "_keep", note_and_keep)
    L1KernelPCA(0.5, verbose=verbose).fit(np.random.default_rng(0).normal(size=(30, 5)))
    assert events == ["closed", "kept"]
