"""The command line: `spanometer score REFERENCE PREDICTION`, `spanometer validate FILE` and so on, see `commands`.

Help comes in layers: a command's first page, a page for each topic and measure, and a page with everything. The topic
of an option is the first word of its group's title, unless its declaration names another one. The first page has the
options that a command declares itself, and those that are declared as common.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from importlib import import_module
from inspect import cleandoc
from textwrap import fill, wrap
from typing import Any, NoReturn

import pyarrow

from ..exceptions import InputError, did_you_mean, printable, spell_python, spelled
from ..options import Option, counterpart, options_of, same
from ..version import __version__
from . import COMMANDS, GROUPS
from .options import require_kept_inputs, speller

BAD_INPUT = 2
"""The exit status for input that cannot be scored, and for wrong options."""

_SHORT = 60
"""The maximum length of values in a short help."""

_LONG = 110
"""The length of a help that has its values on lines of their own."""

FIRST_PAGE = 45
"""The maximum number of lines of a first page. If the help of a command is not longer, all of it is shown."""

ALL = "all"
"""The topic that stands for all options."""

PROTOCOLS = "protocols"
"""The topic that lists the official scorers."""

_TEXTS = {
    "reading": "Files of tags have a token on each line, with its tag in the last column, and a blank line after each "
    "document. You can also use JSON lines with tags or spans, and exports of annotation tools. Files can be gzipped. "
    "Use - for standard input.",
    "reading documents with spans": "Documents with spans come as exports of annotation tools, or as JSON lines with "
    "text and spans. Character spans are aligned with the tokens of the reference (--to-tokens), or scored in "
    'characters (--unit character). If spans in JSON lines have "attributes": {NAME: VALUE}, the measure '
    "span_attribute scores these attributes.",
    "answers": "Give the answers of a language model as JSON lines. Each item of an answer is looked up in the "
    "reference's text. An item that is not in the text counts as a false positive. Some grounding policies, such as "
    "gollie, compare only the strings and labels of mentions. Such policies work only with the measure mention_f.",
    "reading entity trees": "Files with HIPE columns or QUAERO markup are read as entity trees and scored with eter, "
    "unless you set --column.",
    "reading Parquet files": "With --cluster, REFERENCE is a Parquet file, a folder, or a quoted pattern such as "
    '"data/*.parquet". The Parquet files have a column for the reference and a column '
    "for the system. Set --scheme if the columns have tags.",
}
"""The text above the options of a section, by its title."""

_NO_TOPICS = ("arguments", "options")
"""The titles of the groups that argparse creates."""

_BROKEN_PIPE = 141
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments, without the program's name; by default the arguments of the process.

    Returns:
        The exit status: 0, or 2 after an error in the input, which is written to standard error. For wrong options
        and `--help`, `SystemExit` is raised, as in argparse.
    """
    parser = _parser()
    if argv is None and "_ARGCOMPLETE" in os.environ:
        _complete(parser)
    return run(parser, argv)


def _complete(parser: _Commands) -> None:
    """Respond to a shell that completes the command line, and exit; without argcomplete do nothing."""
    try:
        from argcomplete import autocomplete
    except ModuleNotFoundError:
        sys.exit(1)
    # the options of the command must be declared before they are listed
    for name in COMMANDS.keys() & os.environ.get("COMP_LINE", "").split()[1:2]:
        parser.commands[name].load()
    autocomplete(parser)


def run(parser: argparse.ArgumentParser, argv: Sequence[str] | None = None) -> int:
    """Run the command of a parser, see `main`."""
    if sys.stdout is None:
        return _complain("standard output is closed. Send it to a file, a pipe or /dev/null.")
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 (open to the end of the process)
    # characters that it cannot encode are escaped
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    # Arrow's default pool never returns memory
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["help"]:
        command = [name for name in arguments[1:2] if name in COMMANDS]
        arguments = [*command, "--help", *arguments[1 + len(command) :]]
    options = argparse.Namespace()
    try:
        parser.parse_args(arguments, options)
        if getattr(options, "output", None) == "/dev/stdout":
            # if the output is a file, it is open already
            options.output = "-"
        require_kept_inputs(options)
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            status: int = options.run(options) or 0
        sys.stdout.flush()
        return status
    except InputError as error:
        return _complain(error.message(speller(getattr(options, "flags", {})), " "))
    except MemoryError:
        from ..readers.source import out_of_memory

        return _complain(out_of_memory(None).message(spell_python, " "))
    except BrokenPipeError:
        _drop_output()
        return _BROKEN_PIPE
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{(error.strerror or str(error)).lower()}.")
    except KeyboardInterrupt:
        return _INTERRUPTED


class HelpFormatter(argparse.HelpFormatter):
    """Formats help; the first line has only the required arguments."""

    def add_usage(self, usage: Any, actions: Iterable[argparse.Action], groups: Any, prefix: str | None = None) -> None:
        """Write the arguments and the required options; without a prefix, begin the line of a command."""
        shown = [action for action in actions if action.required or not action.option_strings]
        if prefix is None:
            self._prog += " [options]"
        super().add_usage(usage, shown, [], prefix)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Write an option's names, followed by its value once."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {action.metavar}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Wrap each line of an option's help, and indent the values."""
        lines = [wrap(line, width, subsequent_indent="  " if line[:2] == "- " else "") for line in text.splitlines()]
        return [part for line in lines for part in line]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap text that is one line, and keep the lines of other text."""
        return text if "\n" in text else fill(text, width, initial_indent=indent, subsequent_indent=indent)


class HelpAction(argparse.Action):
    """Print a page of help and exit, regardless of other options."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Print the page of a topic, or the first page."""
        print(parser.page(values), end="")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line, and declares the options of a command only when it is called.

    Args:
        module: the module of the command.
        documentation: the text of the help. If a paragraph has a heading, it and all that follow are below the options.
        settings: the settings of argparse.
    """

    def __init__(self, *, module: str = "", documentation: str | None = None, **settings: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, add_help=False, **settings)
        self._module = module
        self._arguments: Sequence[str] = ()
        # values of options, not options: -1, columns such as -3,-2,-1, and the mark of documents
        self._negative_number_matcher = re.compile(r"-\.?\d|-DOCSTART-$")
        self.add_argument("-h", "--help", action=HelpAction, nargs="?", metavar="TOPIC", help=argparse.SUPPRESS)
        self._positionals.title = "arguments"
        self._document(documentation)

    def _document(self, documentation: str | None) -> None:
        parts = re.split(r"\n\n(?=.*:\n)", cleandoc(documentation or ""), maxsplit=1)
        self.description, self.epilog = (*parts, "")[:2]

    def load(self) -> None:
        """Import the command and declare its options."""
        if self._module:
            command = import_module(self._module)
            self._module = ""
            self._document(command.__doc__)
            self.set_defaults(run=getattr(command, "run", None))
            command.declare(self)

    def page(self, topic: str | None) -> str:
        """Return a page of help, see `page_of`; without such a page, name all topics and exit."""
        self.load()
        text = page_of(self, topic)
        if not text:
            from ..measures.registry import NAMED_MEASURES
            from ..protocols.protocol import names

            known = [*topics(self), ALL, PROTOCOLS, *NAMED_MEASURES]
            close = _did_you_mean(str(topic), [*known, *names()]) or f"The topics are {', '.join(known)}"
            self.error(f"there is no help on {topic!r}. {close}")
        return text

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Declare the options of the command before they are parsed."""
        self.load()
        self._arguments = args or []
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def _instead(self, arguments: Iterable[str]) -> str:
        """Return a sentence with the counterpart of the first unknown option that has one here."""
        known = self._option_string_actions
        names = (text.partition("=")[0] for text in arguments if text.startswith("-"))
        remedies = (counterpart(name.lstrip("-")) or _did_you_mean(name, known) for name in names if name not in known)
        remedy = next(filter(None, remedies), "")
        return f". {spelled(remedy, speller(self.get_default('flags') or {})).removesuffix('.')}" if remedy else ""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit."""
        hint = self._instead(self._arguments)
        command = re.search(r"spanometer [a-z]+", hint) or [self.prog]
        self.exit(BAD_INPUT, f"{self.prog}: {printable(message + hint)} (see {command[0]} --help)\n")


class _Commands(Parser):
    """The parser that chooses a command; `commands` has the parser of each."""

    commands: Mapping[str, Parser]

    def page(self, topic: str | None) -> str:
        """Return the list of commands, or a page of one of them."""
        if topic is None or topic == ALL:
            return command_list(self, GROUPS)
        return self.commands[topic].page(None) if topic in COMMANDS else self.commands["score"].page(topic)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """If a command is unknown, name the most similar one, or all commands."""
        if action.choices is not None and value not in COMMANDS:
            close = counterpart(value) or _did_you_mean(value, COMMANDS) or f"The commands are {', '.join(COMMANDS)}."
            self.error(f"there is no command {value!r}. {close.removesuffix('.')}")


def command_list(parser: argparse.ArgumentParser, commands: Mapping[str, Mapping[str, str]]) -> str:
    """Return the commands in their groups."""
    more = {
        "help COMMAND": "the same page as COMMAND --help",
        "help TOPIC": "the options of spanometer score on one topic: measures, reading, answers or output",
        "help MEASURE": "the definition and the options of a measure",
        "help protocols": "the names of official scorers, for spanometer score --protocol NAME",
        "--version": "the version",
    }
    return _written(_begun(parser), *commands.items(), ("more", more))


def page_of(parser: argparse.ArgumentParser, topic: str | None) -> str:
    """Return a page of help: the first page, a topic, an option, a measure, a protocol, or everything.

    The first page has the common options of a command, examples, and the topics of other options; a short help is
    returned whole. An empty string means that there is no such page.
    """
    if topic is None or topic == ALL:
        text = _page(parser, _sections(parser))
        short = topic == ALL or len(text.splitlines()) <= FIRST_PAGE
        return text if short else _page(parser, _sections(parser, common=True))
    if text := _topic_page(parser, topic):
        return text
    from ..measures.registry import NAMED_MEASURES

    return _measure_page(topic, NAMED_MEASURES[topic]) if topic in NAMED_MEASURES else _protocol_page(topic)


def topics(parser: argparse.ArgumentParser) -> list[str]:
    """Return the topics of a command, in the order in which they are needed."""
    return list(dict.fromkeys(_topic(title) for title in _sections(parser) if title not in _NO_TOPICS))


def _topic_page(parser: argparse.ArgumentParser, topic: str) -> str:
    """Return the options of a topic, or the option with this name; an empty string if there is neither."""
    parts: list[Any] = []
    for title, actions in _sections(parser).items():
        if _topic(title) == topic:
            parts.append((title, [*filter(None, [_TEXTS.get(title)]), *actions]))
    if parts and topic == "measures":
        from ..measures.registry import NAMED_MEASURES

        parts.append(("the measures", {name: _definition(kind) for name, kind in NAMED_MEASURES.items()}))
    return _written(parser._get_formatter(), *parts)


def _measure_page(name: str, kind: Any) -> str:
    """Describe a measure: its definition, its keys, its options, and an example."""
    from ..measures.base import SHARED

    declared = options_of(kind)
    shared = [each for each in ("label_groups", *SHARED) if each in declared]
    names = {"options": [each for each in declared if each not in shared], "options of most measures": shared}
    others = ((each, value) for listed in names.values() for each in listed for value in declared[each].others)
    text = next((f"{name}({each}={value})" for each, value in others), name)
    return _written(
        HelpFormatter(""),
        f"{name}: {_definition(kind)}",
        ("keys", {key: described.help for key, described in kind.results.items()}),
        *((title, {each: _described(declared[each]) for each in listed}) for title, listed in names.items()),
        f'example:\n  spanometer score REFERENCE PREDICTION --measures "{text}"',
    )


def _protocol_page(name: str) -> str:
    """Describe an official scorer, the settings of its protocol, and its faults; or list all protocols."""
    from ..protocols.protocol import Protocol, names

    if name == PROTOCOLS:
        about = "Names of official scorers, for spanometer score --protocol NAME. To read about a scorer, run "
        titles = {each: Protocol.named(each).title for each in names()}
        return _written(HelpFormatter(""), f"{about}spanometer help NAME.", (PROTOCOLS, titles))
    if name not in names():
        return ""
    protocol = Protocol.named(name)
    return _written(
        HelpFormatter(""),
        f"{name}: {protocol.title}. {protocol.description}",
        ("definition", protocol.about),
        ("faults of the scorer", [f"- {fault}".replace("%", "%%") for fault in protocol.faults]),
        f"example:\n  {protocol.example}",
    )


def _definition(kind: Any) -> str:
    return " ".join(cleandoc(kind.__doc__).partition("\n\n")[0].split())


def _begun(parser: argparse.ArgumentParser) -> argparse.HelpFormatter:
    """Start a page with the usage and the description of the command."""
    formatter = parser._get_formatter()
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    formatter.add_text(parser.description)
    return formatter


def _page(parser: argparse.ArgumentParser, sections: Mapping[str, Iterable[argparse.Action]]) -> str:
    names = topics(parser)
    more = {"--help TOPIC": f"show the help on a topic: {', '.join(names)}, {ALL}, or the name of a measure"}
    return _written(_begun(parser), *sections.items(), *([("more", more)] if names else []), parser.epilog)


def _written(formatter: argparse.HelpFormatter, *parts: Any) -> str:
    """Write texts, and sections with a title and texts, options, or texts by name."""
    for part in parts:
        if not isinstance(part, tuple):
            formatter.add_text(part)
            continue
        title, lines = part
        formatter.start_section(title)
        if isinstance(lines, Mapping):
            lines = [
                argparse.Action([], name, metavar=name, help=text.replace("%", "%%")) for name, text in lines.items()
            ]
        for line in lines:
            (formatter.add_text if isinstance(line, str) else formatter.add_argument)(line)
        formatter.end_section()
    return formatter.format_help()


def _sections(parser: argparse.ArgumentParser, *, common: bool = False) -> dict[str, list[argparse.Action]]:
    """Return the arguments and options with their help, by the title of their group or by the topic that they declare.

    Args:
        parser: the parser of the command.
        common: leave out options that are not common, and shorten the help.
    """
    declared: Mapping[str, Option] = parser.get_default("declared") or {}
    sections: dict[str, list[argparse.Action]] = {str(group.title): [] for group in parser._action_groups}
    for group in parser._action_groups:
        for action in group._group_actions:
            option = declared.get(action.dest)
            if action.help == argparse.SUPPRESS or (common and option is not None and not option.common):
                continue
            shown = copy(action)
            if option is not None:
                shown.help = (_briefly if common else _described)(option).replace("%", "%%")
            title = str(group.title) if option is None else option.topic or str(group.title)
            sections.setdefault(title, []).append(shown)
    return {title: actions for title, actions in sections.items() if actions}


def _described(declared: Option) -> str:
    """Return an option's help with its values, each on a line of its own if they are long, or its default."""
    if declared.choices:
        text = f"{declared.help}: {declared.values}".replace('"', "")
        if len(text) <= _LONG or not any(declared.explained.values()):
            return text
        lines = [f"{declared.help}:"]
        for value, text in declared.explained.items():
            default = " (default)" if same(value, declared.default) else ""
            lines.append(f"{value}{default}{': ' if text else ''}{text}")
        return "\n- ".join([*lines, *filter(None, [declared.further])])
    plain = declared.kind is bool or declared.default in (None, (), {})
    default = "" if plain else f" (default: {declared.default})"
    return f"{declared.help}{'. You can repeat this option' if declared.repeat else ''}{default}"


def _briefly(declared: Option) -> str:
    """Return the beginning of an option's help, and its values if they are short."""
    values = ", ".join(f"{each}{' (default)' * same(each, declared.default)}" for each in declared.choices)
    text = re.split(r"[:;(]|, such as|, by default|\. ", declared.help)[0].strip()
    return f"{text}: {values}" if values and len(values) <= _SHORT else text


def _topic(title: str) -> str:
    return title.partition(" ")[0]


def _did_you_mean(name: str, names: Iterable[str]) -> str:
    bare = {each.lstrip("-"): each for each in names}
    begun = [each for each in bare if each.startswith(name.lstrip("-"))]
    return did_you_mean(name.lstrip("-"), begun or bare, bare.__getitem__)


def _parser() -> _Commands:
    about = "Score span annotations such as named entities, chunks and quotations, and fix their tags."
    parser = _Commands(prog="spanometer", usage="spanometer COMMAND ...", documentation=about)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    chosen = parser.add_subparsers(prog=parser.prog, metavar="COMMAND", required=True, parser_class=Parser)
    parser.commands = {name: chosen.add_parser(name, module=f"{__package__}.{name}") for name in COMMANDS}
    return parser


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {str(message).removesuffix('.')}.")


def _complain(message: str) -> int:
    if sys.stderr is not None:
        print(f"spanometer: {printable(message)}", file=sys.stderr)
    return BAD_INPUT


def _drop_output() -> None:
    """Prevent errors when a closed output is flushed at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
