"""Finders made from finders: they alternate until one of them no longer moves."""

from dataclasses import dataclass, field

import pytest

from contracts.finders import find, problem
from l1kpca.directions import BitFlip, Polished, SignIteration, SignSearch, Then


@dataclass(frozen=True)
class Moves(SignSearch):
    """Pretends to move a number of times, and remembers each call."""

    name: str
    often: int
    log: list = field(default_factory=list)

    def search(self, searches):
        moves = sum(name == self.name for name in self.log) < self.often
        self.log.append(self.name)
        for trace in searches.traces:
            trace += [trace[-1] + 1] * moves


@pytest.mark.parametrize(
    ("first", "second", "calls"),
    [
        (0, 0, "ab"),
        (5, 0, "ab"),
        (0, 5, "aba"),
        (1, 1, "aba"),
        (2, 2, "ababa"),
        (3, 1, "abab"),
    ],
)
def test_they_take_turns_until_one_does_not_move(first, second, calls):
    log = []
    K, start = problem("wide", 10, 0)
    find(Then(Moves("a", first, log), Moves("b", second, log)), K, start)
    assert "".join(log) == calls


def test_two_that_never_rest_are_stopped():
    log = []
    K, start = problem("wide", 10, 0)
    find(Then(Moves("a", 10**6, log), Moves("b", 10**6, log)), K, start)
    assert len(log) == 101


@pytest.mark.usefixtures("way")
def test_each_is_no_worse_than_its_parts(global_random_seed):
    for name in ("wide", "narrow", "contaminated"):
        K, start = problem(name, 60, global_random_seed)
        first = find(SignIteration(), K, start)
        both = find(Then(SignIteration(), BitFlip()), K, start)
        assert both.value >= first.value
        assert both.trace[: len(first.trace)] == pytest.approx(first.trace)
        steps = find(SignIteration(momentum=True), K, start)
        assert find(Polished(), K, start).value >= steps.value
