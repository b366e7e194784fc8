"""Clocks: what happens when, and in which order within one nanosecond."""
