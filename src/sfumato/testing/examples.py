"""The example in a thing's docstring, run, and the things it builds: what the common checks work on.

A thing's own example is the one place where its parameters are known to make sense, so nothing has to be listed anywhere
for a new thing to be checked.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from collections.abc import Iterator, Mapping

from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen

__all__ = ["Example", "example_of", "run_example"]


@frozen(eq=False)
class Example:
    """What a docstring's example leaves behind: its variables, the things it built, the arguments of their methods."""

    names: Mapping[str, object]
    built: tuple[Thing, ...]
    calls: tuple[tuple[str, tuple[object, ...]], ...]

    def arguments(self, method: str) -> list[object]:
        """Return the first argument of every call of a method in the example."""
        return [given[0] for name, given in self.calls if name == method and given]


def run_example(thing: type[Thing]) -> list[str]:
    """Run the docstring's examples; return what went wrong, in words."""
    problems: list[str] = []
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(verbose=False)
    module = importlib.import_module(thing.__module__)
    for test in finder.find(thing, name=thing.__name__, module=module, globs=dict(vars(module))):
        if not test.examples:
            problems.append("there is no example")
        runner.run(test, out=problems.append)
    return problems


def example_of(thing: type[Thing]) -> Example:
    """Run the docstring's examples and return what they build; a thing without required parameters is built bare too.

    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> [model.k for model in example_of(KAnonymity).built]
    [3]
    """
    names: dict[str, object] = dict(vars(importlib.import_module(thing.__module__)))
    built: list[Thing] = []
    calls: list[tuple[str, tuple[object, ...]]] = []
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        tree = ast.parse(example.source)
        for call in _calls(tree):
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if _makes(call, thing):
                made = _value(call, names)
                if type(made) is thing:
                    built.append(made)
            elif method and not call.keywords:
                calls.append((method, tuple(_value(argument, names) for argument in call.args)))
        exec(compile(tree, thing.__name__, "exec"), names)
    if not built:
        try:
            built.append(thing())
        except Exception as error:
            raise AssertionError(
                f"{thing.id}: the example in the docstring must build one: {thing.__name__}(...)"
            ) from error
    return Example(names, tuple(built), tuple(calls))


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _makes(call: ast.Call, thing: type[Thing]) -> bool:
    """Tell whether a call is ``Name(...)`` or ``Name.maker(...)`` of the thing."""
    called = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return isinstance(called, ast.Name) and called.id == thing.__name__


def _value(node: ast.expr, names: dict[str, object]) -> object:
    """Return the value of an expression, or ``None`` where it stands inside a loop over something else."""
    try:
        return eval(compile(ast.Expression(node), "example", "eval"), names)
    except NameError:
        return None
