"""`spanometer validate`."""

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


def test_standard_input(run, standard_input):
    standard_input(ILLEGAL.encode())
    status, output, _ = run("validate", "-")
    assert status == 1
    assert output.startswith("standard input:6: I-LOC after O")
