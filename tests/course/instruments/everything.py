"""An instrument that has everything the base offers, on figures made up for its tests."""

from typing import ClassVar

from astra_edu.course.instruments import Instrument
from astra_edu.course.instruments.charts import Block, Curve, Curves, Lanes
from astra_edu.course.instruments.question import Answer, Drawing, Question
from astra_edu.course.instruments.scene import Bar, Bars, Drag, Frame, Link, Part, Piece, Scene, Stage
from astra_edu.course.instruments.setting import Setting

XS = (1, 4, 16, 64)


def truth(slow):
    return tuple(float(10 * slow + x) for x in XS)


class Everything(Instrument):
    """Two NPUs, a link each way, and a run of two phases."""

    settings = (
        Setting("slow", "slowness of NPU 1", (1, 2, 3, 4), "times"),
        Setting("ask", "asks for", ("place", "curve"), menu=True),
        Setting("to", "sends to", ("left", "right"), menu=True),
    )
    start: ClassVar = {"slow": 2, "ask": "place", "to": "left"}

    def scene(self, values):
        slow = values["slow"]
        frames = (
            Frame("NPU 0", (10, 30, 60, 40), "NPU 0", ("0 MiB", "0 MiB", "4 MiB")),
            Frame("NPU 1", (230, 30, 60, 40), "NPU 1"),
        )
        looks, wide = ("compute", "all-reduce", "compute"), (1, 6, 2)
        there = Link("there", ((70, 45), (230, 45)), looks, wide, ("", "4 MiB", ""), arrow=True)
        way = (there, Link("back", ((230, 60), (70, 60)), ("data group",) * 3, (0, 2, 2)))
        piece = Piece("token", ((20, 45, 12, 12), (150, 45, 12, 12), (240, 45, 12, 12)), ("weights",) * 3, "t")
        stage = Stage(
            "Two NPUs", (300, 90), ("Starts.", "Sends.", "Done."), frames, (piece,), clock=True, links=way,
            times=(0, 10, 10 + 10 * slow),
        )  # fmt: skip
        blocks = (
            Block("forward", "NPU", 0, 10, "compute", "forward", "NPU 0 computes"),
            Block("send", "dimension 0", 10, 10 + 10 * slow, "all-reduce", "", "an all-reduce", ("forward",)),
        )
        lanes = Lanes("The run", "µs", ("NPU", "dimension 0"), blocks, 10 + 10 * slow, open=True)
        points = tuple(zip(XS, truth(slow), strict=True))
        both = (Curve("compute", points), Curve("all-reduce", ((1, 5.0), (64, 200.0))))
        return Scene(
            title="Everything",
            headline=f"{10 + 10 * slow} µs",
            sentences=("It waits.",),
            numbers={"time": (10 + 10 * slow, f"{10 + 10 * slow} µs")},
            bars=(Bars("Time", (Bar("run", (Part("compute", 10),), "10 µs"),), "µs"),),
            stage=stage,
            curves=(Curves("Time by size", "size (MiB)", "time (µs)", both, log_x=True, log_y=True),),
            lanes=(lanes,),
            sets={"NPU 1": {"to": "right"}},
            drags={"token": Drag("slow", 20)},
        )

    def question(self, values):
        if values["ask"] == "curve":
            drawing = Drawing("size (MiB)", XS, "time (µs)", 1, 1000, log=True)
            return Question("How long does it take?", drawing=drawing)
        places = {"there": "the link", "send": "the link", "NPU 0": "the NPU"}
        return Question("What takes longest?", choices=("the NPU", "the link"), places=places)

    def answer(self, values):
        if values["ask"] == "curve":
            return Answer(truth(values["slow"]), "a start of 10 µs for each, and 1 µs a MiB", near=1.25)
        return Answer("the link", f"{10 * values['slow']} of {10 + 10 * values['slow']} µs.")
