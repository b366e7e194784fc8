"""The browser of the tests, one for all measurements."""

from browser.conftest import chromium, lab, open_page, run_all  # noqa: F401 - fixtures
from browser.test_what_if_browser import notebook  # noqa: F401 - a fixture
