"""Quiet is of one thread, and leaves the process's filters alone."""

import threading
import warnings

import astra_edu as ae
from astra_edu.base.warned import quiet, warn


def test_quiet_is_of_one_thread():
    heard = []

    def other():
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            warn("said", stacklevel=1)
        heard.extend(found)

    with quiet():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert [str(warning.message) for warning in heard] == ["said"]


def test_explain_in_threads_leaves_the_filters_as_they_are():
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("3d-switch"))
    before = list(warnings.filters)
    threads = [threading.Thread(target=lambda: [run.explain() for _ in range(3)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before
