"""Case studies 1 and 2 of ASTRA-sim 2.0 (ISPASS 2023): systems, all-reduces and training; what a network costs.

Case study 3, on memory, is in astra_edu.course.studies.memory_systems.
"""

from astra_edu.course.studies.case_studies.changes import Change, one_changes, with_bandwidths
from astra_edu.course.studies.case_studies.collectives import (
    SCHEDULERS,
    SIZES,
    AllReduce,
    all_reduce,
    all_reduces,
    scheduled,
)
from astra_edu.course.studies.case_studies.cost import blocks_cost
from astra_edu.course.studies.case_studies.groups import grouped
from astra_edu.course.studies.case_studies.platforms import (
    EQUALS,
    READINGS,
    SYSTEMS,
    System,
    case_study_platform,
    npu_bandwidths,
    suited,
)
from astra_edu.course.studies.case_studies.training import JOBS, Job, gpt3, samples_per_s, train

__all__ = [
    "EQUALS",
    "JOBS",
    "READINGS",
    "SCHEDULERS",
    "SIZES",
    "SYSTEMS",
    "AllReduce",
    "Change",
    "Job",
    "System",
    "all_reduce",
    "all_reduces",
    "blocks_cost",
    "case_study_platform",
    "gpt3",
    "grouped",
    "npu_bandwidths",
    "one_changes",
    "samples_per_s",
    "scheduled",
    "suited",
    "train",
    "with_bandwidths",
]
