"""What is made from scores: reports, comparisons, agreement, spread, streams, advice."""
