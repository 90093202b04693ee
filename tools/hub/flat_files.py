"""Copies of the package's files under flat names, with their imports of each other rewritten.

`evaluate` fetches a module's script, and the files that the script itself imports from its own folder: it reads lines
such as `from .x import a` and fetches `x.py`. It ignores subfolders, and files that only other files import. So
`measures/span_f.py` becomes `spanometer_measures_span_f.py`. The files that a script needs are found by following the
imports, including those inside functions.
"""

import ast
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from spanometer.exceptions import InputError
from spanometer.version import __version__

PACKAGE = Path(__file__).resolve().parents[2] / "shared" / "spanometer"

_VERSION = PACKAGE / "version.py"


def flat_name(file: Path) -> str:
    """Return the flat name of a file of the package, without its suffix.

    The prefix `spanometer_` prevents conflicts with Python's own modules, which come after files beside a script.
    """
    parts = [PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts]
    return "_".join(part for part in parts if part != "__init__")


def needed_files(script: Path) -> list[Path]:
    """Return the files of the package that a script needs, directly or through others, sorted.

    Raises:
        InputError: if an import cannot be followed.
    """
    found: set[Path] = set()
    waiting = [script]
    while waiting:
        file = waiting.pop()
        targets = {target for node, target in _own_imports(file).items() if _imports(file)[node]} - {_VERSION}
        waiting += targets - found
        found |= targets
    return sorted(found)


@cache
def flattened(file: Path, parent: str = "") -> str:
    """Return the text of a file in which imports of the package are replaced by imports of flat files.

    Args:
        file: a file of the package, or a script that imports the package by its name.
        parent: the package of the flat files; empty for the file's own package.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    for node, target in _own_imports(file).items():
        line = lines[node.lineno - 1]
        if target == _VERSION:
            # saves fetching a file
            lines[node.lineno - 1] = f'{line[: node.col_offset]}__version__ = "{__version__}"'
        else:
            lines[node.lineno - 1] = re.sub(r"from \S+ import", f"from {parent}.{flat_name(target)} import", line)
    return "\n".join([*lines, ""])


def libraries(files: Iterable[Path], *, everywhere: bool = True) -> set[str]:
    """Return the libraries that files import, without the standard library.

    `everywhere` includes imports in functions.
    """
    found: set[str] = set()
    for file in files:
        for node, executed in _imports(file).items():
            if executed and (everywhere or node.col_offset == 0):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                found.update(name.partition(".")[0] for name in names if isinstance(node, ast.Import) or not node.level)
    return found - {PACKAGE.name} - sys.stdlib_module_names


@cache
def _imports(file: Path) -> dict[ast.Import | ast.ImportFrom, bool]:
    """Return the imports of a file, each with whether it is executed, that is, not only for type checkers."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"), filename=str(file))))
    tests = [node for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    for_types = {inner for test in tests for inner in ast.walk(test)}
    return {node: node not in for_types for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))}


@cache
def _own_imports(file: Path) -> dict[ast.ImportFrom, Path]:
    """Return the statements that import from the package, each with the imported file."""
    targets: dict[ast.ImportFrom, Path] = {}
    for node in _imports(file):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = node.module.split(".") if node.module else []
        if node.level:
            module = file.parents[node.level - 1].joinpath(*parts)
        elif parts[0] == PACKAGE.name:
            module = PACKAGE.joinpath(*parts[1:])
        else:
            continue
        target = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        whole = [alias.name for alias in node.names if (module / f"{alias.name}.py").is_file()]
        if whole or not target.is_file():
            problem = f"{whole[0]} is a module." if whole else f"there is no module {module.name}."
            raise InputError(problem, "Import names from modules of the package.", source=str(file), line=node.lineno)
        targets[node] = target
    return targets
