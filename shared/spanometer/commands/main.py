"""The command line: `spanometer score REFERENCE PREDICTION`, `spanometer validate FILE` and so on, see `commands`."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from inspect import cleandoc
from typing import Any, NoReturn

import pyarrow

from ..exceptions import InputError, printable, spell_python, spelled
from ..options import counterpart
from ..version import __version__
from . import COMMANDS, GROUPS, help
from .help import HelpAction, HelpFormatter
from .options import require_kept_inputs, speller

BAD_INPUT = 2
"""The exit status for input that cannot be scored, and for wrong options."""

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
    for name in os.environ.get("COMP_LINE", "").split()[1:2]:
        if name in COMMANDS:
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
        """Return a page of help, see `help.page`; without such a page, name all topics and exit."""
        self.load()
        text = help.page(self, topic)
        if not text:
            from ..measures.registry import NAMED_MEASURES
            from ..protocols.protocol import names

            known = [*help.topics(self), help.ALL, help.PROTOCOLS, *NAMED_MEASURES]
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
        self.exit(BAD_INPUT, f"{self.prog}: {printable(message + hint)} (see {self.prog} --help)\n")


class _Commands(Parser):
    """The parser that chooses a command; `commands` has the parser of each."""

    commands: Mapping[str, Parser]

    def page(self, topic: str | None) -> str:
        """Return the list of commands, or a page of one of them."""
        if topic is None or topic == help.ALL:
            return help.command_list(self, GROUPS)
        return self.commands[topic].page(None) if topic in COMMANDS else self.commands["score"].page(topic)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """If a command is unknown, name the most similar one, or all commands."""
        if action.choices is not None and value not in COMMANDS:
            close = counterpart(value) or _did_you_mean(value, COMMANDS) or f"The commands are {', '.join(COMMANDS)}."
            self.error(f"there is no command {value!r}. {close.removesuffix('.')}")


def _did_you_mean(name: str, names: Iterable[str]) -> str:
    bare = {each.lstrip("-"): each for each in names}
    close = get_close_matches(name.lstrip("-"), bare, n=1)
    return f"Did you mean {bare[close[0]]}?" if close else ""


def _parser() -> _Commands:
    about = "Score span annotations such as named entities, chunks and quotations, and fix their tags."
    parser = _Commands(prog="spanometer", usage="spanometer COMMAND ...", documentation=about)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    chosen = parser.add_subparsers(prog=parser.prog, metavar="COMMAND", required=True, parser_class=Parser)
    parser.commands = {name: chosen.add_parser(name, module=f"{__package__}.{name}") for name in COMMANDS}
    return parser


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    if sys.stderr is not None:
        print(f"spanometer: warning: {printable(str(message)).removesuffix('.')}.", file=sys.stderr)


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
