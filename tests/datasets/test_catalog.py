"""What the catalog says of each data set."""

import re

import pytest

from l1kpca import datasets


def test_names_are_those_of_the_papers_tables():
    assert datasets.names() == ["wbc", "ionosphere", "breastw", "cardio", "musk", "mnist"]


def test_names_gives_a_list_that_may_be_changed():
    datasets.names().clear()
    assert len(datasets.names()) == 6


@pytest.mark.parametrize("name", datasets.names())
def test_every_entry_is_pinned_by_commit_and_checksum(name):
    facts = datasets.info(name)
    assert facts.name == name
    assert re.fullmatch("[0-9a-f]{64}", facts.sha256)
    assert re.fullmatch(f"[0-9a-f]{{40}}/notebooks/data/{name}.mat", facts.path)
    assert 0 < facts.n_outliers < facts.n_samples / 2


def test_pins_differ():
    assert len({datasets.info(name).sha256 for name in datasets.names()}) == 6


@pytest.mark.parametrize("call", [datasets.info, datasets.load, datasets.fetch])
def test_an_unknown_name_lists_the_known_ones(call):
    known = "wbc, ionosphere, breastw, cardio, musk, mnist"
    text = f"^name='iris' is not a known data set; choose one of: {known}.$"
    with pytest.raises(ValueError, match=text):
        call("iris")
