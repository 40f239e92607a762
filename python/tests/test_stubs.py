"""The committed stubs against the module."""

import ast
import inspect
from pathlib import Path

import deferlab
from deferlab import _deferlab

STUB = Path(deferlab.__file__).with_name("_deferlab.pyi")


def parameters(function):
    """Names of the parameters with the mark of each, `self` and `cls` left out."""
    a = function.args
    names = [(p.arg, "positional") for p in a.posonlyargs]
    names += [(p.arg, "either") for p in a.args]
    names += [(p.arg, "keyword") for p in a.kwonlyargs]
    names += [(a.kwarg.arg, "rest")] if a.kwarg else []
    return [pair for pair in names if pair[0] not in ("self", "cls")]


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "rest",
}


def found(function):
    signature = inspect.signature(function)
    return [(p.name, KINDS[p.kind]) for p in signature.parameters.values() if p.name != "self"]


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def test_the_stubs_say_what_the_module_has():
    stub = ast.parse(STUB.read_text())
    functions = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef)}
    classes = {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}
    public = {n for n in dir(_deferlab) if not n.startswith("_")}
    assert public == set(functions) | set(classes)
    for name, node in functions.items():
        assert found(getattr(_deferlab, name)) == parameters(node), name
    for name, node in classes.items():
        kind = getattr(_deferlab, name)
        members = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        there = {m for m in vars(kind) if not m.startswith("_")}
        assert there == {m for m in members if not m.startswith("_")}, name
        for member, stated in members.items():
            if member == "__new__":
                assert found(kind) == parameters(stated), name
            elif is_property(stated):
                assert inspect.isgetsetdescriptor(vars(kind)[member]), f"{name}.{member}"
            elif not member.startswith("_"):
                assert found(getattr(kind, member)) == parameters(stated), f"{name}.{member}"


def test_everything_public_is_explained():
    for name in deferlab.__all__:
        if not name.startswith("_"):
            assert inspect.getdoc(getattr(deferlab, name)), name
    assert Path(deferlab.__file__).with_name("py.typed").exists()
