"""Phases timed at once, on networks where nothing can disturb them."""
