"""Faults in what a student has on the own machine: the work folder, the zip, the check beforehand."""

from tools.mutants.fault import Fault

WORK, ROOM, STUDENTS = (f"tools/{name}.py" for name in ("work", "check_room", "students"))
IN_WORK, IN_ROOM, IN_ZIP = (f"tests/project/test_{name}.py::test_" for name in ("work", "check_room", "students"))
LOST = f"{IN_WORK}nothing_that_a_student_wrote_and_nothing_new_is_lost"
CARRIED = f"{IN_WORK}answers_are_carried_over_and_the_notebook_is_kept_as_it_was"

FAULTS = [
    Fault("an answer is lost where both changed", WORK, '(cell["id"], _marked(own, taken))]', "]", LOST),
    Fault(
        "one file that can't be written stops all",
        WORK,
        "except OSError as error:",
        "except ZeroDivisionError as error:",
        f"{IN_WORK}a_file_that_another_program_has_open_waits_for_the_next_start",
    ),
    Fault(
        "make is named on Windows",
        ROOM,
        'return with_make if shutil.which("make") else without',
        "return with_make",
        f"{IN_ROOM}where_there_is_no_make_nothing_says_make",
    ),
    Fault("an added cell is lost", WORK, 'if cell["id"] not in there and (', "if False and (", LOST),
    Fault("two cells have one id", WORK, "    taken.add(name)\n", "", f"{IN_WORK}long_ids_stay_apart"),
    Fault(
        "an answer is lost where only the question changed",
        WORK,
        '            placed.append((cell["id"], own))',
        '            placed.append((cell["id"], cell))',
        CARRIED,
    ),
    Fault(
        "the notebook as it was isn't kept",
        WORK,
        "    shutil.copyfile(mine, older)\n    theirs.cells",
        "    theirs.cells",
        CARRIED,
    ),
    Fault(
        "an update is repeated at each start",
        WORK,
        "    if new != had:\n        _write(base, new)",
        "    if not had:\n        _write(base, new)",
        CARRIED,
    ),
    Fault(
        "an input of one's own is overwritten",
        WORK,
        "elif new != had and mine.read_bytes() not in (new, had):",
        'elif path.suffix and new != had and path.suffix == ".ipynb":',
        f"{IN_WORK}an_input_that_was_changed_stays",
    ),
    Fault(
        "git's complaint isn't said",
        WORK,
        "    if done.returncode:",
        "    if False:",
        f"{IN_WORK}pulling_gets_the_newest_and_what_git_can_t_do_is_said",
    ),
    Fault(
        "an old Python is let through",
        ROOM,
        "OLDEST = (3, 11)",
        "OLDEST = (3, 9)",
        f"{IN_ROOM}an_old_python_is_told_what_to_install",
    ),
    Fault(
        "a full disk is no matter",
        ROOM,
        "free >= DISK_MB,",
        "True,",
        f"{IN_ROOM}a_full_disk_and_little_memory_are_said",
    ),
    Fault(
        "an old package is let through",
        ROOM,
        "if not have or not wanted",
        "if not have and not wanted",
        f"{IN_ROOM}a_package_that_is_missing_or_too_old_is_named_with_what_is_needed",
    ),
    Fault(
        "the answers can be read in the zip",
        STUDENTS,
        "if judges(inside) else content",
        "if False else content",
        f"{IN_ZIP}it_has_what_is_worked_with_and_nothing_with_answers",
    ),
    Fault(
        "the solutions are in the zip",
        STUDENTS,
        'FOLDERS = ("astra_edu", "notebooks", "exercises")',
        'FOLDERS = ("astra_edu", "notebooks", "exercises", "solutions")',
        f"{IN_ZIP}it_has_what_is_worked_with_and_nothing_with_answers",
    ),
    Fault(
        "the zip is another one each time",
        STUDENTS,
        'zipfile.ZipInfo(f"{TOP}/{name}", WHEN)',
        'zipfile.ZipInfo(f"{TOP}/{name}", (2022, 2, 28, 0, 0, id(content) % 60))',
        f"{IN_ZIP}the_same_files_give_the_same_zip",
    ),
    Fault(
        "the students' make offers what they lack",
        STUDENTS,
        "set(names) & set(TARGETS):",
        "names:",
        f"{IN_ZIP}its_makefile_names_only_what_works_there",
    ),
]
