"""The Gradio pages of the Spaces."""
