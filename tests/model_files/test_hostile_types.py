"""A model file may name what it likes: nothing but arrays is read, nothing imported."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from l1kpca.persistence import ModelFileError, load
from model_files.forged import (
    entries_of,
    listed,
    mapping,
    node,
    replanned,
    rewritten,
    text,
    unchanged,
    with_item,
)

DAMAGED = "is not a model file, or it is damaged"
FUNCTION = node("FunctionNode", "os.system")
HOSTILE = {
    "os.system as a type": node("TypeNode", "os.system"),
    "os.system as a function": FUNCTION,
    "posix.system": node("FunctionNode", "posix.system"),
    "eval": node("TypeNode", "builtins.eval"),
    "open": node("TypeNode", "builtins.open"),
    "getattr": node("FunctionNode", "builtins.getattr"),
    "Popen built from arguments": node(
        "ConstructorFromReduceNode", "subprocess.Popen", content=listed(text("true"))
    ),
    "an object of an unknown module": node("ObjectNode", "no_such_module.Model"),
    "an object with a state of its own": node(
        "ObjectNode", "functools.partial", content=listed(FUNCTION)
    ),
    "a partial": node(
        "PartialNode",
        "functools.partial",
        content={
            "func": FUNCTION,
            "args": listed(text("true")),
            "kwds": mapping(),
            "namespace": text(None),
        },
    ),
    "a NumPy ufunc": node("FunctionNode", "numpy.add"),
    "a SciPy ufunc": node("FunctionNode", "scipy.special.expit"),
    "numpy.load": node("FunctionNode", "numpy.load"),
    "a method of a type of ours": node(
        "MethodNode",
        "l1kpca.threads.Workers",
        content={"func": "__reduce__", "obj": node("ObjectNode", "l1kpca.threads.Workers")},
    ),
    "methodcaller": node("OperatorFuncNode", "operator.methodcaller", attrs=listed(text("x"))),
    "any function as an operator": node("OperatorFuncNode", "builtins.exec", attrs=listed()),
    "a random generator by any name": node(
        "RandomGeneratorNode",
        "numpy.random._generator.Generator",
        content={
            "bit_generator": mapping(bit_generator=text("seed")),
            "seed_seq": mapping(),
        },
    ),
    "a random state, whose position is not checked by NumPy": node(
        "RandomStateNode",
        "numpy.random.mtrand.RandomState",
        content=mapping(bit_generator=text("MT19937"), pos=text(10**9)),
    ),
    "an estimator of scikit-learn": node(
        "ObjectNode", "sklearn.linear_model._base.LinearRegression"
    ),
    "a known type, called": node(
        "ConstructorFromReduceNode", "l1kpca.threads.Workers", content=listed(text(10**9))
    ),
    "a type of ours as a list": node("ListNode", "l1kpca.threads.Workers", content=[]),
    "a type of ours as a function": node("FunctionNode", "l1kpca.threads.Workers"),
    "a tree of scikit-learn": node(
        "TreeNode", "sklearn.tree._tree.Tree", content=mapping(), __reduce__={"args": listed()}
    ),
    "a loss": node(
        "LossNode", "sklearn._loss._loss.CyPinballLoss", content=mapping(),
        __reduce__={"args": listed()},
    ),
    "a memory map": node("NdArrayNode", "numpy.memmap", type="json", content=[], shape=listed()),
    "a NumPy object": node("NdArrayNode", "numpy.object_", type="json", content=[], shape=listed()),
    "a sparse matrix": node("SparseMatrixNode", "scipy.sparse._csr.csr_matrix", type="scipy"),
    "bytes": node("BytesNode", "builtins.bytes", file="l1kpca.json"),
    "a default dictionary": node(
        "DefaultDictNode",
        "collections.defaultdict",
        content={"main": mapping(), "default_factory": FUNCTION},
    ),
    "a dictionary with functions for keys": node(
        "DictNode",
        "builtins.dict",
        content={"true": text(1)},
        key_types=listed(FUNCTION, kind="builtins.list"),
    ),
    "one of our own classes": node(
        "ObjectNode", "l1kpca.kernels.Kernel", content=mapping(function=text("rbf"))
    ),
    "a tuple": listed(text(1)),
    "an array of objects": node(
        "NdArrayNode", "numpy.ndarray", type="json", content=[text(1)], shape=listed(text(1))
    ),
    "a number of NumPy": node("NdArrayNode", "numpy.float64", type="numpy", file="x.npy"),
    "another type of keys": node("TypeNode", "builtins.float"),
    "a loader of nobody": node("EvilNode", "builtins.str"),
    "a loader of an older protocol": node("CachedNode", "builtins.str"),
    "names that are no text": {"__loader__": "ObjectNode", "__module__": 3, "__class__": None},
    "a name that is a list": {"__loader__": ["ObjectNode"], "__module__": "a", "__class__": "b"},
    "a loader alone": {"__loader__": "ObjectNode"},
}  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("place", ["within", "instead"])
def test_what_no_model_holds_is_refused_before_anything_is_built(file, hostile, place):
    if place == "within":
        rewritten(file, with_item(hostile))
    else:
        rewritten(file, lambda schema: (schema.clear(), schema.update(hostile, protocol=2)))
    with (
        unchanged(file.parent),
        pytest.raises(ModelFileError, match=f"{DAMAGED}|cannot be built"),
    ):
        load(file)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, -1, True, "2", None, [], 2**70])
def test_a_protocol_of_another_time_opens_no_door(file, protocol):
    change = with_item(FUNCTION)
    rewritten(file, lambda schema: (change(schema), schema.update(protocol=protocol)))
    with pytest.raises(ModelFileError, match=DAMAGED):
        load(file)


IMPORTING = """
import sys
from l1kpca.persistence import ModelFileError, load
import skops.io
before = set(sys.modules)
refused = 0
for path in sys.argv[1:]:
    try:
        load(path)
    except ModelFileError:
        refused += 1
new = {name for name in set(sys.modules) - before}
new = {name for name in new if name.split(".")[0] not in ("l1kpca", "encodings")}
print(refused, sorted(new))
"""


def test_refused_files_import_nothing(file, good, tmp_path):
    """A module that lies in the path of Python would leave a mark if it were imported."""
    mark = tmp_path / "imported"
    (tmp_path / "lurking.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Model: pass\n")
    loaders = [
        "ObjectNode", "TypeNode", "FunctionNode", "ListNode", "SetNode", "TupleNode", "DictNode",
        "NdArrayNode", "ConstructorFromReduceNode", "JsonNode", "OperatorFuncNode",
    ]  # fmt: skip
    paths = []
    for loader in loaders:
        path = tmp_path / f"{loader}.skops"
        path.write_bytes(good)
        hostile = node(loader, "lurking.Model", content=[], type="json", shape=listed(), attrs=[])
        paths.append(rewritten(path, with_item(hostile)))
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, *map(str, paths)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"{len(loaders)} []"
    assert not mark.exists()


def array(name, **more):
    return node("NdArrayNode", "numpy.ndarray", type="numpy", file=name, **more)


REFERENCES = {
    "by a number alone": [array("x.npy", __id__=7), {"__id__": 7}],
    "to an entry that is not there": [array("z.npy")],
    "to an entry that is no array": [array("l1kpca.json")],
    "to the schema": [array("schema.json")],
    "by a name that is none": [array(["x.npy"])],
    "by a path": [array("/etc/passwd")],
}


@pytest.mark.parametrize("hostile", REFERENCES.values(), ids=REFERENCES)
def test_references_are_refused(file, hostile):
    """What skops would take for an object met before, or an entry that holds something else."""
    data = next(data for name, data in entries_of(file).items() if name.endswith(".npy"))
    rewritten(file, with_item(*hostile), **{"x.npy": data, "y.npy": data})
    with pytest.raises(ModelFileError, match=DAMAGED):
        load(file)


def test_an_array_more_is_no_harm_and_read_once(file, monkeypatch):
    """Guards the test above; a short list of one long array would take all memory."""
    data = next(data for name, data in entries_of(file).items() if name.endswith(".npy"))
    before = sum(name.endswith(".npy") for name in entries_of(file))
    rewritten(file, with_item(*[array("x.npy", __id__=7)] * 100), **{"x.npy": data})
    read = []
    plain = np.load
    monkeypatch.setattr(np, "load", lambda *args, **kw: read.append(plain(*args, **kw)) or read[-1])
    load(file)
    assert len(read) == before + 1


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 'x'}",
        "{'descr': 'l1kpca', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (1000000000000,)}",
        "__import__('os').mkdir('sprung')",
        "((((((",
        "'''",
        "{'descr': '<f8'",
        "{" * 3000,
        "9" * 9000,
        "\\",
        "\x00",
        "",
    ],
    ids=lambda header: header[:40],
)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"])
def test_arrays_with_hostile_headers_are_refused(file, header, version, monkeypatch):
    monkeypatch.chdir(file.parent)
    length = len(header).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    array = b"\x93NUMPY" + version + length + header.encode() + bytes(8)
    names = [name for name in entries_of(file) if name.endswith(".npy")]
    rewritten(file, **dict.fromkeys(names, array))
    with (
        unchanged(file.parent),
        pytest.raises(ModelFileError, match="is not a model file, or it is damaged"),
    ):
        load(file)


def test_an_archive_instead_of_an_array_is_refused(file, tmp_path):
    """numpy.load opens archives too; what it gives then is no array."""
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(10**6))
    bomb = (tmp_path / "bomb.npz").read_bytes()
    names = [name for name in entries_of(file) if name.endswith(".npy")]
    rewritten(file, **dict.fromkeys(names, bomb))
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged"):
        load(file)


HOSTILE_DATA = {
    "a function": {"class": "os:system", "params": {"command": "true"}, "fitted": {}},
    "a class by its module": {"class": "l1kpca.kernels:Kernel", "params": {}, "fitted": {}},
    "a name for the terminal": {"class": "\x1b[2J\nerased", "params": {}, "fitted": {}},
    "many names": [{"class": f"evil:{i}", "params": {}, "fitted": {}} for i in range(1000)],
}


@pytest.mark.parametrize("hostile", HOSTILE_DATA.values(), ids=HOSTILE_DATA)
@pytest.mark.parametrize("place", ["within", "instead"])
def test_names_that_are_not_known_are_not_looked_up(file, hostile, place):
    if place == "within":
        replanned(file, lambda tree: tree["params"].update(rule=hostile))
    else:
        replanned(file, lambda tree: hostile)
    with pytest.raises(ModelFileError, match=r"classes that are not trusted \(.+\); if") as caught:
        load(file)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600 + len(str(file))


def test_an_attribute_cannot_stand_in_for_a_method(file):
    replanned(file, lambda tree: tree["fitted"].update(score_samples="evil"))
    with pytest.raises(ModelFileError, match=r"cannot be built .*sets no score_samples"):
        load(file)


@pytest.mark.parametrize("depth", [100, 2000, 100_000])
def test_data_without_an_end_are_refused(file, depth):
    header = json.loads(entries_of(file)["l1kpca.json"])
    header["model"]["params"]["rule"] = "deep"
    deep = json.dumps(header).replace('"deep"', "[" * depth + "]" * depth)
    rewritten(file, **{"l1kpca.json": deep})
    if depth == 100:
        assert load(file).estimator.rule
    else:
        with pytest.raises(ModelFileError):
            load(file)


def test_the_model_that_the_tests_spoil_is_a_good_one(file):
    load(file)
    assert len(entries_of(file)) > 20
