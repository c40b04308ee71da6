"""Stating a default changes nothing, bit for bit."""

import numpy as np
import pandas as pd
import pytest
import typer

from l1kpca import KernelPCAOutlierDetector, persistence
from l1kpca.cli.app import make_program


def defaults(name):
    """What can be stated for each option of a command that has a default, from its own help."""
    found = {}
    for option in typer.main.get_command(make_program()).commands[name].params:
        said = option.show_default if isinstance(option.show_default, str) else option.default
        if option.param_type_name == "argument" or said is None or option.name == "help":
            continue
        if not option.is_flag:
            found[option.opts[0]] = [option.opts[0], str(getattr(said, "value", said))]
        elif option.secondary_opts:
            found[option.opts[0]] = [(option.opts if said else option.secondary_opts)[0]]
    return found


def content(model):
    """All that a model holds, down to the bits of its arrays."""
    if isinstance(model, np.ndarray) and model.dtype != object:
        return model.dtype.str, model.shape, model.tobytes()
    if isinstance(model, list | tuple | np.ndarray):
        return [content(part) for part in model]
    if isinstance(model, dict):
        return {name: content(part) for name, part in model.items()}
    if model is None or isinstance(model, int | float | str | np.generic):
        return model
    return type(model).__name__, content(getattr(model, "__dict__", {}))


DETECT, REDUCE = defaults("detect"), defaults("reduce")


def test_the_options_were_found():
    assert {"--kernel", "--gamma", "--components", "--rule", "--contamination", "--max-samples",
            "--scaling", "--top", "--header", "--encoding", "--separator", "--decimal",
            "--thousands", "--seed"} == set(DETECT)  # fmt: skip
    assert {"--kernel", "--gamma", "--scale", "--header", "--encoding", "--separator", "--decimal",
            "--thousands", "--seed"} == set(REDUCE)  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """More rows than the robust rule looks for components in, one column that does not vary."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(1100, 4)) ** 3, columns=list("abcd")).assign(e=1.0)
    path = tmp_path_factory.mktemp("defaults") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def detected(cli_json, table, tmp_path):
    """What a command line finds and writes, and its model."""

    def call(*options):
        out, model = tmp_path / "s.csv", tmp_path / "m.skops"
        # The memory that is free changes, and a model says how much of it was used.
        common = ["--memory-limit", "1GB", "--out", out, "--save", model, "--force"]
        shown = cli_json("detect", table, *common, *options)
        return shown, out.read_bytes(), content(persistence.load(model).estimator)

    return call


@pytest.mark.parametrize("options", DETECT.values(), ids=DETECT)
def test_detect(detected, options):
    assert detected(*options) == detected()


def test_detect_with_all_at_once(detected):
    assert detected(*[word for options in DETECT.values() for word in options]) == detected()


@pytest.mark.parametrize("options", [["--kernel", "rbf"], ["--gamma", "paper"]], ids=" ".join)
def test_detect_by_the_rule_of_the_paper(detected, options):
    assert detected("--rule", "paper", *options) == detected("--rule", "paper")


def test_the_rule_of_the_paper_has_a_component_for_each_column(detected):
    found, scores, _ = detected("--rule", "paper", "--components", "4")
    assert (found, scores) == detected("--rule", "paper")[:2]


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.filterwarnings("ignore:1 of 5 columns")
def test_the_program_is_the_library(cli_json, table, tmp_path, rule):
    cli_json("detect", table, "--rule", rule, "--out", tmp_path / "s.parquet")
    judged = KernelPCAOutlierDetector(rule=rule, random_state=0).fit_judge(pd.read_csv(table))
    scores = pd.read_parquet(tmp_path / "s.parquet")["score"]
    np.testing.assert_allclose(scores, judged.abnormality, rtol=1e-9)


@pytest.mark.parametrize("options", REDUCE.values(), ids=REDUCE)
def test_reduce(cli_json, table, tmp_path, options):
    out = tmp_path / "z.csv"
    found = []
    for more in ([], options):
        command = ["reduce", table, "--components", "2", "--out", out, "--force", *more]
        found.append((cli_json(*command), out.read_bytes()))
    assert found[0] == found[1]
