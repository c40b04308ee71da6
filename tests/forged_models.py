"""Model files as an attacker would write them."""

import contextlib
import json
import zipfile


def entries_of(path):
    """All entries of an archive, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(path, change=None, **entries):
    """The same archive with other entries; `change` edits the JSON of the model."""
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


def node(loader, full_name, **more):
    """One object of a schema, as skops writes it."""
    module, _, name = full_name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": name, **more}


def text(value):
    return node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def listed(*items, kind="builtins.tuple"):
    loader = {"builtins.tuple": "TupleNode", "builtins.list": "ListNode"}[kind]
    return node(loader, kind, content=list(items))


def mapping(**items):
    keys = listed(*[node("TypeNode", "builtins.str") for _ in items], kind="builtins.list")
    return node("DictNode", "builtins.dict", content=items, key_types=keys)


def with_attribute(name, value):
    """A change of the schema: the model gets an attribute with this node."""

    def change(schema):
        attributes = schema["content"]
        if name not in attributes["content"]:
            attributes["key_types"]["content"].append(node("TypeNode", "builtins.str"))
        attributes["content"][name] = value

    return change


def nodes(tree):
    """All objects of a schema."""
    if isinstance(tree, dict):
        if "__loader__" in tree:
            yield tree
        for value in tree.values():
            yield from nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from nodes(value)


@contextlib.contextmanager
def unchanged(folder):
    """Whatever is done in this block, the folder holds the same files after it."""
    before = sorted(folder.rglob("*"))
    yield
    assert sorted(folder.rglob("*")) == before
