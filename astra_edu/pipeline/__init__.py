"""Pipeline parallelism: a model cut into stages, micro-batches that go through them, and the order they do it in."""

from astra_edu.pipeline import dualpipe, zero_bubble
from astra_edu.pipeline.checked import passes
from astra_edu.pipeline.orders import ORDERS, Order, Pass
from astra_edu.pipeline.outcome import PassSpan, PipelineRun
from astra_edu.pipeline.run import run_pipeline

__all__ = ["ORDERS", "Order", "Pass", "PassSpan", "PipelineRun", "dualpipe", "passes", "run_pipeline", "zero_bubble"]
