"""Tables as plain data, and their forms: text, CSV, Markdown, LaTeX, HTML and data frames."""
