"""make exact: what must never change. `pytest tests/exact -n 0 --renew` stores new fingerprints, to be looked at."""

import json

import fingerprints
import pytest


def pytest_addoption(parser):
    parser.addoption("--renew", action="store_true", help="store the fingerprints that are found")


@pytest.fixture
def fingerprint(request):
    """fingerprint(name, facts) compares with what is stored, or stores it."""

    def check(name, facts):
        if request.config.getoption("--renew", False):
            fingerprints.KNOWN[name] = fingerprints.of(facts)
        else:
            assert fingerprints.of(facts) == fingerprints.KNOWN.get(name), f"{name} is not what it was: {facts!r:.2000}"

    return check


def pytest_sessionfinish(session):
    if session.config.getoption("--renew", False):
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(fingerprints.KNOWN.items()))
        fingerprints.FILE.write_text(f"{{\n{lines}\n}}\n")
