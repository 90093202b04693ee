"""The subcommands of the command line, one module each.

A command module has `add_parser(commands)`, which declares the command and its options and sets `run` to a function
that takes the parsed options and returns the exit status. To add a command, write its module and name it here.
"""

from . import (
    advise,
    agree,
    compare,
    convert,
    demo,
    eter,
    hub,
    placement,
    repair,
    reproduce,
    score,
    spread,
    transform,
    validate,
)

COMMANDS = (
    *(score, compare, eter, advise, spread, agree, placement),
    *(validate, repair, convert, transform, reproduce, demo, hub),
)
