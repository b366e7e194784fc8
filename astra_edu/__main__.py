"""python -m astra_edu: the command line, and what the course adds to it."""

import atexit
import gc

from astra_edu.base.few_collections import few_collections

with few_collections():
    from astra_edu.cli import main

main.modules |= {name: f"astra_edu.course.{name}.command" for name in ("dashboard", "grade")}
main.modules["measured"] = "astra_edu.course.plots.command"

if __name__ == "__main__":
    atexit.register(gc.freeze)  # all memory goes back at the end: nobody has to look for garbage in it
    main(prog_name="python -m astra_edu")
