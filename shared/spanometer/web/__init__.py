"""Pages for browsers: the report of errors, and the style of marked text that the Spaces share with it."""
