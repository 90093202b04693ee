"""Options of the command line, made from their declarations, see `spanometer.options`."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..exceptions import ASKED, InputError
from ..options import Option, option, options_of

Owner = TypeVar("Owner")

_LISTED = 5
"""How many owners of an option the help names."""


READ = (
    *("file", "files", "reference", "systems", "train", "data"),
    *("label_names", "map", "word_probabilities", "tokenizer"),
)
"""Where the parsed options have the names of files that are read."""

WRITTEN = ("output", "html", "plot", "list_spans")
"""Where they have the names of files that are written."""


def switch(help: str, **details: Any) -> Any:
    """Declare an option of a command that is off by default."""
    return option(False, help=help, kind=bool, **details)


def add_systems(
    parser: argparse.ArgumentParser, *, metavar: str = "PREDICTION", nargs: str = "*", what: str = "tags"
) -> argparse._ArgumentGroup:
    """Add the files of a reference and of systems, and their names; return the group for the options of reading."""
    parser.add_argument("reference", metavar="REFERENCE", help=f"file with the reference {what}")
    parser.add_argument("systems", metavar=metavar, nargs=nargs, help=f"file with the {what} of one system")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the systems' names, with commas between")
    return reading


def add_options(
    group: argparse._ArgumentGroup,
    owners: Mapping[str, type],
    *,
    leave_out: Collection[str] = (),
    optional: Collection[str] = (),
    required: Collection[str] = (),
    beside: Mapping[str, type] | None = None,
    called: Mapping[str, str] | None = None,
) -> None:
    """Add the declared options of dataclasses to a group of a parser.

    Options of one flag are one option of the command line, which each dataclass reads in its own way, see
    `read_options`.

    Args:
        group: the group; options that the parser has already are not added again.
        owners: the dataclasses by their names in the help; an empty string for options of the whole command.
        leave_out: names of options that the command has no use for.
        optional: names of options without a default in the help.
        required: names of required options.
        beside: owners whose options are added elsewhere; the help of a shared flag describes their options too.
        called: the flags of options that have other names in this command, with blanks between.
    """
    strings = {string for action in group._actions for string in action.option_strings}
    flags: dict[str, str] = dict(group.get_default("flags") or {})
    owners_by_name: dict[str, list[type]] = dict(group.get_default("owners") or {})
    uses: dict[str, dict[str, Option]] = {}
    for title, owner in {**owners, **(beside or {})}.items():
        for name, declared in options_of(owner).items():
            flag = (called or {}).get(name, declared.command_flag)
            owned = flag and title in owners and name not in leave_out
            if owned:
                owners_by_name[destination(declared)] = [*owners_by_name.get(destination(declared), []), owner]
            if flag in uses or owned:
                uses.setdefault(flag, {})[title] = declared
                flags.setdefault(name, flag.split()[0])
                flags[destination(declared)] = flag.split()[0]
    for flag, declarations in uses.items():
        if strings.isdisjoint(flag.split()):
            action = _add(group, flag.split(), declarations, optional)
            action.required = any(declared.name in required for declared in declarations.values())
    group.set_defaults(flags=flags, owners=owners_by_name)


def _add(
    group: argparse._ArgumentGroup, flags: list[str], uses: Mapping[str, Option], optional: Collection[str]
) -> argparse.Action:
    declared = next(iter(uses.values()))
    details: dict[str, Any] = {"dest": destination(declared), "default": None, "help": _help(uses, optional)}
    if declared.kind is bool and declared.default:
        return group.add_argument(*flags, action=argparse.BooleanOptionalAction, **details)
    if declared.kind is bool:
        return group.add_argument(*flags, action="store_true", **details)
    metavar = declared.metavar or declared.name.rpartition("_")[2].upper()
    return group.add_argument(*flags, action="append" if declared.repeat else "store", metavar=metavar, **details)


def _help(uses: Mapping[str, Option], optional: Collection[str]) -> str:
    """Describe an option for each of its owners; write common parts of the texts once."""
    choices: dict[str, dict[Any, str]] = {}
    for declared in uses.values():
        explained = declared.choices if isinstance(declared.choices, Mapping) else dict.fromkeys(declared.choices, "")
        choices.setdefault(declared.help, {}).update(explained)
    owners: dict[str, list[str]] = {}
    ends = set()
    for title, declared in uses.items():
        whole = replace(declared, choices=choices[declared.help])
        text = _described(whole, declared.name in optional)
        owners.setdefault(text, []).append(title)
        ends.add(text.removeprefix(declared.help) if declared.choices else "")
    # common ends of texts are written once
    end = ends.pop() if len(owners) > 1 and len(ends) == 1 else ""
    parts = [f"{_called(titles)}{text.removesuffix(end) if end else text}" for text, titles in owners.items()]
    return "; ".join([*parts, *([f"always {end.removeprefix(': ')}"] if end else [])]).replace("%", "%%")


def _called(titles: Sequence[str]) -> str:
    """Begin a text about some owners with their names, unless these are most measures."""
    if "" in titles:
        return ""
    return f"{', '.join(titles) if len(titles) <= _LISTED else 'most measures'}: "


def _described(declared: Option, optional: bool) -> str:
    if declared.choices:
        return f"{declared.help}: {declared.values}".replace('"', "")
    repeated = "; may be repeated" if declared.repeat else ""
    plain = optional or declared.kind is bool or declared.default in (None, (), {})
    return declared.help + repeated + ("" if plain else f" (default: {declared.default})")


def destination(declared: Option) -> str:
    """Name the attribute of the parsed options that an option is stored under."""
    return declared.command_flag.removeprefix("--").replace("-", "_")


def destinations(*owners: type) -> set[str]:
    """Name the attributes of the parsed options that the options of dataclasses are stored under."""
    return {destination(declared) for owner in owners for declared in options_of(owner).values()} - {""}


def given_options(options: argparse.Namespace, *owners: type) -> set[str]:
    """List the options that the command line has values for."""
    return {name for name in destinations(*owners) if getattr(options, name, None) is not None}


def read_options(owner: type[Owner], options: argparse.Namespace, **more: Any) -> Owner:
    """Read the declared options of a dataclass from the command line.

    Args:
        owner: the dataclass.
        options: the command line.
        more: the values of other fields.

    Raises:
        InputError: for a value that is not allowed; it names options by the flags of this dataclass.
    """
    declared = options_of(owner)
    texts = {name: getattr(options, destination(each), None) for name, each in declared.items()}
    try:
        values = {
            name: value if isinstance(value, bool) else declared[name].read(value)
            for name, value in texts.items()
            if value is not None
        }
        return owner(**values, **more)
    except InputError as error:
        spell = speller({name: options.flags.get(destination(each), "") for name, each in declared.items()})
        raise error.respelled(spell) from None


def require_kept_inputs(options: argparse.Namespace) -> None:
    """Raise an `InputError` if a file that is read would be replaced, or two results written into one file."""
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
        remedy = f"Name another file with {options.flags[name]}."
        related = any(_is_within(target, file) or _is_within(file, target) for file in read)
        if target in read or (related and getattr(options, "force", None) and os.path.exists(target)):
            raise InputError("the input would be replaced.", remedy, source=path)
        if target in targets:
            raise InputError("two results would be written into one file.", remedy, source=path)
        targets.add(target)


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def speller(flags: Mapping[str, str]) -> Callable[[str, str | None], str]:
    """Make a function that spells options as flags, for `InputError.message`."""

    def spell(name: str, value: str | None) -> str:
        if value == ASKED:
            return flags.get(name, "")
        flag = flags.get(name) or f"--{name.replace('_', '-')}"
        if value == "False":
            return flag.replace("--", "--no-", 1)
        # strings without their quotes
        return flag if value in (None, "...", "True") else f"{flag} {value.strip(chr(39))}"

    return spell
