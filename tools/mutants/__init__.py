"""Faults that somebody could make, each put into a copy of the project, and the test that must notice it."""
