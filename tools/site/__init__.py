"""The course as a folder of files that any web server can serve; `python -m tools.site` makes it."""
