"""Valid calls of the widgets."""

from strange.calls import call
from strange.jobs import ARRAY, GEMM
from strange.simulator import BLOCK, RESULT, SCHEDULE, TRACE, TRACE_SYSTEM

import astra_edu as ae
from astra_edu.course.studies.case_studies import Job, suited

AWARE = ae.TracePlatform(BLOCK, TRACE_SYSTEM, congestion_aware=True)
RECORDED = ae.simulate(TRACE, AWARE, record=True, progress=False)
PLAYER = ae.Player(SCHEDULE)

JOB = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=4))

CALLS = [
    call("BandwidthSliders", ae.BandwidthSliders, job=JOB, platform=suited((BLOCK,)), controls=["factor_0"]),
    call("BuildATrace", ae.BuildATrace, controls=["bandwidth"], setting="backward1_reduce2=off", bandwidth=25),
    call("CaseStudies", ae.CaseStudies, controls=["themis"], setting="other=W-2D job=all-reduce", themis="on"),
    call(
        "ChunksOverDimensions",
        ae.ChunksOverDimensions,
        controls=["chunks"],
        setting="chunks=8 dimensions=3",
        queue="FIFO",
    ),
    call("TrainingIteration", ae.TrainingIteration, controls=["scheduling"], setting="scheduling=LIFO", iterations=1),
    call("CutTheModel", ae.CutTheModel, asks="time", controls=["tensor"], setting="model=22b tensor=4", data=2),
    call("SpendTheBudget", ae.SpendTheBudget, controls=["npus"], setting="npus=128 inside=Ring", price=0),
    call(
        "Explorer",
        ae.Explorer,
        collective="all-reduce",
        algorithms="ring",
        network=(("Ring", 8, 50, 500),),
        size=4096,
        splits=4,
        ask=False,
        controls=["size"],
    ),
    call("FeedTheNetwork", ae.FeedTheNetwork, controls=["cores"], setting="shape=8 memory=128", cores=2),
    call("HeldAgainst", ae.HeldAgainst, controls=["unit"], setting="system=a100-8 unit=converted", latency="fitted"),
    call("HeldAgainstRuns", ae.HeldAgainstRuns, controls=["npus"], setting="kind=bridge-h100 context=1", pipeline=4),
    call("KeepTraining", ae.KeepTraining, controls=["every"], setting="every=30 npus=1024", stands=5),
    call("Folds", ae.Folds, gemm=GEMM, array=ARRAY, dataflow="weight", step=0, controls=["m"]),
    call("LinkPlayer", ae.LinkPlayer, result=RECORDED, places=None, time=0),
    call("LinkPlayer .svg", ae.LinkPlayer(RECORDED).svg, time=0),
    call("LinksAndCongestion", ae.LinksAndCongestion, controls=["size"], setting="network=ring size=4", late=5),
    call("OrderTheSteps", ae.OrderTheSteps, controls=["first"], setting="first=E second=B", third="D"),
    call("MemorySystems", ae.MemorySystems, controls=["remote"], setting="remote=500 link=512", move="load-own"),
    call("Player", ae.Player, schedule=SCHEDULE, timing=None, clock="steps", topology="Ring"),
    call("Player .show", PLAYER.show, schedule=SCHEDULE, timing=None, topology="Ring"),
    call("Player .svg", PLAYER.svg, step=0),
    call("Player .save_html", PLAYER.save_html, path="player.html"),
    call("Stages", ae.Stages, order="1f1b", stages=4, micro_batches=8, controls=["order"]),
    call("Timeline", ae.Timeline, result=RESULT, window=(0, 10), highlight="", npus=None),
    call(
        "WhatIf",
        ae.WhatIf,
        platform="ring",
        workload=None,
        inputs=None,
        size=4096,
        compute_scale=1,
        comm_scale=1,
        passes=1,
        ask=False,
        controls=["size"],
    ),
    call("WhoWaits", ae.WhoWaits, controls=["slow"], setting="workers=4 slow=2", straggler=1),
]
