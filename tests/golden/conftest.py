"""Golden pictures. `pytest tests/golden -n 0 --renew-pictures` stores them as they are now, to be looked at."""


def pytest_addoption(parser):
    parser.addoption("--renew-pictures", action="store_true", help="store the pictures as they are drawn now")
