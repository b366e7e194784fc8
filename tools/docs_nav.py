"""MkDocs' hook: what isn't among the sources isn't in the navigation. The course's site has no page with answers."""

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    config["nav"] = there(config["nav"], Path(config["docs_dir"]))
    return config


def there(entries: list[Any], source: Path) -> list[Any]:
    """The navigation without pages that `source` lacks."""
    kept: list[Any] = []
    for entry in entries:
        if isinstance(entry, str):
            kept += [entry] if (source / entry).is_file() else []
            continue
        ((title, value),) = entry.items()
        if isinstance(value, list):
            kept += [{title: inner}] if (inner := there(value, source)) else []
        elif (source / value).is_file():
            kept.append(entry)
    return kept
