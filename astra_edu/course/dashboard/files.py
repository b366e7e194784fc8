"""A design as the files of ASTRA-sim 1.0, zipped, with how to run them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments import CutTheModel, WhatIf
from astra_edu.course.instruments.cut_job import job, platform_of
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.what_if_code import NAMES, how_to_run
from astra_edu.formats import save_astra_sim, save_workload
from astra_edu.system import Platform
from astra_edu.workload import Workload
from astra_edu.workload.strategies import generate_workload


def zipped(design: Instrument) -> bytes:
    """A zip with network.json, system.txt, workload.txt and README.txt.

    Raises ConfigError for an instrument, or a design, that these files can't say.
    """
    platform, workload, passes, about = said(design)
    lines = [*about, "", f"The setting: {design.text}", "", *how_to_run(platform, passes, NAMES), ""]
    content = BytesIO()
    with TemporaryDirectory() as folder, ZipFile(content, "w", ZIP_DEFLATED) as archive:
        paths = [Path(folder) / name for name in NAMES]
        save_astra_sim(platform, *paths[:2])
        save_workload(workload, paths[2])
        for path in paths:
            archive.write(path, path.name)
        archive.writestr("README.txt", "\n".join(lines))
    return content.getvalue()


def said(design: Instrument) -> tuple[Platform, Workload, int, tuple[str, ...]]:
    """The platform, the workload and the passes of a design, and what is to be said of them."""
    if isinstance(design, WhatIf):
        run = design.result
        about = f"{design.summary().splitlines()[0]}: {run.total}, simulated with ASTRA-sim 1.0's analytical mode."
        return run.platform, run.workload, run.passes, (about,)
    if not isinstance(design, CutTheModel):
        raise ConfigError(f"{type(design).__name__} has no files of ASTRA-sim.")
    model, cut = job(design.values)
    platform = platform_of(cut.npus // cut.pipeline)
    stage = 0 if cut.pipeline > 1 else None
    workload = generate_workload(model, cut, design.values["device"], stage=stage, platform=platform)
    part = "one micro-batch of the first stage, and its NPUs" if cut.pipeline > 1 else "one micro-batch"
    lines = (
        f"{design.summary().splitlines()[0]}: {part}.",
        "A workload file can't repeat micro-batches or send between stages: the dashboard's times are of whole",
        "iterations, and differ from what a run of these files says.",
    )
    return platform, workload, 1, lines
