"""Where a browser may be opened."""

from __future__ import annotations

from collections.abc import Mapping


def can_open_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser opened here would appear in front of the person who typed the command."""
    if "SSH_CONNECTION" in environ or "SSH_TTY" in environ:
        return False
    return platform != "linux" or any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
