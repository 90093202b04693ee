"""Tags as strings: schemes, decoding, repair policies, Viterbi, validation."""
