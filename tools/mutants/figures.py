"""Faults in the figures."""

from tools.mutants.fault import Fault

FAULTS: list[Fault] = []
