"""The agreement of annotators, their disagreements, and their consensus."""
