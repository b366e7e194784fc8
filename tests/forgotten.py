"""What ipywidgets keeps for a page's sake, with all that it shows, though no page is there."""

import sys


def forget_widgets() -> None:
    """Widgets that nobody holds go: ipywidgets lists all that were made, and a comm holds who hears its messages."""
    if made := sys.modules.get("ipywidgets.widgets.widget"):
        made._instances.clear()
    if comm := sys.modules.get("comm"):
        for one in [*comm.get_comm_manager().comms.values()]:
            one.on_msg(None)
