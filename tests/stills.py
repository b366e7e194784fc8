"""The still picture that stands in an output where no view runs."""

import re
from base64 import b64decode


def still_of(bundle):
    """The SVG text of a widget's output."""
    return b64decode(re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])[1]).decode()
