"""The command line: its commands, one module for each, and their common parts.

The documentation of a command's module is the text of its first page of help. If a paragraph's first line ends in a
colon, this paragraph and all that follow are printed below the options. `declare(parser)` adds the command's arguments
and options to a parser, and `run(options)` does the work; it returns the exit status if that can be other than 0. To
add a command, write its module and name it here.
"""

GROUPS = {
    "score": {
        "score": "score systems against a reference",
        "compare": "compare systems: differences, paired tests, ranks",
        "errors": "show kinds of errors, and what each kind costs",
        "spread": "score a system under every repair policy",
        "advise": "suggest a measure for a corpus",
        "demo": "score three systems on the example corpus",
    },
    "annotators": {
        "agree": "measure the agreement of annotators beyond chance",
        "consensus": "combine the annotations of several annotators by vote",
    },
    "files": {
        "validate": "list illegal tags and invalid spans",
        "convert": "repair tags, or write a file in another scheme or format",
        "ground": "turn a language model's answers into spans",
        "transform": "add errors of certain kinds to a file",
    },
}
"""The commands in groups, with one line of help each; a module is imported when its command is called."""

COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}
"""All commands."""
