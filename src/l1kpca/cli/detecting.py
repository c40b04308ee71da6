"""Detection from a table to a summary, with a new model or with a saved one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, persistence
from l1kpca.cli.cleaning import learn_recipe, unused_columns
from l1kpca.cli.errors import InputError, library_errors_explained
from l1kpca.cli.labels import read_labels
from l1kpca.cli.recipes import Recipe
from l1kpca.cli.tables import Roles, Table, read_table, shown_list
from l1kpca.cli.terminal import Terminal
from l1kpca.persistence import ModelFileError
from l1kpca.report import Cases, Summary, summarize


@dataclass(frozen=True)
class DetectorSettings:
    """What the user chose; None is the detector's own choice."""

    kernel: str | None = None
    gamma: float | str | None = None
    components: int | float | None = None
    rule: str = "robust"
    contamination: float | str = "auto"
    max_samples: int | str | None = "auto"
    seed: int = 0
    n_jobs: int | None = None
    memory_limit: str | None = None

    def make(self, n_features: int, *, verbose: bool) -> KernelPCAOutlierDetector:
        """The detector, not fitted."""
        own = self.kernel is None and self.gamma is None and self.components is None
        return KernelPCAOutlierDetector(
            None if own else self._pca(n_features, verbose),
            rule=self.rule,
            contamination=self.contamination,
            max_samples=self.max_samples,
            random_state=self.seed,
            n_jobs=self.n_jobs,
            memory_limit=self.memory_limit,
        )

    def _pca(self, n_features: int, verbose: bool) -> L1KernelPCA:
        """What the rule would use, but for what the user chose."""
        robust, kernel = self.rule == "robust", "rbf" if self.kernel is None else self.kernel
        widths = {"rbf": "median" if robust else "paper"}
        kept = KernelPCAOutlierDetector().variance_kept
        paper = {"solver": "fixed_point", "start": "column", "center": False}
        return L1KernelPCA(
            (kept if robust else n_features) if self.components is None else self.components,
            kernel=kernel,
            gamma=widths.get(kernel) if self.gamma is None else self.gamma,
            random_state=self.seed,
            n_jobs=self.n_jobs,
            memory_limit=self.memory_limit,
            verbose=int(verbose),
            **({} if robust else paper),
        )


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted detector with all it takes to use it on another table."""

    detector: KernelPCAOutlierDetector
    recipe: Recipe
    id_column: str | None
    names_given: bool

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the model file."""
        attached = {
            "recipe": self.recipe.to_plain(),
            "id_column": self.id_column,
            "names_given": self.names_given,
        }
        persistence.save(self.detector, path, attached=attached, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model file."""
        saved = persistence.load(path)
        if not isinstance(saved.estimator, KernelPCAOutlierDetector):
            raise ModelFileError(
                f"{path} holds a {type(saved.estimator).__name__}, not a detector; give a file that"
                " l1kpca detect --save wrote."
            )
        try:
            recipe = Recipe.from_plain(saved.attached["recipe"])
            id_column, names_given = saved.attached["id_column"], saved.attached["names_given"]
            fits = len(recipe.feature_names) == saved.estimator.n_features_in_
        except (LookupError, TypeError, ValueError, AttributeError):
            fits = False
        if not fits:
            raise ModelFileError(
                f"{path} does not say how columns become features; give a file that l1kpca detect"
                " --save wrote."
            )
        return cls(saved.estimator, recipe, id_column, names_given)


@dataclass(frozen=True, eq=False)
class Detection:
    """A model, the rows it was fitted to, and what it says about them."""

    model: Model
    cases: Cases
    summary: Summary


def detect(
    table: Table, settings: DetectorSettings, missing: str, top: int, terminal: Terminal
) -> Detection:
    """Fit a detector to the rows of a table and judge them.

    Parameters
    ----------
    table : Table
        The rows.
    settings : DetectorSettings
        How the detector is made.
    missing : {"median", "error"}
        What to do with missing values.
    top : int
        How many rows to explain.
    terminal : Terminal
        Where notes and progress go.

    Returns
    -------
    detection : Detection
        The model to be saved, the summary to be shown.
    """
    labels = read_labels(table)
    recipe, notes = learn_recipe(table)
    X, more_notes = recipe.apply(table, missing)
    terminal.note([*table.notes, *notes, *more_notes])
    detector = settings.make(X.shape[1], verbose=terminal.is_watched)
    with library_errors_explained(table.source), terminal.warnings_as_notes():
        detector.fit(X)
    model = Model(detector, recipe, table.id_column, table.names_given)
    cases = _cases(model, table, X, labels)
    summary = _judge(model, cases, table.source, top, terminal)
    summary = replace(summary, settings=_in_use(detector), notes=tuple(terminal.notes))
    return Detection(model, cases, summary)


def score(
    model: Model, source: str, roles: Roles, missing: str, top: int, terminal: Terminal
) -> tuple[Table, Summary]:
    """Judge the rows of a table by a model that was fitted before.

    Parameters
    ----------
    model : Model
        Used as it is; nothing is learned from the rows.
    source : str
        The rows.
    roles : Roles
        What the user says about their columns.
    missing : {"median", "error"}
        What to do with missing values.
    top : int
        How many rows to explain.
    terminal : Terminal
        Where notes and progress go.

    Returns
    -------
    table : Table
        The rows as read.
    summary : Summary
        To be shown.
    """
    table = _read_like_training(model, source, roles)
    labels = read_labels(table)
    X, notes = model.recipe.apply(table, missing)
    unused = unused_columns(table, model.recipe)
    if unused:
        notes.append(f"not known to the model and not used: {shown_list(unused)}")
    terminal.note([*table.notes, *notes])
    with _unfit_models_explained():
        summary = _judge(model, _cases(model, table, X, labels), table.source, top, terminal)
        settings = _in_use(model.detector)
    return table, replace(summary, settings=settings, notes=tuple(terminal.notes))


@contextmanager
def _unfit_models_explained() -> Iterator[None]:
    """A model whose parts do not fit together was not fitted here, whatever the file says."""
    try:
        yield
    except (AttributeError, TypeError, LookupError) as error:
        raise ModelFileError(
            f"the model cannot be used ({type(error).__name__}: {str(error)[:200]}); it was"
            " altered, or written by another version of l1kpca: fit and save it again."
        ) from error


def _in_use(detector: KernelPCAOutlierDetector) -> dict[str, Any]:
    """The settings of a fitted detector, those that it chose itself included."""
    pca = detector.pca_
    return {
        "rule": detector.rule,
        "contamination": detector.contamination,
        "kernel": pca.kernel,
        "gamma": pca.gamma_,
        "components": pca.n_components_,
        "training_rows": pca.X_fit_.shape[0],
        "seed": detector.random_state,
    }


def _read_like_training(model: Model, source: str, roles: Roles) -> Table:
    """Take the id column of the training rows if the new rows have it too."""
    if roles.id_column is None and model.id_column is not None:
        table = read_table(source, roles)
        if model.id_column in table.frame.columns:
            table = read_table(source, replace(roles, id_column=model.id_column))
    else:
        table = read_table(source, roles)
    surplus = unused_columns(table, model.recipe)
    if surplus and not (model.names_given and table.names_given):
        raise InputError(
            f"{source} has {len(table.feature_columns)} columns without names, but the model was"
            f" fitted on {len(model.recipe.columns)}; give the same columns in the same order, or"
            " files with column names."
        )
    return table


def _cases(model: Model, table: Table, X: pd.DataFrame, labels: np.ndarray | None) -> Cases:
    columns = [column.name for column in model.recipe.columns]
    holes = {name: int(table.frame[name].isna().sum()) for name in columns}
    return Cases(
        X=X,
        columns=columns,
        column_of=model.recipe.source_index,
        values=lambda column: table.frame[column].array,
        names=_names(table),
        labels=labels,
        filled={name: count for name, count in holes.items() if count},
        left_out=unused_columns(table, model.recipe),
    )


def _judge(model: Model, cases: Cases, source: str, top: int, terminal: Terminal) -> Summary:
    with (
        library_errors_explained(source),
        terminal.warnings_as_notes(),
        terminal.progress("scoring rows") as advance,
    ):
        return summarize(model.detector, cases, source, top=top, advance=advance)


def _names(table: Table) -> Sequence[Any] | None:
    if table.id_column is None:
        return None
    return table.frame[table.id_column].to_numpy(dtype=object)
