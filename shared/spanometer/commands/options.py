"""Command-line options that are created from declarations, see `spanometer.options`."""

import argparse
import glob
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..exceptions import ASKED, InputError, spell_python
from ..options import Option, option, options_of

Owner = TypeVar("Owner")

READ = ("file", "files", "reference", "systems", "train", "data", "id2label", "label_map", "tokenizer")
"""The attribute of the parsed options that has the names of files to read."""

STANDARD_INPUT = "-"

WRITTEN = ("output", "html", "plot")
"""The attribute that has the names of files to write."""


def switch(help: str = "", **details: Any) -> Any:
    """Declare an option of a command that is off by default."""
    return option(False, help=help, kind=bool, **details)


def names_in(text: str) -> tuple[str, ...]:
    """Split names that are separated by commas."""
    return tuple(name.strip() for name in text.split(","))


def name_list(metavar: str, help: str = "", **details: Any) -> Any:
    """Declare an option of a command with names that are separated by commas."""
    return option((), help=help, metavar=metavar, parse=names_in, **details)


def add_systems(parser: argparse.ArgumentParser, *, metavar: str = "PREDICTION") -> None:
    """Add the files of a reference and of systems, and the names of the systems."""
    add_reference(parser)
    parser.add_argument("systems", metavar=metavar, nargs="*", help="file with the predictions of one system")
    add_names(parser, "systems")


def add_annotators(parser: argparse.ArgumentParser) -> None:
    """Add the files of annotators, and their names."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="annotations of one annotator")
    add_names(parser, "annotators")


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add the file of a reference."""
    what = "file with the reference, or - for standard input"
    parser.add_argument("reference", metavar="REFERENCE", help=what)


def add_names(parser: argparse.ArgumentParser, of: str) -> None:
    """Add the option for names, and begin the group of reading options."""
    group_of(parser, "reading").add_argument("--names", metavar="NAMES", help=f"names of the {of}, separated by commas")


def group_of(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Return the group of a parser's arguments with this title, which is added if there is none."""
    group = next((group for group in parser._action_groups if group.title == title), None)
    return group or parser.add_argument_group(title)


def add_options(parser: argparse.ArgumentParser, title: str, *kinds: type, leave_out: Collection[str] = ()) -> None:
    """Add the declared options of dataclasses to a parser.

    If several dataclasses declare the same flag, it is one option of the command line, with the help of the first; each
    dataclass reads it in its own way, see `read_options`.

    Args:
        parser: the parser; options that it has already are not added again.
        title: the title of their group, see `group_of`.
        kinds: the dataclasses.
        leave_out: names of options that the command does not need.
    """
    group = group_of(parser, title)
    flags, owners, declarations = (dict(parser.get_default(name) or {}) for name in ("flags", "owners", "declared"))
    for owner, (name, declared) in ((kind, entry) for kind in kinds for entry in options_of(kind).items()):
        flag, key = declared.command_flag, destination(declared)
        if not flag or name in leave_out:
            continue
        strings = ["-o", flag] if name == "output" else [flag]
        owners.setdefault(key, owner)
        flags[key] = strings[0]
        if not str(flags.get(name, "")).startswith("-"):
            flags[name] = strings[0]
        if strings[0] not in parser._option_string_actions:
            _add(group, strings, declared)
            declarations[key] = declared
    parser.set_defaults(flags=flags, owners=owners, declared=declarations)


def _add(group: argparse._ArgumentGroup, flags: list[str], declared: Option) -> None:
    details: dict[str, Any] = {"action": argparse.BooleanOptionalAction if declared.default else "store_true"}
    if declared.kind is not bool:
        metavar = declared.metavar or declared.name.rpartition("_")[2].upper()
        details = {"action": "append" if declared.repeat else "store", "metavar": metavar}
    action = group.add_argument(*flags, dest=destination(declared), default=None, **details)
    if declared.choices or declared.offered:
        offer(action, [declared.choices], *declared.offered)


def offer(action: argparse.Action, *ways: Sequence[Iterable[str]]) -> None:
    """Let argcomplete offer the names of each way to write a value: before its first comma, after it, and so on."""

    def completer(prefix: str, **_: Any) -> list[str]:
        # commas in parentheses separate the options of a measure
        begun = re.findall(r"[^,(]*(?:\([^)]*\))?,", prefix)
        return ["".join([*begun, name]) for way in ways for names in way[len(begun) :][:1] for name in names]

    setattr(action, "completer", completer)  # noqa: B010 (argparse declares no such attribute)


def destination(declared: Option) -> str:
    """Return the attribute of the parsed options in which an option is stored."""
    return declared.command_flag.removeprefix("--").replace("-", "_")


def read_values(declared: Mapping[str, Option], options: argparse.Namespace) -> dict[str, Any]:
    """Read the values of the declared options that are set on the command line."""
    texts = {name: getattr(options, destination(each), None) for name, each in declared.items()}
    given = {name: text for name, text in texts.items() if text is not None}
    return {name: text if isinstance(text, bool) else declared[name].read(text) for name, text in given.items()}


def read_options(owner: type[Owner], options: argparse.Namespace, **more: Any) -> Owner:
    """Create a dataclass from its options on the command line.

    Args:
        owner: the dataclass.
        options: the command line.
        more: the values of other fields.

    Raises:
        InputError: if a value is not allowed; the error names options by the flags of this dataclass.
    """
    declared = options_of(owner)
    try:
        return owner(**read_values(declared, options), **more)
    except InputError as error:
        spell = speller({name: options.flags.get(destination(each), "") for name, each in declared.items()})
        raise error.respelled(spell) from None


def refuse(options: argparse.Namespace, names: Iterable[str], what: str, remedy: str = "") -> None:
    """Raise an `InputError` for the first of these options that is set, because none of them has an effect."""
    for name in names:
        value = getattr(options, name, None)
        if value is not None:
            flag = speller(options.flags)(name, str(value) if isinstance(value, bool) else None)
            protocol = getattr(options, "official", {}).get(name)
            if protocol is not None:
                flag, remedy = f"{protocol.name}: {flag}", f"Its files are: {protocol.formats}."
            raise InputError(f"{flag} has no effect for {what}.", remedy or f"Remove {flag}.")


def refuse_others(
    options: argparse.Namespace, kind: type, taken: Iterable[Option], what: str, remedy: str = ""
) -> None:
    """Raise an `InputError` for the first option of dataclasses of this kind that is set and not among `taken`."""
    names = set(map(destination, taken))
    owned = (name for name, owner in options.owners.items() if issubclass(owner, kind))
    refuse(options, [name for name in owned if name not in names], what, remedy)


def require_kept_inputs(options: argparse.Namespace) -> None:
    """Raise an `InputError` if a file that is read would be replaced, or if two results go into the same file."""
    inputs = [getattr(options, name, None) or [] for name in READ]
    paths = [path.removeprefix("hf:") for value in inputs for path in ([value] if isinstance(value, str) else value)]
    files = [file for path in paths for file in ([path] if os.path.exists(path) else glob.glob(path, recursive=True))]
    read = set(map(os.path.realpath, files))
    targets: set[str] = set()
    for name in WRITTEN:
        path = getattr(options, name, None)
        if path is None or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            continue
        target = os.path.realpath(path)
        related = any(_is_within(target, file) or _is_within(file, target) for file in read)
        replaced = target in read or (related and getattr(options, "force", None) and os.path.exists(target))
        if replaced or target in targets:
            twice = "two results would be written into one file."
            problem = "the output would overwrite an input file." if replaced else twice
            raise InputError(problem, f"Name another file with {options.flags[name]}.", source=path)
        targets.add(target)


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def speller(flags: Mapping[str, str]) -> Callable[[str, str | None], str]:
    """Return a function that writes options as flags, for `InputError.message`."""

    def spell(name: str, value: str | None) -> str:
        if value == ASKED:
            return flags.get(name, "")
        flag = flags.get(name) or f"--{name.replace('_', '-')}"
        if not flag.startswith("-"):
            return f"{flag}={value.strip(chr(39))})" if "(" in flag and value else spell_python(name, value)
        if value == "False":
            return flag.replace("--", "--no-", 1)
        # tuples of strings with commas only, strings without their quotes
        bare = value and (value.strip("(',)").replace("', '", ",") if value[0] == "(" else value.strip("'"))
        return flag if value in (None, "...", "True") else f"{flag} {bare}"

    return spell
