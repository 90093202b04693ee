"""The pages of the Spaces: a Gradio app for each measure (the extra `space`)."""


def launch(name: str) -> None:
    """Serve the page of a measure.

    Args:
        name: the name of the measure, such as `"link_f"`.

    Raises:
        InputError: if there is no such measure.
    """
    # Gradio is imported when a page is served, not when one of its parts is used
    from .measure_page import form
    from .serving import launch as serve

    serve(form(name))
