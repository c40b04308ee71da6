"""Which types a model file may hold, and what may build them.

skops trusts more than a model of this package needs: all estimators of scikit-learn, functions of
NumPy and SciPy, constructors of whatever is on a list of trusted types.  So the description of the
model, the entry ``schema.json``, is checked here first, against exact pairs of what skops calls a
loader and the type that it builds.
"""

from collections.abc import Iterator, Mapping
from typing import Any

TRUSTED_TYPES = (
    "l1kpca.estimators.inverse.LinearInverse",
    "l1kpca.estimators.inverse.RidgeInverse",
    "l1kpca.estimators.l1_kernel_pca.L1KernelPCA",
    "l1kpca.estimators.outliers.columns.Columns",
    "l1kpca.estimators.outliers.detector.KernelPCAOutlierDetector",
    "l1kpca.estimators.outliers.rules.PaperRule",
    "l1kpca.estimators.outliers.rules.RobustRule",
    "l1kpca.estimators.peers.joint.JointL1KernelPCA",
    "l1kpca.estimators.peers.kwak.KwakKernelPCA",
    "l1kpca.estimators.peers.l2.L2KernelPCA",
    "l1kpca.estimators.peers.r1.R1KernelPCA",
    "l1kpca.estimators.peers.xiao.XiaoKernelPCA",
    "l1kpca.gram.choose.GramChoice",
    "l1kpca.gram.factor.FactorProjection",
    "l1kpca.gram.factor.Identity",
    "l1kpca.gram.factor.Shifted",
    "l1kpca.gram.nystroem.LandmarkFeatures",
    "l1kpca.gram.projections.CenteredProjection",
    "l1kpca.gram.projections.KernelProjection",
    "l1kpca.gram.projections.PrecomputedProjection",
    "l1kpca.kernels.GaussianBlocks",
    "l1kpca.kernels.Kernel",
    "l1kpca.kernels.PairwiseBlocks",
    "l1kpca.threads.Workers",
)
"""Types of this package that a model file may hold."""

LARGEST_LIST_SHOWN = 5
_LONGEST_NAME_SHOWN = 100
NUMBER_TYPES = tuple(
    f"numpy.{name}"
    for name in ("bool", "bool_", "int8", "int16", "int32", "int64", "uint8", "float32", "float64")
)
"""Types of single numbers; ``numpy.bool_`` is what NumPy 1 called ``numpy.bool``."""
_MAY_BUILD: Mapping[str, frozenset[str]] = {
    "ObjectNode": frozenset(TRUSTED_TYPES),
    "DictNode": frozenset({"builtins.dict"}),
    "ListNode": frozenset({"builtins.list"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "JsonNode": frozenset({"builtins.str"}),  # numbers, text and None are JSON within a text
    "NdArrayNode": frozenset({"numpy.ndarray", *NUMBER_TYPES}),
    # Types of keys, and the dtype that an estimator was given.
    "TypeNode": frozenset({"builtins.str", "builtins.float", "numpy.float32", "numpy.float64"}),
}


def unknown_types(schema: Any) -> list[str]:
    """Types that no model holds, or that are to be built in a way in which none is.

    Parameters
    ----------
    schema : object
        The JSON of ``schema.json``.

    Returns
    -------
    names : list of str
        In alphabetical order, each once; empty if all is known.

    Examples
    --------
    >>> unknown_types({"__loader__": "FunctionNode", "__module__": "os", "__class__": "system"})
    ['os.system']
    """
    found = set()
    for node in _nodes(schema):
        loader, name = node.get("__loader__"), f"{node.get('__module__')}.{node.get('__class__')}"
        if not isinstance(loader, str) or name not in _MAY_BUILD.get(loader, ()):
            found.add(name)
    return sorted(found)


def check_references(schema: Any) -> None:
    """Refuse nodes of the same number that differ.

    skops takes every node of a number for the first one that has it.  In a file that it wrote they
    are equal.  Otherwise what is built would not be what is written; and nodes that name each other
    could make a small file endless.

    Parameters
    ----------
    schema : object
        The JSON of ``schema.json``.
    """
    _content_number(schema, {}, {})


def shown_types(names: list[str]) -> str:
    """A few of the names, as text that is safe to print.

    Examples
    --------
    >>> shown_types(["os.system", "evil.Name"])
    'os.system, evil.Name'
    """
    shown = [name[:_LONGEST_NAME_SHOWN] for name in names[:LARGEST_LIST_SHOWN]]
    printable = [name if name.isprintable() else ascii(name) for name in shown]
    rest = len(names) - len(shown)
    return ", ".join(printable) + (f" and {rest} more" if rest else "")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All that skops could take for an object: the root, and whatever names a loader."""
    waiting = [tree]
    if not isinstance(tree, dict) or "__loader__" not in tree:
        yield {}
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _content_number(tree: Any, known: dict[Any, int], of_number: dict[Any, int]) -> int:
    """A number for what a part says, equal for equal parts, whatever the nodes in it are called."""
    part: Any = (type(tree), tree)
    number = None
    if isinstance(tree, dict):
        number = tree.get("__id__") if isinstance(tree.get("__id__"), int) else None
        part = tuple(
            (name, _content_number(value, known, of_number))
            for name, value in tree.items()
            if not (name == "__id__" and isinstance(value, int))
        )
    elif isinstance(tree, list):
        part = (list, *(_content_number(value, known, of_number) for value in tree))
    content = known.setdefault(part, len(known))
    if number is not None and of_number.setdefault(number, content) != content:
        raise ValueError(f"two nodes have the number {number}, but differ")
    return content
