"""Settings for every test."""

from hypothesis import settings

settings.register_profile("no_timing", deadline=None)
settings.load_profile("no_timing")
