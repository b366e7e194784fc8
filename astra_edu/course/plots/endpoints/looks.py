"""How what an endpoint does with its memory looks."""

from __future__ import annotations

from astra_edu.course.plots.looks import Look

OWN = Look("reads its own data", "", "#93c8ee", "#0072b2", "\\\\")
RECEIVED = Look("reads what it received", "", "#f7b787", "#d55e00", "//")
ARRIVAL = Look("writes what arrives", "", "#ececec", "#707070", "..")
SUM = Look("writes a sum", "", "#9c7fd0", "#4b2a8c", "xx")
LOAD = Look("loads into its SRAM", "", "#57ad88", "#00694f")
STORE = Look("stores from its SRAM", "", "#f3e79b", "#8a7a00", "--")
LOOKS = {"own": OWN, "received": RECEIVED, "load": LOAD, "arrival": ARRIVAL, "sum": SUM, "store": STORE}
"""By what an access is."""

READING, WRITING = ("own", "received", "load"), ("arrival", "sum", "store")
READS, WRITES = OWN._replace(name="read"), SUM._replace(name="written")
ENDPOINTS = {"through memory": False, "ACE": True}
"""Whether each endpoint has memory on its chip."""
