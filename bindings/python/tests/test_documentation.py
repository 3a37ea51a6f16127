"""Documentation and types agree with the module."""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import pathlib
from pathlib import Path
from types import ModuleType
from typing import Any

import bindpose
import pytest
from bindpose import _bindpose

ROOT = Path(__file__).resolve().parents[3]
STUB = Path(bindpose.__file__).with_name("_bindpose.pyi")

# Names of protocols that classes of Rust have beyond those that users call.
PROTOCOLS = {"__doc__", "__module__", "__new__", "__repr__", "__reduce__", "__getnewargs_ex__", "__slotnames__", "__hash__", "__weakref__"} | {
    f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "add", "mul", "rmul", "iadd", "imul")
}


def objects() -> list[tuple[str, Any]]:
    """Everything public with its members."""
    found: list[tuple[str, Any]] = [("bindpose", bindpose)]
    for name in bindpose.__all__:
        own = getattr(bindpose, name)
        found.append((name, own))
        if inspect.isclass(own) and own.__module__ == "bindpose":
            found += [(f"{name}.{key}", value) for key, value in vars(own).items() if not key.startswith("_")]
    return found


@pytest.mark.parametrize(("name", "own"), objects(), ids=lambda own: own if isinstance(own, str) else "")
def test_docstrings_are_there_and_their_examples_hold(folder: Path, name: str, own: Any) -> None:
    text = own.__doc__
    if name.endswith("__version__"):
        return
    assert text, f"{name} has no docstring"
    names = {"bindpose": bindpose, "pathlib": pathlib}
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(text), names, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("page", ["docs/python.md", "bindings/python/README.md"])
def test_the_examples_of_the_manual_hold(folder: Path, page: str) -> None:
    path = ROOT / page
    text = path.read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```pycon\n")[1:]]
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


def members(tree: ast.Module | ast.ClassDef) -> set[str]:
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def arguments(node: ast.FunctionDef) -> list[str]:
    own = node.args
    return [arg.arg for arg in [*own.posonlyargs, *own.args, *filter(None, [own.vararg]), *own.kwonlyargs, *filter(None, [own.kwarg])]]


def is_shown(name: str) -> bool:
    return not name.startswith("__") or name == "__version__"


def test_the_stub_has_the_names_of_the_module() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    actual = {name for name in vars(_bindpose) if is_shown(name)}
    helpers = {"_Path", "_Buffer", "_Input", "_New", "_Axis", "_Images", "_Readable", "_ArchivePath", "_Writable", "_Options", "_Names"}
    assert members(tree) - helpers == actual
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and node.name not in helpers}
    for name, node in classes.items():
        own = getattr(_bindpose, name)
        if name == "BindposeError":
            continue
        actual = {key for key in vars(own) if key not in PROTOCOLS}
        assert members(node) - PROTOCOLS == actual, name


def test_the_stub_has_the_arguments_of_the_functions() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    compared = 0
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and hasattr(_bindpose, node.name)]
    for owner, nodes in [(_bindpose, tree.body)] + [(getattr(_bindpose, node.name), node.body) for node in classes]:
        for node in nodes:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("__") or node.decorator_list:
                continue
            signature = inspect.signature(getattr(owner, node.name))
            assert list(signature.parameters) == arguments(node), f"{owner}.{node.name}"
            compared += 1
    assert compared > 20


def documented(text: str) -> str:
    """Returns the stub with the docstrings of the module."""
    lines, tree = text.splitlines(), ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and hasattr(_bindpose, node.name)]
    found: list[tuple[ast.stmt, Any]] = [(node, getattr(_bindpose, node.name)) for node in classes]
    for owner, nodes in [(_bindpose, tree.body), *((own, node.body) for node, own in found if isinstance(node, ast.ClassDef))]:
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        found += [(node, getattr(owner, node.name)) for node in functions]
    for node, own in sorted(found, key=lambda pair: -pair[0].lineno):
        if isinstance(node, ast.ClassDef):
            lines[node.lineno : body_start(node)] = quoted(own.__doc__, 4)
        elif isinstance(node, ast.FunctionDef):
            describe(lines, node, own.__doc__)
    return "\n".join(lines) + "\n"


def body_start(node: ast.ClassDef) -> int:
    """Returns the index of the line after the docstring of a class."""
    return (node.body[0].end_lineno or 0) if is_docstring(node.body[0]) else node.lineno


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def quoted(text: str | None, indent: int) -> list[str]:
    own = inspect.cleandoc(text or "").replace("\\", "\\\\").splitlines()
    margin = " " * indent
    if len(own) == 1:
        return [f'{margin}"""{own[0]}"""']
    return [f'{margin}"""{own[0]}', *(f"{margin}{line}".rstrip() for line in own[1:]), f'{margin}"""']


def describe(lines: list[str], node: ast.FunctionDef, text: str | None) -> None:
    """Gives a function its docstring instead of its body. Of overloads, each has it."""
    indent = node.col_offset + 4
    first, last = node.body[0].lineno - 1, node.end_lineno
    head = [] if lines[first].strip() == "..." or is_docstring(node.body[0]) else [lines[first][: node.body[0].col_offset].rstrip()]
    lines[first:last] = head + quoted(text, indent)


def test_the_stub_has_the_docstrings_of_the_module() -> None:
    """With BINDPOSE_BLESS=1, writes them into the stub beside this folder."""
    source = ROOT / "bindings/python/bindpose/_bindpose.pyi"
    expected = documented(source.read_text(encoding="utf-8"))
    if os.environ.get("BINDPOSE_BLESS"):
        source.write_text(expected, encoding="utf-8")
    assert source.read_text(encoding="utf-8") == expected, "run the test with BINDPOSE_BLESS=1"


def test_all_public_names_are_exported() -> None:
    assert isinstance(bindpose, ModuleType)
    assert sorted(bindpose.__all__) == sorted(set(bindpose.__all__))
    for name in bindpose.__all__:
        assert hasattr(bindpose, name)
