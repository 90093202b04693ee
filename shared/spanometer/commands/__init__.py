"""The command line: its commands, one module each, and their common parts.

The documentation of a command's module is its help: what it does, and below the options what comes after a line that
ends in a colon. `declare(parser)` adds its arguments and options to a parser, and `run(options)` does the work and
returns the exit status. To add a command, write its module and name it here.
"""

COMMANDS = {
    "score": "score a system's tags against a reference",
    "compare": "compare systems: intervals, paired tests, ranks",
    "errors": "where systems go wrong: kinds of errors, and what each costs",
    "advise": "suggest a measure for a corpus",
    "spread": "score a system under every repair policy",
    "agree": "agreement of annotators beyond chance",
    "consensus": "the annotations of several annotators, combined by vote",
    "ground": "spans of what a language model answered",
    "validate": "list the illegal tags, or wrong spans, of files",
    "convert": "rewrite a file: legal tags, another scheme or another format",
    "transform": "rewrite a file with errors of one kind",
    "demo": "score three systems on the example corpus",
}
"""The commands with one line of help; a module is imported when its command is called."""
