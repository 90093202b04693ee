"""Tag sequences: schemes, decoding, repair policies, Viterbi, validation."""
