"""The committed stubs against the module."""

import ast
import inspect
import subprocess
import sys
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


#: What a user with a strict type checker writes; the comments say what must be an error.
PROGRAM = """
import numpy as np
import deferlab
from deferlab import Decision, Experiment, Finding, Router, Run, Stream, simulate, theory

router = Router(["a", "b"], experts=["ann"], floor=0.1)
decision: Decision = router.decide(np.zeros(2), available={"ann"})
name: str = decision.action
share: float = decision.probabilities[name]
router.observe(True, answer=None, cost=0.1)
router.observe("yes")  # error
run: Run = simulate(router, Stream(np.zeros((2, 2)), [0, 1], ["a", "b"]))
loss: float = run.mean_loss
rounds: str = Experiment("file.toml").rounds  # error
findings: list[Finding] = deferlab.verify(object)
gap: float = theory.min_gap(np.zeros((1, 1)), np.zeros((1, 2)), classes=2).certificate.upper
rows: list[dict[str, str]] = deferlab.ledger()
router.decide()  # error
"""


def mypy(*arguments, module="mypy"):
    done = subprocess.run([sys.executable, "-m", module, *map(str, arguments)], capture_output=True, text=True)
    return done.stdout + done.stderr


def test_type_checkers_agree(tmp_path):
    cache = ("--cache-dir", tmp_path / "cache")
    said = mypy("--strict", *cache, "-p", "deferlab")
    assert "Success: no issues found" in said, said
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    said = mypy("--strict", "--no-error-summary", *cache, program)
    wrong = {n for n, line in enumerate(PROGRAM.splitlines(), 1) if "# error" in line}
    assert {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line} == wrong, said
    # Defaults, kinds of parameters and finality, as the module itself has them.
    said = mypy("deferlab._deferlab", "--ignore-missing-stub", module="mypy.stubtest")
    assert "Success: no issues found" in said, said
