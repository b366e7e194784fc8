"""python -m astra_edu: the command line."""

from astra_edu.cli import main

if __name__ == "__main__":
    main(prog_name="python -m astra_edu")
