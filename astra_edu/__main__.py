"""python -m astra_edu: the command line, and what the course adds to it."""

from astra_edu.cli import main

main.modules |= {name: f"astra_edu.course.{name}.command" for name in ("dashboard", "grade")}

if __name__ == "__main__":
    main(prog_name="python -m astra_edu")
