"""Errors of the command line name the option or the step that helps."""


def test_names_of_schemes(run, file):
    path = file("gold.conll", "Ada B-PER\n")
    for name, known in (("BIO", "IOB2"), ("bio", "IOB2"), ("iob2", "IOB2"), ("BIOES", "IOBES"), ("biluo", "BILOU")):
        assert f"span_f|scheme:{known}|" in run("score", path, path, "--measures", "span_f", "--scheme", name)[1]
    assert run("convert", path, "--to", "bioes")[1] == "Ada S-PER\n"


def test_tags_without_prefixes(run, file):
    path = file("pos.conll", "Ada PROPN\nLovelace PROPN\nwrites VERB\n. O\n")
    for arguments in (
        ["score", path, path, "--measures", "span_f"],
        ["compare", path, path, path],
        ["agree", path, path],
    ):
        status, output, _ = run(*arguments, "--no-prefix", "--scheme", "io")
        assert status == 0
        assert "|scheme:IO|repair:conlleval|prefix:no|" in output
    assert "SYSTEM --no-prefix --measures" in run("advise", path, "--no-prefix")[1]
    converted = run("convert", path, "--no-prefix", "--to", "bio")[1]
    assert converted == "Ada B-PROPN\nLovelace I-PROPN\nwrites B-VERB\n. O\n"
