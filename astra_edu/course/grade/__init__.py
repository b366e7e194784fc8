"""Grading a folder of answered notebooks: `python -m astra_edu grade FOLDER`.

Two processes for each notebook. In the one, confined (`sandbox.py`, `limits.py`), the student's cells run
(`inside.py`); the other (`outside.py`) has the checker and asks the student's functions over a connection (`peer.py`,
`codec.py`). So no notebook can change a check, a case or a verdict: it never has them in reach.

`asked.py` reads what an exercise asks, `submissions.py` whose notebook it is and what is in it, `marks.py` says what
grading gives, `grading.py` goes through the folder, `report.py` writes the tables and pages, `command.py` is the
command.
"""
