"""A metric module as a script with flat files beside it, from the imports of the package.

`evaluate` fetches a module's script and the files beside it that the script itself names, line by line:
`from .x import a`, which is `x.py`; no folders, and no files that only these files name. So every top-level definition
that the script needs, directly or over others, is found in the syntax trees. Each file of the package that has some is
written with these alone, under a name that says where it comes from, and the script names them all.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..errors import InputError

_PACKAGE = __package__.partition(".")[0]

_FETCHED = "# evaluate fetches the files that this script names, and no others"


@dataclass(frozen=True)
class Flattened:
    """A script and the files that it needs.

    Attributes:
        script: the script's text.
        files: the texts of the files beside it by the path of the file of the package that each is made from.
        libraries: the libraries that are imported by any of them, wherever in the text, without Python's own.
    """

    script: str
    files: dict[str, str]
    libraries: frozenset[str]


def flatten(script: Path, package: Path) -> Flattened:
    """The script with its imports of the package turned into imports of flat files.

    Args:
        script: a script with imports such as `from spanometer import measures`.
        package: the folder of the package.

    Raises:
        InputError: for an import that cannot be followed.
    """
    return _Flattening(script, package).flattened()


def flat_name(module: str) -> str:
    """The name of the flat file of a module of the package, such as `spanometer_measures_base` for `measures.base`.

    Files beside a Space's script are found before Python's own modules: without the prefix `statistics` would be one.
    """
    return "_".join([_PACKAGE, *module.split(".")])


@dataclass(frozen=True)
class Import:
    """One name that is imported from the package.

    Attributes:
        module: the module within the package, "" for the package itself.
        name: what is imported.
        bound: what it is called where it is imported.
    """

    module: str
    name: str
    bound: str


@dataclass
class _Statement:
    """A top-level statement: its lines, with the comments above it, and what it needs and defines."""

    node: ast.stmt
    first: int
    last: int

    @cached_property
    def defines(self) -> set[str]:
        """The names that are bound at the top level."""
        if isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return {self.node.name}
        if isinstance(self.node, (ast.Import, ast.ImportFrom)):
            return {alias.asname or alias.name.partition(".")[0] for alias in self.node.names}
        return {
            node.id for node in ast.walk(self.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

    @cached_property
    def uses(self) -> set[str]:
        """The names that are read in it; more than are needed, where functions have variables of such names."""
        return {
            node.id for node in ast.walk(self.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }


class Source:
    """A file of Python: its top-level statements, and what it imports from the package."""

    def __init__(self, path: Path, package: Path) -> None:
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        self.tree = ast.parse("".join(self.lines), filename=str(path))
        self.inside = path.is_relative_to(package)
        parts = path.relative_to(package).with_suffix("").parts if self.inside else ()
        self.parents = parts[:-1]
        self.module = ".".join(self.parents if parts[-1:] == ("__init__",) else parts)

    @cached_property
    def statements(self) -> list[_Statement]:
        """The top-level statements that are ever executed."""
        found: list[_Statement] = []
        end = 0
        for node in self.tree.body:
            last = node.end_lineno or node.lineno
            if found and _is_text(node):
                # the text below a definition belongs to it
                found[-1].last = last
            elif not _for_type_checking(node):
                found.append(_Statement(node, end, last))
            end = last
        return found

    @cached_property
    def imported(self) -> dict[str, Import]:
        """What is imported from the package at the top level, by the name that it has here."""
        return {
            item.bound: item
            for statement in self.statements
            if isinstance(statement.node, ast.ImportFrom)
            for item in self.items(statement.node) or ()
        }

    def items(self, node: ast.ImportFrom) -> list[Import] | None:
        """The names that a statement imports from the package, None where it imports from elsewhere."""
        own = [_PACKAGE] if self.inside else []
        if node.level:
            if not self.inside:
                return None
            base = [*own, *self.parents][: len(self.parents) + 2 - node.level]
        else:
            base = []
        path = [*base, *(node.module or "").split(".")] if node.module else base
        if path[:1] != [_PACKAGE]:
            return None
        return [Import(".".join(path[1:]), alias.name, alias.asname or alias.name) for alias in node.names]

    def imports(self, node: ast.AST) -> Iterator[tuple[ast.ImportFrom, list[Import]]]:
        """The statements within a node that import from the package."""
        for inner in _executed(node):
            if isinstance(inner, ast.ImportFrom) and (items := self.items(inner)) is not None:
                yield inner, items

    def libraries(self, node: ast.AST) -> Iterator[str]:
        """The libraries that are imported within a node, without Python's own and the package."""
        for inner in _executed(node):
            if isinstance(inner, ast.Import):
                names = [alias.name for alias in inner.names]
            elif isinstance(inner, ast.ImportFrom) and not inner.level:
                names = [inner.module or ""]
            else:
                continue
            for name in names:
                library = name.partition(".")[0]
                if library != _PACKAGE and library not in sys.stdlib_module_names:
                    yield library


class _Flattening:
    """One script being flattened: what is needed of each module of the package."""

    def __init__(self, script: Path, package: Path) -> None:
        self.package = package
        self.script = Source(script, package)
        self.sources: dict[str, Source] = {}
        self.needed: dict[str, set[str]] = {}

    def flattened(self) -> Flattened:
        """Find what is needed, and write it."""
        modules = self._modules_of_script()
        wanted = [
            (Import(module, name, f"_{name}"))
            for item in modules.values()
            for module in [self._submodule(item)]
            if module
            for name in sorted(_attributes(self.script, item.bound))
        ]
        wanted += [item for item in self.script.imported.values() if item.bound not in modules]
        for item in wanted:
            self._need(item.module, item.name)
        texts = {module: self._text(module) for module in sorted(self.needed)}
        trees = [ast.parse(text) for text in texts.values()]
        top_level = {
            library
            for tree in trees
            for node in tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for library in self.script.libraries(node)
        }
        everything = {library for tree in [*trees, self.script.tree] for library in self.script.libraries(tree)}
        files = {self.sources[module].path.relative_to(self.package).as_posix(): text for module, text in texts.items()}
        return Flattened(self._script_text(modules, wanted, sorted(top_level)), files, frozenset(everything))

    def _source(self, module: str) -> Source:
        if module not in self.sources:
            self.sources[module] = Source(_file_of(module, self.package), self.package)
        return self.sources[module]

    def _submodule(self, item: Import) -> str | None:
        """The module that an import names as a whole, None where it names something in a module."""
        module = f"{item.module}.{item.name}".lstrip(".")
        return module if _exists(module, self.package) else None

    def _modules_of_script(self) -> dict[str, Import]:
        """The modules that the script imports as a whole."""
        return {bound: item for bound, item in self.script.imported.items() if self._submodule(item)}

    def _resolve(self, module: str, name: str) -> tuple[str, str]:
        """Where a name is defined that a module may only pass on."""
        source = self._source(module)
        if name in source.imported:
            item = source.imported[name]
            return self._resolve(item.module, item.name)
        if not any(name in statement.defines for statement in source.statements):
            problem = "is a module, and modules can be imported as a whole by the script alone"
            known = _exists(f"{module}.{name}".lstrip("."), self.package)
            raise InputError(
                f"{name} {problem if known else 'is imported, and is not defined'}.",
                "Import the names that are needed with from .module import name.",
                source=str(source.path),
            )
        return module, name

    def _need(self, module: str, name: str) -> None:
        """Note a definition and all that it needs."""
        waiting = [(module, name)]
        while waiting:
            module, name = self._resolve(*waiting.pop())
            source = self._source(module)
            if module not in self.needed:
                self.needed[module] = set()
                # what defines nothing is there for what it does
                effects = [statement for statement in source.statements if not statement.defines]
            else:
                effects = []
            if name in self.needed[module]:
                continue
            self.needed[module].add(name)
            for statement in [*effects, *(found for found in source.statements if name in found.defines)]:
                if isinstance(statement.node, (ast.Import, ast.ImportFrom)):
                    continue
                waiting += [(item.module, item.name) for _, items in source.imports(statement.node) for item in items]
                for used in statement.uses:
                    if used in source.imported:
                        waiting.append((source.imported[used].module, source.imported[used].name))
                    elif any(used in other.defines for other in source.statements):
                        waiting.append((module, used))

    def _text(self, module: str) -> str:
        """A module's text with what is needed of it alone."""
        source = self._source(module)
        kept = [
            statement
            for statement in source.statements
            if not statement.defines or statement.defines & self.needed[module] or _is_future(statement.node)
        ]
        used = set().union(*(statement.uses for statement in kept), self.needed[module])
        lines: list[str] = []
        for statement in source.statements:
            node = statement.node
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_future(node):
                bound = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in used]
                if bound:
                    lines += source.lines[statement.first : node.lineno - 1]
                    lines += [line + "\n" for line in self._import_lines(source, node, bound)]
            elif statement in kept:
                lines += self._with_flat_imports(source, statement)
        return "".join(lines).strip("\n") + "\n"

    def _import_lines(self, source: Source, node: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> list[str]:
        """An import of some of the names of a statement."""
        items = source.items(node) if isinstance(node, ast.ImportFrom) else None
        if items is None:
            part = ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, 0)
            return [ast.unparse(part)]
        bound = {alias.asname or alias.name for alias in names}
        return self._flat_imports([item for item in items if item.bound in bound])

    def _flat_imports(self, items: list[Import]) -> list[str]:
        """Imports from the flat files in which the names are defined."""
        by_file: dict[str, list[str]] = {}
        for item in items:
            module, name = self._resolve(item.module, item.name)
            by_file.setdefault(flat_name(module), []).append(name if name == item.bound else f"{name} as {item.bound}")
        return [f"from .{file} import {', '.join(sorted(names))}" for file, names in sorted(by_file.items())]

    def _with_flat_imports(self, source: Source, statement: _Statement) -> list[str]:
        """The lines of a statement, with the imports inside it turned into those of flat files."""
        lines = source.lines[statement.first : statement.last]
        for node, items in sorted(source.imports(statement.node), key=lambda found: -found[0].lineno):
            indent = " " * node.col_offset
            span = slice(node.lineno - 1 - statement.first, (node.end_lineno or node.lineno) - statement.first)
            lines[span] = [f"{indent}{line}\n" for line in self._flat_imports(items)]
        return lines

    def _script_text(self, modules: dict[str, Import], wanted: list[Import], libraries: list[str]) -> str:
        """The script, which names every file and every library that the files cannot do without."""
        named = self._flat_imports(wanted)
        files = {line.split()[1] for line in named}
        others = [f".{flat_name(module)}" for module in sorted(self.needed)]
        block = [_FETCHED, *named, *(f"from {file} import __name__ as _" for file in others if file not in files)]
        lines = self._with_names_of_modules(modules)
        statements = [statement.node for statement in self.script.statements]
        own = [node for node in statements if isinstance(node, ast.ImportFrom) and self.script.items(node) is not None]
        known = {library for node in statements for library in self.script.libraries(node)}
        # from the end, so that the numbers of lines stay right
        for node in reversed(own[1:]):
            del lines[node.lineno - 1 : node.end_lineno]
        lines[own[0].lineno - 1 : own[0].end_lineno] = [f"{line}\n" for line in block]
        missing = [f"import {library}\n" for library in libraries if library not in known]
        first = next(node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom)))
        lines[first.end_lineno : first.end_lineno] = missing
        return "".join(lines)

    def _with_names_of_modules(self, modules: dict[str, Import]) -> list[str]:
        """The script's lines with `_SpanF` for `measures.SpanF`."""
        lines = [line.encode() for line in self.script.lines]
        found = [
            node
            for node in ast.walk(self.script.tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
        ]
        for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line[: node.col_offset] + f"_{node.attr}".encode() + line[node.end_col_offset :]
        return [line.decode() for line in lines]


def modules_needed(script: Path, package: Path) -> list[str]:
    """The files of the package that a script needs as they are, directly or over others, by their paths within it.

    For scripts that Python runs itself, and that import the package by its name.
    """
    found: dict[str, Source] = {}
    libraries = [Source(script, package)]
    while libraries:
        source = libraries.pop()
        for _, items in source.imports(source.tree):
            for item in items:
                submodule = f"{item.module}.{item.name}".lstrip(".")
                modules = [submodule] if _exists(submodule, package) else [item.module]
                for module in modules:
                    parts = module.split(".") if module else []
                    for depth in range(len(parts) + 1):
                        file = _file_of(".".join(parts[:depth]), package)
                        name = file.relative_to(package).as_posix()
                        if name not in found:
                            found[name] = Source(file, package)
                            libraries.append(found[name])
    return sorted(found)


def libraries_of(file: Path, package: Path) -> set[str]:
    """The libraries that a file imports, without Python's own and the package."""
    source = Source(file, package)
    return set(source.libraries(source.tree))


def _exists(module: str, package: Path) -> bool:
    path = package.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _file_of(module: str, package: Path) -> Path:
    path = package.joinpath(*module.split(".")) if module else package
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.is_file():
        raise InputError(f"there is no module {module} in the package.", "Correct the import.", source=str(package))
    return file


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes within a node, without those that only type checkers read."""
    if _for_type_checking(node):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _executed(child)


def _for_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _attributes(source: Source, name: str) -> set[str]:
    """What is taken from a module that a script has imported as a whole."""
    taken = {
        node.attr
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    read = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == name]
    of_attributes = [
        node for node in ast.walk(source.tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]
    if len(read) > sum(node.value.id == name for node in of_attributes if isinstance(node.value, ast.Name)):
        raise InputError(
            f"{name} is used as a whole.", f"Take what is needed by its name: {name}.Name.", source=str(source.path)
        )
    return taken
