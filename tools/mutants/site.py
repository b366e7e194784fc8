"""Faults in what the site's kernel loads, and from where."""

from tools.mutants.fault import Fault

LOCK, WHEELS, RELEASE, PAGES = (f"tools/site/{name}.py" for name in ("lock", "wheels", "release", "pages"))
TESTS = "tests/project/test_site.py::test_"
ALL = f"{TESTS}importing_astra_edu_brings_all_it_needs_from_the_release_or_else_from_pure_wheels"
HAD = f"{TESTS}what_the_release_has_not_at_hand_is_a_pure_wheel_and_what_nobody_has_is_said"
THERE = f"{TESTS}packages_of_the_release_are_on_its_cdn_or_in_the_site_with_their_checksum"
FRONT = "tests/browser/test_front_seen.py::test_"

IN_THE_LAB = (
    "tests/browser/test_site.py::"
    "test_exercise_1_is_solved_notebook_01_prints_what_is_stored_and_all_is_there_when_the_network_is_cut"
)

FAULTS = [
    Fault(
        "saved widgets wait for the kernel for ever",
        "tools/site/restore_lab.js",
        "kernel.requestCommInfo = none;",
        "",
        IN_THE_LAB,
    ),
    Fault(
        "progress is forgotten with the tab",
        "astra_edu/course/check/record.py",
        "BROWSER.is_dir()",
        "BROWSER.is_file()",
        IN_THE_LAB,
    ),
    Fault(
        "JupyterLite puts commas between stored lines",
        "tools/site/lite.py",
        "json.dumps(nbformat.read(notebook, as_version=4), ensure_ascii=False)",
        'notebook.read_text(encoding="utf-8")',
        f"{TESTS}stored_texts_are_in_one_piece_for_jupyterlite",
    ),
    Fault(
        "input files lie elsewhere",
        "tools/site/wheels.py",
        'Path("home", "exercises", "inputs")',
        'Path("home", "inputs")',
        f"{TESTS}the_input_files_are_a_wheel_beside_the_folder_of_a_kernel",
    ),
    Fault("what packages need isn't loaded", LOCK, '        wanted += packages[name]["depends"]\n', "", ALL),
    Fault(
        "matplotlib isn't loaded with the course",
        LOCK,
        '"numpy", "matplotlib", "astra-edu-inputs")',
        '"numpy", "astra-edu-inputs")',
        ALL,
    ),
    Fault(
        "the kernel waits for a package that isn't there",
        LOCK,
        'entry["depends"] = [name for name in entry["depends"] if name in packages]',
        "pass",
        ALL,
    ),
    Fault("a kernel without jedi is built", LOCK, "elif name in LATE:", "elif name:", HAD),
    Fault(
        "a package that isn't at hand is promised",
        LOCK,
        "if known and (address := there(known)):",
        "if known and (address := there(known) or 'x'):",
        HAD,
    ),
    Fault(
        "wheels ask for what other systems need",
        WHEELS,
        "if not each.marker or each.marker.evaluate(WHERE)",
        "",
        f"{TESTS}a_wheel_says_what_it_needs_in_a_browser",
    ),
    Fault(
        "any file is taken for Pyodide's",
        RELEASE,
        "if sha256 and hashlib",
        "if False and hashlib",
        f"{TESTS}another_release_is_refused_and_so_is_none",
    ),
    Fault("a bundle leads to the CDN", RELEASE, "if not bundle:", "if bundle:", THERE),
    Fault(
        "half the instruments have no page",
        PAGES,
        "for name, says, number in rows]",
        "for name, says, number in rows[::2]]",
        f"{TESTS}every_instrument_of_the_readme_has_a_page_and_its_notebook",
    ),
    Fault(
        "the front page's title can't be seen",
        "tools/site/site.css",
        "header h1 { position: static; width: auto; height: auto; margin: 0; overflow: visible; clip-path: none;",
        "header h1 { margin: 0;",
        f"{FRONT}the_title_is_there_to_be_read_and_links_are_whole",
    ),
    Fault(
        "links break in two",
        "tools/site/site.css",
        "li a { white-space: nowrap; }",
        "",
        f"{FRONT}the_title_is_there_to_be_read_and_links_are_whole",
    ),
    Fault(
        "a wide screen is called too narrow",
        "tools/site/site.css",
        "@media (min-width: 701px) { .narrow { display: none; } }",
        "",
        f"{FRONT}a_narrow_screen_and_no_other_says_what_wants_a_wider_one",
    ),
    Fault(
        "JupyterLite sends its workers away when the network is cut",
        "tools/site/stay_lab.js",
        "? Promise.resolve(false)",
        "? unregister.call(this)",
        IN_THE_LAB,
    ),
]
