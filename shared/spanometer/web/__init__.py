"""HTML reports, and the style of marked text that reports and Spaces use."""
