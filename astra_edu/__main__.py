"""python -m astra_edu: the command line, and what the course adds to it."""

from astra_edu.cli import main
from astra_edu.course.dashboard.command import dashboard
from astra_edu.course.grade.command import grade

main.add_command(dashboard)
main.add_command(grade)

if __name__ == "__main__":
    main(prog_name="python -m astra_edu")
