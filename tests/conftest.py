"""Settings for every test."""

from hypothesis import settings

settings.register_profile("explore", deadline=None)  # pytest --hypothesis-profile=explore: other examples every time
settings.register_profile("same_everywhere", deadline=None, derandomize=True)
settings.load_profile("same_everywhere")
