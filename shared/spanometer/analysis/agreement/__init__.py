"""The agreement of annotators, where they disagree, and their consensus."""
