"""Model files as an attacker would write them."""

import contextlib
import itertools
import json
import zipfile

_NUMBERS = itertools.count(1)


def entries_of(path):
    """All entries of an archive, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(path, change=None, **entries):
    """The same archive with other entries; `change` edits what skops reads."""
    content = entries_of(path)
    if change is not None:
        schema = json.loads(content["schema.json"])
        change(schema)
        content["schema.json"] = json.dumps(schema).encode()
    content.update(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            if data is not None:
                archive.writestr(name, data)
    return path


def replanned(path, change):
    """The same archive with other plain data: `change` edits the model, or gives another."""
    header = json.loads(entries_of(path)["l1kpca.json"])
    other = change(header["model"])
    header["model"] = header["model"] if other is None else other
    return rewritten(path, **{"l1kpca.json": json.dumps(header)})


def node(loader, full_name, **more):
    """One object of a schema, as skops writes it."""
    module, _, name = full_name.rpartition(".")
    known = {"__loader__": loader, "__module__": module, "__class__": name}
    return {**known, "__id__": next(_NUMBERS), **more}


def text(value, **more):
    known = {"content": json.dumps(value), "is_json": True}
    return node("JsonNode", "builtins.str", **{**known, **more})


def listed(*items, kind="builtins.tuple", **more):
    loader = {"builtins.tuple": "TupleNode", "builtins.list": "ListNode"}[kind]
    return node(loader, kind, content=list(items), **more)


def mapping(**items):
    keys = listed(*[node("TypeNode", "builtins.str") for _ in items], kind="builtins.list")
    return node("DictNode", "builtins.dict", content=items, key_types=keys)


def with_item(*values):
    """A change of the schema: beside the arrays there are these nodes."""
    return lambda schema: schema["content"].extend(values)


@contextlib.contextmanager
def unchanged(folder):
    """Whatever is done in this block, the folder holds the same files after it."""
    before = sorted(folder.rglob("*"))
    yield
    assert sorted(folder.rglob("*")) == before
